DF = """Filesystem     1024-blocks      Used Available Capacity Mounted on
/dev/sda2        960303848 221340032 690109312      25% /
/dev/sdb1        480303848 100000000 380303848      21% /var/lib/docker
/dev/sdc1           950000    200000    750000      22% /var/library
"""


def test_a_path_lies_on_the_nearest_mount_above_it(host):
    storage = host(commands={"df -Pk": DF}).storage

    assert storage.space_at("/var/lib/docker/overlay2").value.device == "/dev/sdb1"
    assert storage.space_at("/var/lib").value.device == "/dev/sda2"
    assert storage.space_at("/var/lib/docker").evidence[0].text.endswith("/var/lib/docker")


def test_a_name_that_only_begins_alike_is_another_folder(host):
    assert host(commands={"df -Pk": DF}).storage.space_at("/var/library2").value.mount == "/"


def test_free_space_can_be_asked_for_by_mount(host):
    assert host(commands={"df -Pk": DF}).storage.free_kb.value["/var/library"] == 750000


def test_without_a_row_above_the_path_it_is_unknown(host):
    only_docker = "\n".join(line for line in DF.splitlines() if not line.endswith(" /")) + "\n"

    assert not host(commands={"df -Pk": only_docker}).storage.space_at("/usr/local/Ascend").known
