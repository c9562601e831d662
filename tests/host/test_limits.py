def test_limits_of_the_shell_are_numbers_and_unlimited_is_minus_one(host):
    limits = host(
        commands={"ulimit -s": "8192\n", "ulimit -l": "unlimited\n", "ulimit -u": "2060000\n"}
    ).limits

    assert (limits.stack_kb.value, limits.locked_memory_kb.value, limits.processes.value) == (
        8192,
        -1,
        2060000,
    )


def test_a_limit_that_systemd_could_not_have_written_is_passed_over(host):
    unit = "[Service]\nLimitSTACK=plenty\n"

    assert not host(files={"/etc/systemd/system/serve.service": unit}).limits.services.known


def test_units_keep_their_own_line_as_evidence(host):
    unit = "[Service]\nLimitSTACK=16M:infinity\n"

    services = host(files={"/etc/systemd/system/serve.service": unit}).limits.services.value

    assert [(one.unit, one.stack_kb, one.evidence.text) for one in services] == [
        ("serve", 16384, "LimitSTACK=16M:infinity")
    ]
