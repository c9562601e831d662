import pytest

from npudoctor.checks import kernel

RUNNING = "5.10.0-182.0.0.95.oe2203sp3.aarch64"
NEXT = "5.10.0-216.0.0.115.oe2203sp4.aarch64"
UNAME = f"Linux node7 {RUNNING} #1 SMP Sat Dec 30 13:31:10 CST 2023 aarch64 aarch64 aarch64 GNU/Linux\n"
HEADERS = "ls -d /lib/modules/*/build/Makefile"
UBUNTU = {"/etc/os-release": 'NAME="Ubuntu"\nID=ubuntu\nVERSION_ID="22.04"\n'}
LSPCI = {"lspci -nn": "c1:00.0 Processing accelerators [1200]: Huawei Device [19e5:d802] (rev 20)\n"}


def makefile(*releases):
    return "".join(f"/lib/modules/{release}/build/Makefile\n" for release in releases)


class TestHeaders:
    def test_headers_of_the_running_kernel_pass(self, host, judge):
        commands = {"uname -a": UNAME, HEADERS: makefile(RUNNING)}

        assert judge(kernel.headers, host(commands=commands)).status == "pass"

    def test_headers_of_another_build_warn_and_name_the_package(self, host, judge):
        commands = {"uname -a": UNAME, HEADERS: makefile(NEXT)}

        finding = judge(kernel.headers, host(commands=commands))

        assert finding.status == "warn"
        assert (finding.actual, finding.expected) == (NEXT, RUNNING)
        assert finding.fix.commands == (
            f"sudo dnf install -y kernel-devel-{RUNNING} kernel-headers-{RUNNING}",
        )

    def test_ubuntu_gets_its_own_command(self, host, judge):
        uname = "Linux n 5.15.0-119-generic #129-Ubuntu SMP aarch64 aarch64 aarch64 GNU/Linux\n"

        finding = judge(kernel.headers, host(files=UBUNTU, commands={"uname -a": uname, HEADERS: ""}))

        assert finding.fix.commands == ("sudo apt-get install -y linux-headers-5.15.0-119-generic",)

    def test_folders_of_usr_src_stand_in_where_the_links_were_not_read(self, host, judge):
        uname = "Linux n 6.8.0-41-generic #41 SMP x86_64 GNU/Linux\n"
        commands = {
            "uname -a": uname,
            "ls /usr/src": "linux-headers-6.8.0-41\nlinux-headers-6.8.0-41-generic\n",
        }

        assert judge(kernel.headers, host(commands=commands)).status == "pass"

    @pytest.mark.parametrize("commands", [{}, {"uname -a": UNAME}, {HEADERS: makefile(RUNNING)}])
    def test_half_of_the_answer_is_unknown(self, host, judge, commands):
        assert judge(kernel.headers, host(commands=commands)).status == "unknown"

    def test_it_does_not_apply_inside_a_container(self, host, judge):
        commands = {"uname -a": UNAME, HEADERS: "", "systemd-detect-virt": "podman\n"}

        assert judge(kernel.headers, host(commands=commands)).status == "skip"


class TestDkms:
    def status(self, *kernels, state="installed"):
        return "".join(f"davinci_ascend/1.0, {release}, aarch64: {state}\n" for release in kernels)

    def test_built_for_the_running_kernel_passes(self, host, judge):
        commands = {"uname -a": UNAME, "dkms status": self.status(RUNNING)}

        assert judge(kernel.dkms, host(commands=commands)).status == "pass"

    @pytest.mark.parametrize(
        "printed",
        [
            f"davinci_ascend/1.0, {NEXT}, aarch64: installed\n",
            "davinci_ascend/1.0: added\n",
            f"davinci_ascend/1.0, {RUNNING}, aarch64: built\n",
        ],
    )
    def test_anything_else_fails_and_shows_the_line(self, host, judge, printed):
        finding = judge(kernel.dkms, host(commands={"uname -a": UNAME, "dkms status": printed}))

        assert finding.status == "fail"
        assert printed.strip() in finding.evidence[0].text
        assert finding.fix.commands[0] == f"sudo dkms install davinci_ascend/1.0 -k {RUNNING}"

    def test_other_modules_under_dkms_do_not_count(self, host, judge):
        commands = {"uname -a": UNAME, "dkms status": f"zfs/2.1.5, {RUNNING}, aarch64: installed\n"}

        assert judge(kernel.dkms, host(commands=commands)).status == "skip"

    def test_without_dkms_it_does_not_apply(self, host, judge):
        assert judge(kernel.dkms, host(commands={"uname -a": UNAME}, absent=["dkms status"])).status == "skip"

    def test_dkms_that_nobody_asked_is_unknown(self, host, judge):
        assert judge(kernel.dkms, host(commands={"uname -a": UNAME})).status == "unknown"


