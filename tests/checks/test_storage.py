import pytest

from npudoctor.checks import storage, storage_mounts

SHOW = "systemctl show -p Id,LoadState,LimitSTACK,LimitSTACKSoft docker containerd kubelet isulad"
KUBELET = {SHOW: "Id=kubelet.service\nLoadState=loaded\nLimitSTACKSoft=8388608\n"}
LSPCI = {"lspci -nn": "c1:00.0 Processing accelerators [1200]: Huawei Device [19e5:d802] (rev 20)\n"}
DOCKER = {
    "docker info": "Server:\n Server Version: 24.0.7\n Runtimes: runc\n Docker Root Dir: /var/lib/docker\n"
}
LOGS = "du -sk ascend/log"
ROOMY = 600_000_000
TOOLKIT = "/usr/local/Ascend/ascend-toolkit/8.1.RC1/aarch64-linux/ascend_toolkit_install.info"
INSTALLED = {TOOLKIT: "package_name=Ascend-cann-toolkit\nversion=8.1.RC1\narch=aarch64\nos=linux\n"}


def df(total=960_000_000, **free):
    """`df -Pk` with KiB free by mount point: `_` is `/`, `_var_log` is `/var/log`."""
    rows = (
        f"/dev/sd{name} {total} {total - kb} {kb} 1% {name.replace('_', '/')}\n" for name, kb in free.items()
    )
    return {"df -Pk": "Filesystem 1024-blocks Used Available Capacity Mounted on\n" + "".join(rows)}


def mounts(*lines):
    return {"/proc/mounts": "".join(f"{line} 0 0\n" for line in ("/dev/sda2 / ext4 rw,relatime", *lines))}


class TestSpace:
    def test_a_roomy_disk_passes(self, host, judge):
        assert judge(storage.space, host(commands=df(_=ROOMY))).status == "pass"

    @pytest.mark.parametrize(("free", "status"), [(900_000, "warn"), (50_000, "fail"), (0, "fail")])
    def test_a_full_disk_where_logs_live_is_found(self, host, judge, free, status):
        finding = judge(storage.space, host(commands=df(_=ROOMY, _var_log=free)))

        assert finding.status == status
        assert len(finding.evidence) == 1
        assert finding.evidence[0].text.endswith("/var/log")

    def test_the_disk_of_home_counts_wherever_home_is(self, host, judge):
        full = host(commands=df(_=ROOMY, _data=0), environment="HOME=/data/users/li\n")

        assert judge(storage.space, full).status == "fail"

    def test_a_full_disk_of_models_is_nobodys_trouble(self, host, judge):
        assert judge(storage.space, host(commands=df(_=ROOMY, _models=0))).status == "pass"

    def test_a_table_without_the_root_is_unknown(self, host, judge):
        assert judge(storage.space, host(commands=df(_data=ROOMY))).status == "unknown"


class TestInodes:
    HEAD = "Filesystem Inodes IUsed IFree IUse% Mounted on\n"

    @pytest.mark.parametrize(
        ("row", "status"),
        [
            ("/dev/sda2 61022208 1202344 59819864 2% /", "pass"),
            ("/dev/sda2 1000000 980000 20000 98% /", "warn"),
            ("/dev/sda2 1000000 1000000 0 100% /", "fail"),
            ("/dev/sda2 0 0 0 - /", "pass"),
        ],
    )
    def test_the_last_inodes_are_seen(self, host, judge, row, status):
        assert judge(storage.inodes, host(commands={"df -Pi": f"{self.HEAD}{row}\n"})).status == status

    def test_nothing_read_is_unknown(self, host, judge):
        assert judge(storage.inodes, host()).status == "unknown"


class TestInstallSpace:
    def test_10_gb_pass(self, host, judge):
        assert judge(storage.install_space, host(commands=df(_=ROOMY) | LSPCI)).status == "pass"

    def test_less_warns_where_cann_is_installed_already(self, host, judge):
        tight = host(files=INSTALLED, commands=df(_=ROOMY, _usr_local=9_000_000) | LSPCI)

        finding = judge(storage.install_space, tight)

        assert finding.status == "warn"
        assert finding.evidence[0].text.endswith("/usr/local")

    def test_nothing_read_is_unknown(self, host, judge):
        assert judge(storage.install_space, host(commands=LSPCI)).status == "unknown"


