"""Which CANN is where, which one counts, and what it holds."""

from __future__ import annotations

import pytest

from npudoctor.fact import Unavailable


def install(version: str, path: str = "", arch: str = "aarch64", package: str = "toolkit") -> str:
    lines = [f"package_name=Ascend-cann-{package}", f"version={version}", f"arch={arch}", "os=linux"]
    return "\n".join([*lines, f"path={path}"] if path else lines) + "\n"


OLD = "/usr/local/Ascend/ascend-toolkit/8.2.RC1/aarch64-linux/ascend_toolkit_install.info"
LATEST = "/usr/local/Ascend/ascend-toolkit/latest/aarch64-linux/ascend_toolkit_install.info"
NEW = "/usr/local/Ascend/cann-8.5.0/aarch64-linux/ascend_toolkit_install.info"
NEW_LINK = "/usr/local/Ascend/cann/aarch64-linux/ascend_toolkit_install.info"
CONFIG = "opp/built-in/op_impl/ai_core/tbe/kernel/config"


def roots(host) -> list[str]:
    return [cann.root for cann in host.cann.installations.value]


@pytest.mark.parametrize(
    ("path", "root"),
    [
        (OLD, "/usr/local/Ascend/ascend-toolkit/8.2.RC1"),
        (NEW, "/usr/local/Ascend/cann-8.5.0"),
        ("/home/ma/Ascend/cann-8.5.0/x86_64-linux/ascend_toolkit_install.info", "/home/ma/Ascend/cann-8.5.0"),
        ("/usr/local/Ascend/nnae/8.0.RC3/ascend_nnae_install.info", "/usr/local/Ascend/nnae/8.0.RC3"),
        (
            "/opt/conda/Ascend/cann-8.5.0/aarch64-linux/ascend_toolkit_install.info",
            "/opt/conda/Ascend/cann-8.5.0",
        ),
        (
            "/usr/lib/python3.11/site-packages/ascend/cann-9.0.0/aarch64-linux/ascend_toolkit_install.info",
            "/usr/lib/python3.11/site-packages/ascend/cann-9.0.0",
        ),
    ],
)
def test_every_layout_is_an_installation(host, path, root):
    assert roots(host({path: install("8.5.0")})) == [root]


def test_a_link_and_the_folder_it_names_are_one_installation(host):
    both = host({LATEST: install("8.2.RC1", OLD.rsplit("/", 1)[0]), OLD: install("8.2.RC1")})

    (cann,) = both.cann.installations.value

    assert cann.root == "/usr/local/Ascend/ascend-toolkit/8.2.RC1"
    assert "/usr/local/Ascend/ascend-toolkit/latest" in cann.folders


def test_the_listing_of_a_folder_tells_links_apart_where_the_file_names_no_path(host):
    listing = "total 0\nlrwxrwxrwx 1 root root 10 Sep 21 17:04 cann -> cann-8.5.0\n"

    linked = host({NEW_LINK: install("8.5.0"), NEW: install("8.5.0")}, {"ls -l /usr/local/Ascend": listing})

    assert roots(linked) == ["/usr/local/Ascend/cann-8.5.0"]


def test_the_compatibility_link_of_the_new_layout_leads_to_the_new_folder(host):
    path = "/usr/local/Ascend/cann-8.5.0/aarch64-linux"

    assert roots(host({LATEST: install("8.5.0", path)})) == ["/usr/local/Ascend/cann-8.5.0"]


def test_a_bundle_with_only_component_files_still_names_the_cann(host):
    runtime = "Version=7.7.0.1.238\nversion_dir=8.1.RC1\n"

    (cann,) = host(
        {"/usr/local/Ascend/ascend-toolkit/latest/runtime/version.info": runtime}
    ).cann.installations.value

    assert cann.version == "8.1.RC1"
    assert cann.evidence.text == "version_dir=8.1.RC1"


def test_the_component_number_is_never_taken_for_the_cann(host):
    runtime = "Version=7.7.0.1.238\n"

    bundle = host({"/usr/local/Ascend/ascend-toolkit/latest/runtime/version.info": runtime})

    assert not bundle.cann.installations.known


def test_the_environment_chooses_among_several(host):
    two = {
        OLD: install("8.2.RC1"),
        NEW: install("8.5.0"),
        NEW_LINK: install("8.5.0", "/usr/local/Ascend/cann-8.5.0/aarch64-linux"),
    }

    chosen = host(two, environment="ASCEND_HOME_PATH=/usr/local/Ascend/ascend-toolkit/8.2.RC1\n")

    assert chosen.cann.active.value.version == "8.2.RC1"


