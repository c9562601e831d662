import pytest


def test_the_release_comes_from_uname_or_from_proc(host):
    uname = "Linux n 5.15.0-119-generic #129 SMP x86_64 GNU/Linux\n"

    assert host(commands={"uname -a": uname}).kernel.release.value == "5.15.0-119-generic"
    assert host(files={"/proc/sys/kernel/osrelease": "6.6.0\n"}).kernel.release.value == "6.6.0"


def test_words_of_the_command_line_can_be_asked_for(host):
    cmdline = host(
        files={"/proc/cmdline": "ro quiet pcie_aspm=off iommu.passthrough=1\n"}
    ).kernel.cmdline.value

    assert cmdline.has("pcie_aspm=off")
    assert not cmdline.has("pcie_aspm")
    assert cmdline.value("iommu.passthrough") == "1"
    assert cmdline.value("hugepages") is None


@pytest.mark.parametrize(
    ("text", "policy"), [("default [performance] powersave\n", "performance"), ("powersave\n", "powersave")]
)
def test_the_aspm_policy_is_the_chosen_word(host, text, policy):
    path = "/sys/module/pcie_aspm/parameters/policy"

    assert host(files={path: text}).kernel.pcie_aspm_policy.value == policy


def test_no_makefile_behind_any_link_is_an_answer(host):
    kernel = host(commands={"ls -d /lib/modules/*/build/Makefile": ""}).kernel

    assert kernel.headers.value == ()


def test_dkms_that_is_not_there_is_told_from_dkms_that_nobody_asked(host):
    assert host(absent=["dkms status"]).kernel.dkms.absent
    assert not host().kernel.dkms.absent
