import pytest

CGROUP = "/proc/1/cgroup"


def release(name, version, version_id, id=""):
    return {"/etc/os-release": f'NAME="{name}"\nVERSION="{version}"\nID="{id}"\nVERSION_ID="{version_id}"\n'}


@pytest.mark.parametrize(
    ("files", "label"),
    [
        (release("Ubuntu", "22.04.3 LTS (Jammy Jellyfish)", "22.04", "ubuntu"), "Ubuntu 22.04"),
        (release("openEuler", "22.03 (LTS-SP4)", "22.03", "openEuler"), "openEuler 22.03 SP4"),
        (release("openEuler", "22.03 LTS", "22.03", "openEuler"), "openEuler 22.03"),
        (release("Kylin Linux Advanced Server", "V10 (Sword)", "V10", "kylin"), "Kylin V10 SP2"),
        (release("Kylin Linux Advanced Server", "V10 (Halberd)", "V10", "kylin"), "Kylin V10 SP3 2403"),
        (release("Debian GNU/Linux", "12 (bookworm)", "12", "debian"), "Debian 12"),
        (release("CentOS Linux", "7 (AltArch)", "7", "centos"), "CentOS 7"),
        (release("EulerOS", "2.0 (SP12)", "2.0", "euleros"), "EulerOS 2.12"),
        (release("BigCloud Enterprise Linux", "21.10 (LTS-SP2)", "21.10U4", "bclinux"), "BCLinux 21.10 U4"),
        (release("ctyunos", "23.01", "23.01", "ctyunos"), "CTyunOS 23.01"),
        (release("Huawei Cloud EulerOS", "2.0 (x86_64)", "2.0", "hce"), "HCE 2.0"),
        (release("TencentOS Server", "4.0", "4.0", "tencentos"), "Tlinux 4.0"),
        (release("UnionTech OS Server 20", "20", "20", "uos"), "UOS V20"),
        (release("Frobnix", "1.2", "1.2", "frobnix"), "Frobnix 1.2"),
    ],
)
def test_a_system_is_called_as_the_lists_of_the_vendor_call_it(host, files, label):
    assert host(files=files).system.os.value == label


def test_the_name_is_proven_by_the_lines_it_comes_from(host):
    proof = host(files=release("Ubuntu", "22.04.3 LTS", "22.04", "ubuntu")).system.os.evidence

    assert [line.source for line in proof] == ["/etc/os-release"]
    assert 'VERSION="22.04.3 LTS"' in proof[0].text


@pytest.mark.parametrize(
    ("files", "commands", "inside"),
    [
        ({}, {"systemd-detect-virt": "docker\n"}, True),
        ({}, {"systemd-detect-virt": "kvm\n"}, False),
        ({"/.dockerenv": ""}, {}, True),
        ({CGROUP: "0::/\n", "/.dockerenv": ""}, {}, True),
        ({CGROUP: "12:pids:/kubepods/besteffort/pod1\n"}, {}, True),
        ({CGROUP: "0::/init.scope\n"}, {}, False),
    ],
)
def test_a_container_is_told_from_a_host(host, files, commands, inside):
    assert host(files=files, commands=commands).system.in_container.value is inside


@pytest.mark.parametrize("files", [{}, {CGROUP: "0::/\n"}])
def test_where_nothing_tells_it_stays_unknown(host, files):
    assert not host(files=files, absent=["/.dockerenv"]).system.in_container.known


def test_a_container_is_no_virtual_machine(host):
    assert host(commands={"systemd-detect-virt": "docker\n"}).system.in_vm.value is False


def test_a_host_that_names_itself_arm64_is_aarch64(host):
    uname = "Linux n 6.1.0 #1 SMP arm64 arm64 GNU/Linux\n"

    assert host(commands={"uname -a": uname}).system.arch.value == "aarch64"


def test_glibc_comes_from_either_tool(host):
    assert host(commands={"getconf GNU_LIBC_VERSION": "glibc 2.34\n"}).system.glibc.value == "2.34"
    assert host(commands={"ldd --version": "ldd (GNU libc) 2.28\n"}).system.glibc.value == "2.28"


def test_the_processor_gives_a_virtual_machine_away_where_the_tool_is_missing(host):
    guest = host(files={"/proc/cpuinfo": "flags\t: fpu nx hypervisor\n"}, absent=["systemd-detect-virt"])
    metal = host(files={"/proc/cpuinfo": "flags\t: fpu nx\n"}, absent=["systemd-detect-virt"])

    assert guest.system.in_vm.value is True
    assert not metal.system.in_vm.known


def test_the_flag_of_the_processor_says_nothing_of_containers(host):
    guest = host(files={"/proc/cpuinfo": "flags\t: fpu nx hypervisor\n", CGROUP: "0::/\n"})

    assert not guest.system.in_container.known
