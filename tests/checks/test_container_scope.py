import json

from npudoctor.checks import container_settings

NPU = {"lspci -nn": "c1:00.0 Processing accelerators [1200]: Huawei Device [19e5:d802] (rev 20)\n"}
NO_NPU = {"lspci -nn": "00:00.0 Host bridge [0600]: Intel Device [8086:09a2]\n", "ls -l /dev": "total 0\n"}
INFO = {"docker info": " Server Version: 24.0.7\n Runtimes: runc\n"}


def test_a_host_without_an_engine_is_not_judged(host, judge):
    assert judge(container_settings.shm, host(commands=NPU, absent=["docker info"])).status == "skip"


def test_a_machine_without_an_npu_is_not_judged(host, judge):
    assert judge(container_settings.shm, host(commands=NO_NPU)).status == "skip"


def test_the_inside_of_a_container_is_not_judged(host, judge):
    inside = {**NPU, "systemd-detect-virt": "docker\n"}

    assert judge(container_settings.shm, host(commands=inside)).status == "skip"


def test_an_engine_without_npu_containers_is_not_judged(host, judge):
    assert (
        judge(container_settings.shm, host(commands={**NPU, **INFO, "docker inspect": "web\n"})).status
        == "skip"
    )


def test_containers_that_nobody_looked_at_are_unknown(host, judge):
    assert judge(container_settings.shm, host(commands={**NPU, **INFO})).status == "unknown"


def test_several_troubles_make_one_finding_with_the_worst_status(host, judge, described):
    nodes = ["/dev/davinci0", "/dev/davinci1"]
    small = json.dumps([described("small", nodes, host={"ShmSize": 64 * 1024**2})])
    some = json.dumps([described("some", nodes, host={"ShmSize": 256 * 1024**2})])

    found = judge(
        container_settings.shm, host(commands={"docker inspect small": small, "docker inspect some": some})
    )

    assert found.status == "fail"
    assert found.actual == "small: 64 MB for several NPUs; some: 256 MB for several NPUs"
    assert [line.source for line in found.evidence] == ["docker inspect small", "docker inspect some"]


def test_a_warning_beside_what_is_not_known_keeps_its_fix():
    from npudoctor.checks.container_scope import Trouble, verdict_of
    from npudoctor.fact import Evidence
    from npudoctor.finding import Action, Fix, Status

    fix = Fix(Action.CONFIGURE, "Set it.")
    gap = Trouble(Status.UNKNOWN, "a", "nobody looked", Evidence("x", "y"))
    small = Trouble(Status.WARN, "b", "too small", Evidence("x", "z"))

    both = verdict_of([gap, small], (), "more", fix)

    assert both.status is Status.UNKNOWN
    assert "b: too small" in both.actual
    assert both.fix is fix
    assert verdict_of([gap], (), "more", fix).fix is None
