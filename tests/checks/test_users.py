import pytest

from npudoctor.checks import users

INSTALL = "/etc/ascend_install.info"
RECORD = "UserName=HwHiAiUser\nUserGroup=HwHiAiUser\nDriver_Install_Path_Param=/usr/local/Ascend\n"
FOR_ALL = RECORD + "Driver_Install_For_All=yes\n"
PASSWD = "root:x:0:0:root:/root:/bin/bash\nHwHiAiUser:x:1000:1000::/home/HwHiAiUser:/bin/bash\n"
GROUP = "root:x:0:\nHwHiAiUser:x:1000:\n"
GOOD = {INSTALL: RECORD, "/etc/passwd": PASSWD, "/etc/group": GROUP}
NPU = {"lspci -nn": "c1:00.0 Processing accelerators [1200]: Huawei Device [19e5:d802] (rev 20)\n"}
INSIDE = {"systemd-detect-virt": "docker\n"}
ASCEND_ENGINE = {"docker info": " Server Version: 24.0.7\n Runtimes: ascend runc\n"}
FOLDERS = "ls -ld /usr/local/Ascend /var/log/npu /dev/shm /tmp /var/log /var/lib/docker"


class TestRunUser:
    def test_user_and_group_pass(self, host, judge):
        assert judge(users.run_user, host(files=GOOD)).status == "pass"

    def test_a_user_that_is_missing_fails_with_the_command_that_makes_it(self, host, judge):
        found = judge(users.run_user, host(files={**GOOD, "/etc/passwd": "root:x:0:0::/root:/bin/bash\n"}))

        assert found.status == "fail"
        assert found.actual == "HwHiAiUser does not exist"
        assert "useradd -g HwHiAiUser" in found.fix.commands[1]

    def test_a_user_outside_its_group_fails(self, host, judge):
        other = PASSWD.replace("1000:1000", "1000:100")

        assert judge(users.run_user, host(files={**GOOD, "/etc/passwd": other})).status == "fail"
        member = {**GOOD, "/etc/passwd": other, "/etc/group": "HwHiAiUser:x:1000:HwHiAiUser\n"}
        assert judge(users.run_user, host(files=member)).status == "pass"

    def test_the_pair_that_the_installer_was_told_counts(self, host, judge):
        files = {**GOOD, INSTALL: RECORD.replace("HwHiAiUser", "npu")}

        assert judge(users.run_user, host(files=files)).actual == "npu does not exist"

    def test_no_driver_and_a_container_have_no_such_user(self, host, judge):
        nothing = host(absent=[INSTALL, "/usr/local/Ascend/driver/version.info"])

        assert judge(users.run_user, nothing).status == "skip"
        assert judge(users.run_user, host(files=GOOD, commands=INSIDE)).status == "skip"

    def test_files_that_nobody_read_are_unknown(self, host, judge):
        assert judge(users.run_user, host(files={INSTALL: RECORD})).status == "unknown"


class TestRunUserIds:
    def test_1000_passes(self, host, judge):
        assert judge(users.run_user_ids, host(files=GOOD, commands=ASCEND_ENGINE)).status == "pass"

    def test_other_ids_warn_where_the_ascend_runtime_is(self, host, judge):
        rows = {"/etc/passwd": PASSWD.replace("1000", "1001"), "/etc/group": GROUP.replace("1000", "1001")}
        files = {INSTALL: RECORD, **rows}

        found = judge(users.run_user_ids, host(files=files, commands=ASCEND_ENGINE))

        assert (found.status, found.actual, found.expected) == ("warn", "1001:1001", "1000:1000")

    def test_without_that_runtime_any_ids_do(self, host, judge):
        plain = {"docker info": " Server Version: 24.0.7\n Runtimes: runc\n"}

        assert judge(users.run_user_ids, host(files=GOOD, commands=plain)).status == "skip"
        assert judge(users.run_user_ids, host(files=GOOD, absent=["docker info"])).status == "skip"

    def test_an_engine_that_nobody_asked_is_unknown(self, host, judge):
        assert judge(users.run_user_ids, host(files=GOOD)).status == "unknown"


