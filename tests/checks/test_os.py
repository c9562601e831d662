import pytest

from npudoctor.checks import os, os_services
from npudoctor.matrix import load_matrix

UNAME = "Linux n 5.10.0 #1 SMP {0} {0} {0} GNU/Linux\n"

AUTO = "/etc/apt/apt.conf.d/20auto-upgrades"
RULES = "/etc/apt/apt.conf.d/50unattended-upgrades"
DNF = "/etc/dnf/automatic.conf"
TOOLKIT = "/usr/local/Ascend/ascend-toolkit/8.1.RC1/{0}-linux/ascend_toolkit_install.info"
TABLE = """\
+------------------------------------------------------------------------------------------------+
| npu-smi 25.0.rc1                 Version: 25.0.rc1                                             |
+---------------------------+---------------+----------------------------------------------------+
| NPU   Name                | Health        | Power(W)    Temp(C)           Hugepages-Usage(page)|
| Chip                      | Bus-Id        | AICore(%)   Memory-Usage(MB)  HBM-Usage(MB)        |
+===========================+===============+====================================================+
| 0     910B3               | OK            | 92.8        38                0    / 0             |
| 0                         | 0000:C1:00.0  | 0           0    / 0          3161 / 65536         |
+===========================+===============+====================================================+
"""
FAILED = "systemctl --failed --plain --no-legend"


def release(name, version_id):
    return {"/etc/os-release": f'NAME="{name}"\nVERSION_ID="{version_id}"\nID={name.lower()}\n'}


@pytest.fixture(scope="module")
def matrix():
    return load_matrix()


class TestSupported:
    def commands(self, table):
        return {"uname -a": UNAME.format("aarch64"), "npu-smi info": table}

    def test_a_listed_system_passes_whatever_its_point_release(self, host, judge, matrix):
        listed = host(files=release("Ubuntu", "22.04"), commands=self.commands(TABLE))

        finding = judge(os.supported, listed, matrix)

        assert finding.status == "pass"
        assert "Atlas 800T A2" in finding.expected

    def test_a_system_that_no_list_names_is_unknown_not_wrong(self, host, judge, matrix):
        other = host(files=release("Debian", "12"), commands=self.commands(TABLE))

        finding = judge(os.supported, other, matrix)

        assert finding.status == "unknown"
        assert "Debian 12" in finding.actual

    def test_a_driver_from_before_the_system_was_taken_fails(self, host, judge, matrix):
        early = TABLE.replace("25.0.rc1", "24.1.rc1").replace("910B3", "310P3")

        finding = judge(
            os.supported, host(files=release("Ubuntu", "22.04"), commands=self.commands(early)), matrix
        )

        assert finding.status == "fail"
        assert "24.1.rc2" in finding.expected

    def test_a_driver_with_an_odd_number_does_not_hide_the_answer(self, host, judge, matrix):
        odd = TABLE.replace("25.0.rc1", "fresh-xx")

        finding = judge(
            os.supported, host(files=release("Ubuntu", "22.04"), commands=self.commands(odd)), matrix
        )

        assert finding.status == "pass"

    @pytest.mark.parametrize("files", [{}, {"/etc/os-release": "VERSION_ID=1\n"}])
    def test_a_system_that_nobody_read_is_unknown(self, host, judge, matrix, files):
        finding = judge(os.supported, host(files=files, commands=self.commands(TABLE)), matrix)

        assert finding.status == "unknown"


class TestArchitecture:
    @pytest.mark.parametrize("name", ["aarch64", "x86_64"])
    def test_the_two_architectures_pass(self, host, judge, name):
        assert judge(os.architecture, host(commands={"uname -a": UNAME.format(name)})).status == "pass"

    def test_any_other_fails(self, host, judge):
        finding = judge(os.architecture, host(commands={"uname -a": UNAME.format("riscv64")}))

        assert finding.status == "fail"
        assert finding.actual == "riscv64"

    def test_a_cann_for_the_other_one_fails(self, host, judge):
        install = "package_name=Ascend-cann-toolkit\nversion=8.1.RC1\narch=x86_64\nos=linux\n"
        mixed = host(
            files={TOOLKIT.format("x86_64"): install}, commands={"uname -a": UNAME.format("aarch64")}
        )

        finding = judge(os.architecture, mixed)

        assert finding.status == "fail"
        assert "x86_64" in finding.actual

    def test_an_architecture_that_nobody_read_is_unknown(self, host, judge):
        assert judge(os.architecture, host()).status == "unknown"


class TestVirtualMachine:
    def test_firmware_inside_a_virtual_machine_warns(self, host, judge):
        guest = host(
            commands={"systemd-detect-virt": "kvm\n"},
            files={"/usr/local/Ascend/firmware/version.info": "Version=7.5.0.3.220\n"},
        )

        finding = judge(os.virtual_machine, guest)

        assert (finding.status, finding.actual) == ("warn", "kvm, with a firmware package")

    @pytest.mark.parametrize(("printed", "status"), [("none", "pass"), ("kvm", "pass"), ("docker", "skip")])
    def test_a_virtual_machine_by_itself_is_no_fault(self, host, judge, printed, status):
        finding = judge(os.virtual_machine, host(commands={"systemd-detect-virt": printed + "\n"}))

        assert finding.status == status

    def test_without_the_tool_it_is_unknown(self, host, judge):
        assert judge(os.virtual_machine, host(absent=["systemd-detect-virt"])).status == "unknown"


