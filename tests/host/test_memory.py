def test_a_value_is_proven_by_its_own_line(host):
    table = "MemTotal:       527982592 kB\nMemAvailable:   480112344 kB\n"

    memory = host(files={"/proc/meminfo": table}).memory

    assert memory.total_kb.value == 527982592
    assert memory.available_kb.evidence[0].text == "MemAvailable:   480112344 kB"


def test_a_line_that_is_not_there_is_unknown_not_zero(host):
    assert not host(files={"/proc/meminfo": "MemTotal: 1000 kB\n"}).memory.swap_total_kb.known


def test_a_control_group_without_limit_is_minus_one(host):
    old = "/sys/fs/cgroup/memory/memory.limit_in_bytes"

    assert host(files={"/sys/fs/cgroup/memory.max": "max\n"}).memory.group_limit_kb.value == -1
    assert host(files={old: "9223372036854771712\n"}).memory.group_limit_kb.value == -1
    assert host(files={old: "68719476736\n"}).memory.group_limit_kb.value == 67108864