class TestUpgradePending:
    def commands(self, *installed, **more):
        return {"uname -a": UNAME, "ls /lib/modules": "\n".join(installed) + "\n", **more}

    def test_the_running_kernel_as_the_newest_passes(self, host, judge):
        older = "5.10.0-60.18.0.50.oe2203.aarch64"

        finding = judge(kernel.upgrade_pending, host(commands=self.commands(RUNNING, older)))

        assert finding.status == "pass"

    def test_a_newer_one_on_disk_warns_and_names_both(self, host, judge):
        finding = judge(kernel.upgrade_pending, host(commands=self.commands(RUNNING, NEXT)))

        assert finding.status == "warn"
        assert NEXT in finding.actual
        assert RUNNING in finding.actual
        assert finding.action == "reboot"

    def test_it_fails_where_dkms_has_not_built_the_driver_for_it(self, host, judge):
        built = f"davinci_ascend/1.0, {RUNNING}, aarch64: installed\n"
        commands = self.commands(RUNNING, NEXT) | {"dkms status": built, HEADERS: makefile(RUNNING)}

        finding = judge(kernel.upgrade_pending, host(commands=commands))

        assert finding.status == "fail"
        assert f"kernel-devel-{NEXT}" in finding.fix.commands[0]

    def test_another_flavour_is_no_upgrade(self, host, judge):
        uname = "Linux n 5.15.0-119-generic #1 SMP x86_64 GNU/Linux\n"
        commands = {"uname -a": uname, "ls /lib/modules": "5.15.0-119-generic\n5.19.0-1010-nvidia\n"}

        assert judge(kernel.upgrade_pending, host(commands=commands)).status == "pass"

    def test_a_folder_that_nobody_listed_is_unknown(self, host, judge):
        assert judge(kernel.upgrade_pending, host(commands={"uname -a": UNAME})).status == "unknown"


class TestVersion:
    @pytest.mark.parametrize(
        ("release", "status"),
        [
            ("5.10.0-60.aarch64", "pass"),
            ("6.6.0-72", "pass"),
            ("4.19.90-25", "warn"),
            ("5.4.0-26-generic", "warn"),
        ],
    )
    def test_older_than_5_10_is_a_warning_never_a_failure(self, host, judge, release, status):
        assert judge(kernel.version, host(commands={"uname -r": release + "\n"})).status == status

    def test_the_number_in_proc_will_do(self, host, judge):
        assert judge(kernel.version, host(files={"/proc/sys/kernel/osrelease": "5.10.1\n"})).status == "pass"

    def test_no_release_is_unknown(self, host, judge):
        assert judge(kernel.version, host()).status == "unknown"


class TestPageSize:
    def test_4_kb_passes_on_any_chip(self, host, judge):
        assert judge(kernel.page_size, host(commands={"getconf PAGESIZE": "4096\n"})).status == "pass"

    def test_64_kb_on_a_910b_warns_without_the_variable(self, host, judge):
        large = host(commands=LSPCI | {"getconf PAGESIZE": "65536\n"}, environment="PATH=/usr/bin\n")

        finding = judge(kernel.page_size, large)

        assert finding.status == "warn"
        assert finding.fix.commands == ("export HCCL_RDMA_PCIE_DIRECT_POST_NOSTRICT=TRUE",)

    def test_the_variable_makes_64_kb_pass(self, host, judge):
        variables = "HCCL_RDMA_PCIE_DIRECT_POST_NOSTRICT=TRUE\n"
        large = host(commands=LSPCI | {"getconf PAGESIZE": "65536\n"}, environment=variables)

        assert judge(kernel.page_size, large).status == "pass"

    def test_no_page_size_is_unknown(self, host, judge):
        assert judge(kernel.page_size, host()).status == "unknown"