class TestTimeSync:
    SAYS = "System clock synchronized: {}\n"

    def test_a_synchronised_clock_passes(self, host, judge):
        assert (
            judge(os_services.time_sync, host(commands={"timedatectl": self.SAYS.format("yes")})).status
            == "pass"
        )

    def test_a_clock_on_its_own_warns(self, host, judge):
        assert (
            judge(os_services.time_sync, host(commands={"timedatectl": self.SAYS.format("no")})).status
            == "warn"
        )

    def test_one_service_that_follows_a_server_is_enough(self, host, judge):
        commands = {"timedatectl": self.SAYS.format("no"), "chronyc tracking": "Leap status     : Normal\n"}

        assert judge(os_services.time_sync, host(commands=commands)).status == "pass"

    def test_nobody_to_ask_is_unknown(self, host, judge):
        assert (
            judge(os_services.time_sync, host(absent=["timedatectl", "chronyc tracking"])).status == "unknown"
        )


class TestSelinux:
    @pytest.mark.parametrize(
        ("mode", "status"), [("Enforcing", "warn"), ("Permissive", "pass"), ("Disabled", "pass")]
    )
    def test_only_enforcing_warns(self, host, judge, mode, status):
        assert judge(os_services.selinux, host(commands={"getenforce": mode + "\n"})).status == status

    def test_a_system_without_it_is_skipped(self, host, judge):
        bare = host(absent=["getenforce", "/etc/selinux/config"])

        assert judge(os_services.selinux, bare).status == "skip"

    def test_the_file_stands_in_for_the_tool(self, host, judge):
        finding = judge(os_services.selinux, host(files={"/etc/selinux/config": "SELINUX=enforcing\n"}))

        assert finding.status == "warn"

    def test_nothing_read_is_unknown(self, host, judge):
        assert judge(os_services.selinux, host()).status == "unknown"


ON = {AUTO: 'APT::Periodic::Unattended-Upgrade "1";\n'}


class TestKernelUpdates:
    def test_unattended_upgrades_warn_with_the_line_that_switches_them_on(self, host, judge):
        finding = judge(os_services.kernel_updates, host(files=ON))

        assert finding.status == "warn"
        assert finding.evidence[0].text == 'APT::Periodic::Unattended-Upgrade "1";'

    def test_a_held_kernel_passes(self, host, judge):
        held = host(files=ON, commands={"apt-mark showhold": "linux-image-5.15.0-119-generic\n"})

        assert judge(os_services.kernel_updates, held).status == "pass"

    def test_a_kernel_on_the_list_of_exceptions_passes(self, host, judge):
        rules = 'Unattended-Upgrade::Package-Blacklist {\n  // "vim";\n  "linux-";\n};\n'

        assert judge(os_services.kernel_updates, host(files=ON | {RULES: rules})).status == "pass"

    def test_an_exception_in_a_comment_holds_nothing(self, host, judge):
        rules = 'Unattended-Upgrade::Package-Blacklist {\n//  "linux-";\n};\n'

        assert judge(os_services.kernel_updates, host(files=ON | {RULES: rules})).status == "warn"

    @pytest.mark.parametrize(("value", "status"), [("yes", "warn"), ("no", "pass")])
    def test_dnf_automatic_that_applies_updates_warns(self, host, judge, value, status):
        files = {DNF: f"[commands]\napply_updates = {value}\n"}

        assert judge(os_services.kernel_updates, host(files=files, absent=[AUTO])).status == status

    def test_a_system_with_neither_passes(self, host, judge):
        assert judge(os_services.kernel_updates, host(absent=[AUTO, DNF])).status == "pass"

    def test_nothing_read_is_unknown(self, host, judge):
        assert judge(os_services.kernel_updates, host()).status == "unknown"


class TestGlibc:
    @pytest.mark.parametrize(
        ("version", "status"), [("2.35", "pass"), ("2.28", "pass"), ("2.17", "warn"), ("2.12", "fail")]
    )
    def test_floors_of_wheels_and_of_nnal(self, host, judge, version, status):
        finding = judge(os.glibc, host(commands={"getconf GNU_LIBC_VERSION": f"glibc {version}\n"}))

        assert finding.status == status

    def test_another_c_library_or_none_read_is_unknown(self, host, judge):
        assert judge(os.glibc, host()).status == "unknown"


class TestFailedUnits:
    def test_a_failed_engine_warns_and_others_are_left_out(self, host, judge):
        printed = "docker.service loaded failed failed Docker\nfwupd-refresh.service loaded failed failed x\n"

        finding = judge(os_services.failed_units, host(commands={FAILED: printed}))

        assert finding.status == "warn"
        assert finding.actual == "docker.service"

    @pytest.mark.parametrize("printed", ["", "fwupd-refresh.service loaded failed failed Refresh\n"])
    def test_nothing_that_matters_passes(self, host, judge, printed):
        assert judge(os_services.failed_units, host(commands={FAILED: printed})).status == "pass"

    def test_nothing_read_is_unknown(self, host, judge):
        assert judge(os_services.failed_units, host()).status == "unknown"