class TestDriverAccess:
    @pytest.mark.parametrize(
        ("identity", "record", "status"),
        [
            ("uid=0(root) gid=0(root) groups=0(root)", RECORD, "pass"),
            ("uid=1001(trainer) gid=1001(trainer) groups=1001(trainer),1000(HwHiAiUser)", RECORD, "pass"),
            ("uid=1001(trainer) gid=1001(trainer) groups=1001(trainer)", FOR_ALL, "pass"),
            ("uid=1001(trainer) gid=1001(trainer) groups=1001(trainer)", RECORD, "fail"),
        ],
    )
    def test_root_the_group_or_a_driver_for_all(self, host, judge, identity, record, status):
        found = judge(users.driver_access, host(files={**GOOD, INSTALL: record}, commands={"id": identity}))

        assert found.status == status

    def test_the_fix_joins_the_group(self, host, judge):
        stranger = {"id": "uid=1001(trainer) gid=1001(trainer) groups=1001(trainer)"}

        found = judge(users.driver_access, host(files=GOOD, commands=stranger))

        assert found.fix.commands == ("usermod -aG HwHiAiUser trainer",)


class TestInstallOwner:
    @pytest.mark.parametrize(
        ("row", "status"),
        [
            ("drwxr-xr-x 6 root root 4096 Mar  3 09:12 /usr/local/Ascend", "pass"),
            ("drwxr-xr-x 6 0 0 4096 Mar  3 09:12 /usr/local/Ascend", "pass"),
            ("drwxrwxrwx 6 root root 4096 Mar  3 09:12 /usr/local/Ascend", "warn"),
            ("drwxr-xr-x 6 trainer root 4096 Mar  3 09:12 /usr/local/Ascend", "warn"),
            ("ls: cannot access '/usr/local/Ascend': No such file or directory", "skip"),
        ],
    )
    def test_root_owns_it_and_only_root_writes(self, host, judge, row, status):
        assert judge(users.install_owner, host(commands={**NPU, FOLDERS: row + "\n"})).status == status

    def test_a_folder_that_nobody_listed_is_unknown(self, host, judge):
        assert judge(users.install_owner, host(commands=NPU)).status == "unknown"


class TestPamSu:
    @pytest.mark.parametrize(
        ("text", "status"),
        [
            ("auth       sufficient pam_rootok.so\nauth include common-auth\n", "pass"),
            ("# auth sufficient pam_rootok.so\nauth include common-auth\n", "warn"),
            ("auth include common-auth\n", "warn"),
        ],
    )
    def test_root_needs_the_line(self, host, judge, text, status):
        assert judge(users.pam_su, host(files={"/etc/pam.d/su": text}, commands=NPU)).status == status


class TestRunUserHome:
    HOME = "ls -ld /home/HwHiAiUser"

    def test_a_home_and_a_shell_pass(self, host, judge):
        row = "drwx------ 2 HwHiAiUser HwHiAiUser 4096 Mar  3 09:12 /home/HwHiAiUser\n"

        assert judge(users.run_user_home, host(files=GOOD, commands={self.HOME: row})).status == "pass"

    def test_a_home_that_is_missing_warns(self, host, judge):
        row = "ls: cannot access '/home/HwHiAiUser': No such file or directory\n"

        assert judge(users.run_user_home, host(files=GOOD, commands={self.HOME: row})).status == "warn"

    def test_a_user_who_cannot_log_in_warns(self, host, judge):
        closed = {
            **GOOD,
            "/etc/passwd": PASSWD.replace("HwHiAiUser:/bin/bash", "HwHiAiUser:/usr/sbin/nologin"),
        }

        assert judge(users.run_user_home, host(files=closed)).status == "warn"

    def test_a_home_that_nobody_looked_at_is_unknown(self, host, judge):
        assert judge(users.run_user_home, host(files=GOOD)).status == "unknown"
