"""Which CANN the paths of an environment lead to."""

from __future__ import annotations

import pytest

from npudoctor.host.env_paths import conflict, steps


@pytest.mark.parametrize(
    ("path", "tree", "version"),
    [
        (
            "/usr/local/Ascend/ascend-toolkit/8.1.RC1/lib64",
            "/usr/local/Ascend/ascend-toolkit/8.1.RC1",
            "/usr/local/Ascend/ascend-toolkit/8.1.RC1",
        ),
        (
            "/usr/local/Ascend/ascend-toolkit/latest/opp/built-in",
            "/usr/local/Ascend/ascend-toolkit/latest",
            None,
        ),
        ("/home/ma/Ascend/cann-8.5.0/bin", "/home/ma/Ascend/cann-8.5.0", "/home/ma/Ascend/cann-8.5.0"),
        ("/usr/local/Ascend/cann/lib64", "/usr/local/Ascend/cann", None),
    ],
)
def test_a_path_in_a_cann_names_its_tree_and_its_version(path, tree, version):
    (step,) = steps({"LD_LIBRARY_PATH": path}, ())

    assert (step.tree, step.version) == (tree, version)


@pytest.mark.parametrize(
    "path",
    [
        "/usr/local/Ascend/driver/lib64",
        "/usr/local/Ascend/nnal/atb/latest/lib",
        "/opt/cann/lib",
        "",
        "lib",
        "/",
    ],
)
def test_other_paths_are_in_no_cann(path):
    assert steps({"LD_LIBRARY_PATH": path}, ()) == []


def test_a_link_goes_with_a_version_beside_it_and_not_with_one_elsewhere():
    found = steps(
        {"PATH": "/a/Ascend/cann-8.5.0/bin:/a/Ascend/ascend-toolkit/latest/bin:/b/Ascend/cann/bin"}, ()
    )

    assert not conflict(found[0], found[1])
    assert conflict(found[0], found[2])
