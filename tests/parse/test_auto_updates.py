import pytest

from npudoctor.parse.auto_updates import names_a_kernel


@pytest.mark.parametrize(
    "text",
    [
        "linux-image-5.15.0-119-generic\n",
        '  "linux-";',
        '"linux-*";',
        "kernel\n",
        "vim\nkernel-devel-5.10\n",
        "linux-generic",
    ],
)
def test_a_list_that_holds_the_kernel_is_known_by_its_packages(text):
    assert names_a_kernel(text)


@pytest.mark.parametrize("text", ["", "linux-firmware\n", "linux-libc-dev\n", '"mykernel-tools";', "vim\n"])
def test_other_packages_do_not_count(text):
    assert not names_a_kernel(text)
