"""Complete sets of versions."""

import pytest

from npudoctor.errors import UsageError
from npudoctor.matrix import Verdict, load_matrix
from npudoctor.matrix.solve import solve


def find(wanted, installed=""):
    read = [dict(word.split("=", 1) for word in text.split()) for text in (wanted, installed)]
    return solve(load_matrix(), *read)


def test_the_set_of_a_release_is_complete_and_supported_in_every_pair():
    best = find("chip=910B3 vllm_ascend=0.13.0")[0]

    assert best.result.verdict is Verdict.SUPPORTED
    assert best.versions == {
        "driver": "25.5.0", "firmware": "7.8.0.5.216", "cann": "8.5.0", "torch": "2.8.0",
        "torch_npu": "2.8.0.post2", "python": "3.11", "vllm": "0.13.0",
        "vllm_ascend": "0.13.0", "triton_ascend": "3.2.0",
    }  # fmt: skip


def test_no_set_holds_a_pair_that_is_unsupported():
    for solution in find("chip=910B3"):
        assert solution.result.verdict is not Verdict.UNSUPPORTED
        assert {"driver", "cann", "torch", "torch_npu", "python"} <= set(solution.versions)


def test_an_installed_driver_that_will_do_stays():
    installed = "driver=25.5.1 firmware=7.8.0.5.216 cann=8.3.RC1 torch=2.8.0 torch_npu=2.8.0 python=3.11.9"

    best = find("chip=910B3 vllm_ascend=0.13.0", installed)[0]

    assert best.versions["driver"] == "25.5.1"
    assert best.versions["python"] == "3.11.9"
    changed = {name for name, _old, _new in best.changes}
    assert {"cann", "torch_npu"} <= changed
    assert not {"driver", "torch", "python"} & changed


def test_an_installed_driver_that_will_not_do_is_changed():
    best = find("chip=910B3 vllm_ascend=0.13.0", "driver=24.1.0.3 firmware=7.5.0.5.220")[0]

    assert ("driver", "24.1.0.3", "25.5.0") in best.changes


def test_an_installed_driver_of_the_old_numbers_is_no_hdk_driver_and_is_changed():
    best = find("vllm_ascend=0.11.0 chip=910B3", "driver=6.0.0 firmware=6.0.0 cann=7.0.0")[0]

    assert ("driver", "6.0.0", "25.3.rc1") in best.changes


def test_an_installed_driver_that_runs_outside_the_pair_stays_and_is_a_caution():
    best = find("vllm_ascend=0.11.0 chip=910B3", "driver=25.5.0 firmware=7.8.0.5.216 cann=8.5.0")[0]

    assert best.versions["driver"] == "25.5.0"
    assert best.result.verdict is Verdict.CAUTION


def test_where_no_engine_has_what_is_wanted_the_set_is_one_of_torch():
    best = find("cann=7.0.0 chip=910B1")[0]

    assert best.versions["driver"] == "23.0.3"
    assert best.versions["torch_npu"] == "2.1.0"
    assert "vllm_ascend" not in best.versions


def test_a_set_with_a_known_firmware_comes_first():
    assert "firmware" in find("vllm_ascend=0.18.0 chip=310P3")[0].versions


def test_the_framework_that_is_installed_is_what_the_sets_are_around():
    best = find("cann=8.5.0 chip=910A", "driver=23.0.7 cann=7.0.0 mindspore=2.2.14 python=3.9.2")[0]

    assert best.versions["mindspore"] == "2.7.2"


def test_what_is_wanted_is_in_every_set():
    for solution in find("driver=25.2.0 torch=2.5.1 chip=910B3"):
        assert solution.versions["driver"] == "25.2.0"
        assert solution.versions["torch"] == "2.5.1"


def test_an_engine_of_the_vendors_is_solved_too():
    best = find("mindie=2.3.0 chip=910B3")[0]

    assert best.versions["cann"] == "8.5.0"
    assert find("mindspore=2.7.2 chip=910B3")[0].versions["cann"] == "8.5.0"


def test_a_release_that_nobody_knows_has_no_set():
    assert find("vllm_ascend=0.99.0") == []


def test_a_wrong_key_is_wrong_usage():
    with pytest.raises(UsageError):
        find("cuda=12")


def test_a_set_that_is_a_stack_bears_its_name():
    best = find("chip=910B3 vllm_ascend=0.13.0")[0]

    assert best.stack == "a2-cann8.5.0-vllm0.13.0"
    assert best.as_json()["stack"] == "a2-cann8.5.0-vllm0.13.0"


def test_a_host_that_is_a_stack_already_changes_nothing():
    installed = (
        "driver=25.5.0 firmware=7.8.0.5.216 cann=8.5.0 torch=2.8.0+cpu torch_npu=2.8.0.post2 python=3.11.13 "
        "vllm=0.13.0 vllm_ascend=0.13.0 triton_ascend=3.2.0 chip=910B3"
    )
    best = find("vllm_ascend=0.13.0", installed)[0]

    assert (best.stack, best.changes) == ("a2-cann8.5.0-vllm0.13.0", ())


def test_a_stack_is_found_where_no_other_set_is():
    best = find("chip=310P3 vllm_ascend=0.23.0")[0]

    assert best.stack == "310p-cann9.1.0-vllm0.23.0"
    assert "triton_ascend" not in best.versions


def test_stacks_of_other_chips_and_architectures_are_left_out():
    names = {one.stack for one in find("chip=910B3 vllm_ascend=0.18.0 arch=x86_64")}

    assert "a2-cann9.0.0-vllm0.18.0" in names
    assert not names & {"a2-cann8.5.1-vllm0.18.0", "a3-cann9.0.0-vllm0.18.0", "310p-cann9.0.0-vllm0.18.0"}


def test_of_an_old_host_the_fewest_changes_come_first():
    found = find(
        "vllm_ascend=0.18.0", "driver=26.0.rc1 firmware=9.0.0.0.205 cann=9.0.0 chip=910B3 python=3.11.9"
    )

    assert found[0].stack == "a2-cann9.0.0-vllm0.18.0"
    assert {name for name, _old, _new in found[0].changes} == {"torch", "torch_npu", "vllm", "vllm_ascend"}