class TestContainerSpace:
    def test_without_an_engine_it_does_not_apply(self, host, judge):
        assert judge(storage.container_space, host(commands=df(_=ROOMY))).status == "skip"

    def test_a_disk_over_85_percent_warns(self, host, judge):
        full = df(_=ROOMY, _var_lib_docker=100_000_000)

        finding = judge(storage.container_space, host(commands=full | DOCKER))

        assert finding.status == "warn"
        assert finding.actual == "/var/lib/docker: 90 %"

    def test_it_fails_on_a_node_of_kubernetes(self, host, judge):
        full = df(_=ROOMY, _var_lib_docker=100_000_000)

        assert judge(storage.container_space, host(commands=full | DOCKER | KUBELET)).status == "fail"

    def test_a_node_of_kubernetes_wants_300_gb(self, host, judge):
        small = df(total=200_000_000, _=150_000_000)

        assert judge(storage.container_space, host(commands=small | DOCKER | KUBELET)).status == "warn"
        assert judge(storage.container_space, host(commands=small | DOCKER)).status == "pass"


class TestInstallLocal:
    def test_a_local_disk_passes(self, host, judge):
        assert judge(storage_mounts.install_local, host(files=mounts())).status == "pass"

    def test_a_network_file_system_warns_with_its_line(self, host, judge):
        line = "nas01:/export/ascend /usr/local/Ascend nfs4 rw,vers=4.1"

        finding = judge(storage_mounts.install_local, host(files=mounts(line)))

        assert finding.status == "warn"
        assert finding.evidence[0].text.startswith(line)

    def test_nothing_read_is_unknown(self, host, judge):
        assert judge(storage_mounts.install_local, host()).status == "unknown"


class TestReadOnly:
    def test_writable_disks_pass(self, host, judge):
        assert judge(storage_mounts.read_only, host(files=mounts())).status == "pass"

    def test_a_log_disk_that_went_read_only_fails(self, host, judge):
        finding = judge(storage_mounts.read_only, host(files=mounts("/dev/sdb1 /var/log ext4 ro,relatime")))

        assert finding.status == "fail"
        assert finding.actual == "/var/log"

    def test_a_later_mount_hides_the_earlier_one(self, host, judge):
        again = mounts("/dev/sdb1 /var/log ext4 ro", "/dev/sdb1 /var/log ext4 rw")

        assert judge(storage_mounts.read_only, host(files=again)).status == "pass"

    def test_a_disk_that_only_the_reader_may_not_write_to_passes(self, host, judge):
        seen = {"/proc/mounts": "/dev/sda2 / ext4 ro,relatime 0 0\n"}
        of_init = {"/proc/1/mounts": mounts()["/proc/mounts"]}

        assert judge(storage_mounts.read_only, host(files=seen)).status == "fail"
        assert judge(storage_mounts.read_only, host(files=seen | of_init)).status == "pass"

    def test_a_container_may_mount_read_only(self, host, judge):
        inside = host(files=mounts("/dev/sdb1 /root ext4 ro"), commands={"systemd-detect-virt": "docker\n"})

        assert judge(storage_mounts.read_only, inside).status == "skip"


class TestLogFolders:
    @pytest.mark.parametrize(("size", "status"), [(1000, "pass"), (700_000_000, "warn")])
    def test_logs_larger_than_what_is_left_warn(self, host, judge, size, status):
        commands = df(_=ROOMY) | {LOGS: f"{size}\t/root/ascend/log\n"}

        assert judge(storage.log_folders, host(commands=commands)).status == status

    def test_no_folder_is_skipped(self, host, judge):
        assert judge(storage.log_folders, host(commands=df(_=ROOMY) | {LOGS: ""})).status == "skip"


class TestBoot:
    def test_a_boot_that_is_no_file_system_of_its_own_is_skipped(self, host, judge):
        assert judge(storage.boot, host(commands=df(_=ROOMY))).status == "skip"

    @pytest.mark.parametrize(
        ("total", "free", "status"), [(1_000_000, 700_000, "pass"), (1_000_000, 9_000, "warn")]
    )
    def test_it_wants_500_mb_and_some_of_it_free(self, host, judge, total, free, status):
        assert judge(storage.boot, host(commands=df(total=total, _=500_000, _boot=free))).status == status

    def test_nothing_read_is_unknown(self, host, judge):
        assert judge(storage.boot, host()).status == "unknown"