def test_without_an_environment_the_link_chooses(host):
    two = {OLD: install("8.2.RC1"), NEW_LINK: install("8.5.0", "/usr/local/Ascend/cann-8.5.0/aarch64-linux")}

    assert host(two).cann.active.value.version == "8.5.0"


def test_two_without_link_or_environment_stay_unknown(host):
    two = host({OLD: install("8.2.RC1"), NEW: install("8.5.0")})

    with pytest.raises(Unavailable, match="several"):
        _ = two.cann.active.value


def test_an_environment_that_names_a_folder_nobody_saw_is_unknown(host):
    elsewhere = host({NEW: install("8.5.0")}, environment="ASCEND_HOME_PATH=/data/cann-9.0.0\n")

    with pytest.raises(Unavailable, match=r"/data/cann-9\.0\.0"):
        _ = elsewhere.cann.active.value


def test_a_bundle_that_holds_only_the_versioned_folder_fits_an_environment_that_names_latest(host):
    bundle = host(
        {OLD: install("8.2.RC1")}, environment="ASCEND_HOME_PATH=/usr/local/Ascend/ascend-toolkit/latest\n"
    )

    assert bundle.cann.active.value.version == "8.2.RC1"


def test_the_old_link_in_the_environment_names_the_tree_beside_it_first(host):
    both = {OLD: install("8.2.RC1"), NEW: install("8.5.0")}
    latest = "ASCEND_HOME_PATH=/usr/local/Ascend/ascend-toolkit/latest\n"

    assert host(both, environment=latest).cann.active.value.version == "8.2.RC1"
    assert host({NEW: install("8.5.0")}, environment=latest).cann.active.value.version == "8.5.0"


def test_a_machine_that_was_searched_and_has_none_has_none(host):
    none = host(absent=["/etc/Ascend/ascend_cann_install.info"])

    assert none.cann.installations.value == ()
    assert none.cann.active.absent


def test_a_machine_that_nobody_searched_is_unknown(host):
    assert not host().cann.installations.known
    assert not host().cann.active.absent


def test_an_unreadable_install_file_is_no_missing_cann(host):
    broken = host({NEW: "package_name=Ascend-cann-toolkit\nver"})

    assert not broken.cann.installations.known
    assert len(broken.cann.unreadable) == 1


def test_operators_are_the_chips_with_kernel_folders(host):
    bundle = host(
        {NEW: install("8.5.0")},
        {f"ls /usr/local/Ascend/cann-8.5.0/{CONFIG}": "ascend910_93\nascend910b\n"},
    )

    assert bundle.cann.active.value.operators == ("a3", "910b")


def test_operators_know_the_version_of_their_package(host):
    ops = NEW.replace("toolkit", "ops")

    (found,) = host(
        {NEW: install("8.5.0"), ops: install("8.5.0", package="910b-ops")}
    ).cann.active.value.installed.value

    assert (found.chip, found.version) == ("910b", "8.5.0")


def test_a_missing_kernel_folder_means_no_operators_and_no_listing_means_unknown(host):
    command = f"ls /usr/local/Ascend/cann-8.5.0/{CONFIG}"

    assert host({NEW: install("8.5.0")}, {command: ""}).cann.active.value.installed.value == ()
    assert not host({NEW: install("8.5.0")}).cann.active.value.installed.known


def test_nnal_tells_its_version_and_abis(host):
    version = "    Ascend-cann-atb : 8.5.0\n    Ascend-cann-atb Version : 8.5.0.B100\n"
    root = "/usr/local/Ascend/nnal/atb/8.5.0"
    row = "drwxr-xr-x 2 root root 6 Sep 21 17:04"
    listing = f"total 0\n{row} cxx_abi_0\n{row} cxx_abi_1\n"

    (nnal,) = host({f"{root}/version.info": version}, {f"ls -l {root}/atb": listing}).cann.nnal.value

    assert (nnal.root, nnal.version.value, nnal.abis.value) == (root, "8.5.0", (0, 1))


def test_nnal_behind_latest_counts_once(host):
    version = "    Ascend-cann-atb : 8.5.0\n"
    root = "/usr/local/Ascend/nnal/atb"

    found = host(
        {f"{root}/latest/version.info": version, f"{root}/8.5.0/version.info": version}
    ).cann.nnal.value

    assert [nnal.root for nnal in found] == [f"{root}/8.5.0"]


def test_the_environment_names_the_abi(host):
    path = "/usr/local/Ascend/nnal/atb/latest/atb/cxx_abi_1"

    assert host(environment=f"ATB_HOME_PATH={path}\n").cann.atb_home.value.abi == 1
    assert host(environment="A=1\n").cann.atb_home.absent
