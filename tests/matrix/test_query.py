"""What the shipped matrix answers."""

import pytest

from npudoctor.errors import UsageError
from npudoctor.matrix import Grade, Verdict, load_matrix

ANSWERS = """
supported    driver=25.2.0 cann=9.1.0
unsupported  driver=25.2.0 cann=9.2.0
unsupported  driver=25.0.rc1.1 cann=9.1.0 chip=910B3
supported    driver=25.0.rc1.1 cann=9.0.1
supported    driver=25.0.rc1.1 cann=8.5.2
supported    driver=25.5.1 cann=8.5.1
supported    driver=24.1.0.3 cann=8.2.RC1 chip=910B3
unsupported  driver=24.1.0.3 cann=8.5.0 chip=910B3
unsupported  driver=24.1.0.3 cann=8.5.1 chip=910B3
caution      driver=24.1.rc2.2 cann=8.2.RC2 chip=910B3
caution      driver=24.1.rc2 cann=8.1.RC1 chip=910B3
supported    driver=25.0.RC1 cann=8.1.RC1
supported    driver=25.3.RC1 cann=8.3.RC1
supported    driver=25.3.0 cann=8.3.RC1
supported    driver=25.3.rc1 cann=8.3.RC2
supported    driver=25.2.RC1 cann=8.2.RC1
supported    driver=26.1.0 cann=9.1.0
unsupported  driver=26.1.0 cann=9.2.0
supported    driver=26.1.1 cann=9.2.0
unknown      driver=26.3.0 cann=9.1.0
caution      driver=26.2.0 cann=9.2.0
caution      driver=24.1.0 cann=8.0.1
supported    driver=24.1.rc2 cann=8.0.0
caution      driver=26.0.rc1 cann=8.5.0
supported    driver=25.6.RC1 cann=9.1.0 chip=950DT
supported    driver=25.7.RC1 cann=9.0.0 chip=950DT
caution      driver=25.0.rc1.b080 cann=8.1.RC1
caution      driver=25.5.0 cann=9.1.0-beta.3
supported    driver=25.5.1 cann=9.1.0-beta.3
unsupported  driver=25.0.rc1.1 cann=9.1.0-beta.1
supported    driver=23.0.rc2 cann=6.3.RC2 chip=310P3
supported    driver=23.0.0 cann=7.0.0
supported    driver=23.0.3 cann=7.0.0.beta1 chip=910B3
unknown      driver=23.0.rc3 cann=8.3.RC2
unknown      driver=25.5.0 cann=8.0.0
supported    driver=6.3.1 cann=6.3.RC2
unknown      driver=6.3.1 cann=6.3.RC1
unknown      driver=6.3.1 cann=7.0.0
unknown      driver=6.3.1 cann=8.5.0
unsupported  driver=6.0 cann=7.0
unsupported  driver=6.0.0 cann=7.0.RC1
unsupported  driver=6.2 cann=7.0.0
unsupported  driver=6.0 cann=6.3.RC2
unsupported  driver=22.0.4 cann=7.0.0
supported    driver=6.0.0 cann=6.0.1
supported    driver=24.1.rc2 firmware=7.3.0.1.231 chip=910B3
supported    driver=25.5.0 firmware=7.1.0.4.218 chip=310B4
caution      driver=25.5.0 firmware=7.1.0.4.218 chip=910B3
supported    driver=25.5.0 firmware=7.8.0.5.216 chip=910B3
unsupported  driver=24.1.rc3 firmware=6.4.0.4.220 chip=910B4
caution      driver=24.1.0 firmware=7.7.0.1.231 chip=910B3
caution      driver=25.0.rc1.1 firmware=7.5.0.3.220 chip=910B3
caution      driver=25.5.1 firmware=7.8.0.5.216 chip=910B3
unknown      driver=25.9.0 firmware=9.9.0.1.100
supported    cann=8.0.0.beta1 torch_npu=2.4.0.post2
caution      cann=8.0.RC3.alpha001 torch_npu=2.4.0.post2
unsupported  cann=9.0.0-beta.2 torch_npu=2.7.1
supported    cann=9.1.0 torch_npu=2.7.1.post2
unknown      cann=9.0.0 torch_npu=2.7.1
supported    cann=8.0.RC1 torch_npu=2.1.0.post3
supported    cann=8.0.RC1 torch_npu=2.1.0.post4
supported    cann=8.1.RC1 torch_npu=2.1.0.post12
caution      cann=8.2.RC1 torch_npu=2.1.0.post11
supported    cann=8.0.0 torch_npu=2.5.1.dev20250218
unknown      cann=8.0.0 torch_npu=2.5.1.dev20250219
unknown      cann=8.1.RC1 torch_npu=2.5.1+git0123456
supported    torch=2.5.1+cpu torch_npu=2.5.1.post1
unsupported  torch=2.6.0 torch_npu=2.5.1.post1
unsupported  torch=2.7.0 torch_npu=2.7.1.post77
caution      torch=2.7.1 torch_npu=2.7.1.post77
supported    torch=1.5.0 torch_npu=1.5.0.post3
caution      torch=1.8.1 torch_npu=1.5.0.post3
supported    python=3.11.9 torch=2.6.0
unsupported  python=3.12.1 torch=2.6.0
supported    python=3.11 torch=2.1.0
unsupported  python=3.11 torch=2.1.0 cann=8.0.RC2
unsupported  python=3.7.4 torch=1.11.0
supported    python=3.7 torch=1.11.0
supported    python=3.11.14 cann=8.5.0
unsupported  python=3.12 cann=8.2.RC1
supported    python=3.13 cann=9.0.0
unsupported  python=3.14 cann=9.0.0
supported    vllm_ascend=0.11.0 cann=8.3.RC2
unsupported  vllm_ascend=0.11.0 cann=8.2.RC1
unsupported  vllm_ascend=0.11.0 torch_npu=2.7.1
unsupported  vllm_ascend=0.11.0 python=3.12
supported    vllm_ascend=0.11.0 vllm=0.11.0+empty
supported    vllm_ascend=0.10.1rc1 vllm=0.10.1.1
caution      vllm_ascend=0.9.1 cann=8.3.RC1
unsupported  vllm_ascend=0.9.1 cann=8.1.RC1
supported    vllm_ascend=0.18.0 cann=8.5.1 arch=aarch64
caution      vllm_ascend=0.18.0 cann=8.5.1 arch=x86_64
supported    vllm_ascend=0.18.0 cann=9.0.0 arch=x86_64
unsupported  vllm_ascend=0.18.0 cann=8.5.1 chip=310P3
supported    vllm_ascend=0.18.0 torch_npu=2.9.0.post2
supported    vllm_ascend=0.23.0 cann=9.1.0
unsupported  vllm_ascend=0.23.0 cann=9.0.1
unknown      vllm_ascend=0.99.0 cann=9.1.0
unsupported  vllm_ascend=0.13.0 driver=24.1.0
supported    mindie=2.1.RC1 cann=8.2.RC1 driver=24.1.0
supported    mindie=2.1.RC2.B080 cann=8.2.RC2
unsupported  mindie=3.0.0 cann=8.5.0
unknown      mindie=2.1.RC1 cann=8.5.0
unsupported  mindie=2.3.0 driver=23.0.3
caution      mindie=2.1.RC1 glibc=2.35
unsupported  mindie=2.1.RC1 glibc=2.35 torch=2.6.0
supported    mindie=2.1.RC1 glibc=2.35 torch=2.1.0
unsupported  mindie=2.1.RC1 glibc=2.31
supported    mindspore=2.3.0 cann=8.0.RC2
caution      mindspore=2.3.0 cann=8.0.RC1
supported    mindspore=2.6.0 cann=8.1.RC1
caution      mindspore=2.6.0 cann=8.2.RC1
supported    mindspore=2.6.0-rc1 python=3.10
supported    mindspore=2.2.14 cann=7.0.0.beta1
unsupported  mindspore=2.6.0 python=3.12
supported    triton_ascend=3.2.0 cann=8.5.1
unsupported  triton_ascend=3.2.0 cann=9.0.0
unsupported  triton_ascend=3.2.1 chip=310P3
supported    os=Ubuntu~22.04.5~LTS chip=910B3 arch=aarch64
supported    os=Kylin~V10~SP3 chip=910B3
unsupported  os=Ubuntu~22.04 chip=310P3 driver=23.0.1
caution      os=Ubuntu~22.04 chip=310P3 driver=24.1.rc2
supported    os=Ubuntu~22.04 chip=310P3 driver=24.1.0
caution      os=openEuler~22.03 chip=310P3 driver=24.1.rc1
caution      os=openEuler~24.03~SP1 chip=910B3 driver=25.0.rc1.1 arch=aarch64
supported    vllm_ascend=0.7.1 cann=8.0.0
supported    npu_smi=23.0.rc3 driver=23.0.rc2.3
caution      npu_smi=23.0.rc3 driver=25.5.0
supported    driver=25.5.X cann=8.5
supported    driver=25.2.x cann=9.1.X
unsupported  driver=25.0.X cann=9.1.0
supported    driver=25.2.RC1.2 cann=9.0.X
caution      driver=26.1.2 cann=9.1.0
caution      driver=26.0.0 cann=9.1.0
unknown      driver=26.0.RC1 cann=8.0.T6
caution      driver=26.1.2 cann=9.2.0
supported    driver=25.1.RC1 cann=9.1.0
caution      driver=25.6.RC1 cann=9.0.0 chip=950
caution      driver=25.1.RC1 cann=8.5.0
unsupported  driver=25.1.RC1 cann=9.1.0 chip=910B3
unsupported  driver=25.6.RC1 cann=9.0.0 chip=A3
caution      driver=25.5.0 firmware=7.1.0.4.218 chip=910B
unsupported  vllm_ascend=0.11.0 chip=310B4
unsupported  vllm_ascend=0.11.0 chip=Ascend910B
supported    vllm_ascend=v0.11.0 cann=8.3.rc2 chip=ascend910b3
supported    vllm_ascend=0.23.0-rc1 cann=9.0.1
unsupported  vllm_ascend=0.21.0rc1 cann=9.0.0 chip=310p
supported    vllm_ascend=0.21.0rc1 cann=9.1.0-beta.1 chip=310p
unsupported  vllm_ascend=0.21.0rc1 cann=9.1.0-beta.1 chip=910b
unknown      vllm_ascend=0.12.0 cann=8.3.RC2
unsupported  mindie=1.0.0 cann=7.0.0
unsupported  mindie=2.1.RC1 cann=8.1.RC1
unknown      mindie=2.2.RC1 cann=8.3.RC1
unsupported  triton_ascend=3.2.2 cann=8.5.1
caution      python=3.11.9 cann=8.0.0
supported    python=3.11.4 cann=8.0.0
unsupported  python=3.6.9 cann=9.1.0
supported    torch_npu=2.5.1.post1.dev20250619 cann=8.1.RC1
unknown      torch_npu=2.12.0 cann=7.0.0
caution      torch_npu=2.9.0 cann=8.3.RC1
"""


@pytest.mark.parametrize("line", ANSWERS.strip().splitlines())
def test_a_question_has_its_answer(query, line):
    verdict, question = line.split(maxsplit=1)

    assert query(question).verdict == verdict


def test_the_oldest_driver_line_that_a_cann_gave_up_comes_with_what_to_take_instead(query):
    (pair,) = query("driver=25.0.rc1.1 cann=9.1.0 chip=910B3").pairs

    assert pair.fix == ("driver>=25.2", "cann 9.0.X")
    assert pair.grade is Grade.VENDOR
    assert all(source.startswith("https://www.hiascend.com/") for source in pair.sources)


FIXES = """
driver=6.0.0 cann=7.0.0 -> driver>=6.3, driver 23.0.3, driver 23.0.1
driver=6.3.1 cann=8.0.0 -> driver 24.1.0, cann 6.3.RC2
driver=25.5.0 cann=7.0.0 chip=910B3 -> driver 23.0.3, cann 8.5.0
driver=26.0.rc1 cann=8.5.0 -> driver 25.5.X, driver 25.3.X, driver 25.2.X, cann 8.5.2
driver=25.5.0 cann=9.0.0-beta.1 -> driver 25.7.RC1, driver 26.0.RC1, driver 26.1.0, cann 9.0.X
driver=26.1.0 cann=9.2.0 -> driver 26.1.1, driver 26.2.RC1, driver 26.0.RC1, cann 9.1.X
driver=24.1.0.3 cann=8.5.0 chip=910B3 -> driver>=25.0, cann 8.2.RC1
torch_npu=2.1.0 cann=9.1.0 -> torch_npu 2.7.1.post8, cann 7.0.0
torch=2.8.0 torch_npu=2.7.1 -> torch 2.7.1, torch_npu 2.8.0.post4
vllm_ascend=0.11.0 cann=8.5.0 -> cann 8.3.RC2, vllm_ascend 0.13.0
vllm_ascend=0.13.0 driver=24.1.0 -> driver 25.5.X, driver 25.3.X, driver 25.2.X, driver 25.0.X
vllm_ascend=0.18.0 cann=8.5.1 chip=310P3 -> cann>=9.0.0, vllm_ascend 0.19.1rc1
mindie=2.1.RC1 cann=8.1.RC1 -> cann 8.2.RC1
mindie=3.0.0 torch=2.6.0 -> torch 2.9.0, torch 2.1.0
mindie=2.3.0 driver=23.0.3 -> driver>=24.1.RC2
mindspore=2.6.0 cann=8.0.RC3 -> cann 8.1.RC1, mindspore 2.4.0, mindspore 2.4.1
triton_ascend=3.2.0 chip=310P3 -> no triton_ascend
python=3.12 cann=8.0.0 -> python 3.7-3.11.4
"""


@pytest.mark.parametrize("line", FIXES.strip().splitlines())
def test_what_to_take_is_near_to_what_was_asked(query, line):
    question, wanted = line.split(" -> ")

    (pair,) = [pair for pair in query(question).pairs if pair.verdict is not Verdict.SUPPORTED]

    assert ", ".join(pair.fix) == wanted


def test_a_line_of_versions_is_shown_as_it_was_written(query):
    (pair,) = query("driver=25.5.X cann=v9.1.0").pairs

    assert (pair.left.version, pair.right.version) == ("25.5.X", "9.1.0")


def test_the_founding_failure_names_the_call_and_the_error(query):
    pair = query("driver=6.0.0 cann=7.0.0").pair("driver", "cann")

    assert "aclrtSetDevice" in pair.note
    assert "ACL_ERROR_INVALID_PARAM" in pair.note
    assert pair.grade is Grade.FIELD
    assert "driver>=6.3" in pair.fix


def test_a_known_defect_names_the_wheel_to_take(query):
    pair = query("torch_npu=2.7.1 cann=9.0.0-beta.2").pair("cann", "torch_npu")

    assert pair.fix[0] == "torch_npu 2.7.1.post4"
    assert "MsprofSysCycleTime" in pair.note


def test_only_pairs_that_decide_a_start_are_listed_where_no_source_speaks(query):
    result = query("driver=25.9.0 cann=9.9.0 triton_ascend=9.9.9 os=Plan9 chip=910B3")

    assert [(pair.left.component, pair.right.component) for pair in result.pairs] == [("driver", "cann")]
    assert result.verdict is Verdict.UNKNOWN
    assert result.pairs[0].sources == ()


def test_a_full_stack_of_one_release_is_supported_in_every_pair(query):
    result = query(
        "driver=25.5.0 firmware=7.8.0.5.216 cann=8.5.0 torch=2.8.0 torch_npu=2.8.0.post2 python=3.11 "
        "vllm_ascend=0.13.0 vllm=0.13.0 triton_ascend=3.2.0 chip=910B3 arch=aarch64 os=Ubuntu~22.04"
    )

    assert {pair.verdict for pair in result.pairs} == {Verdict.SUPPORTED}
    assert len(result.pairs) >= 13


def test_the_worst_pair_decides(query):
    result = query("driver=25.5.0 cann=8.5.0 torch=2.6.0 torch_npu=2.8.0.post2")

    assert result.pair("driver", "cann").verdict is Verdict.SUPPORTED
    assert result.pair("torch", "torch_npu").verdict is Verdict.UNSUPPORTED
    assert result.verdict is Verdict.UNSUPPORTED


def test_every_answer_but_silence_rests_on_rows_and_sources(query):
    for line in ANSWERS.strip().splitlines():
        for pair in query(line.split(maxsplit=1)[1]).pairs:
            spoken = pair.note.startswith("No source speaks") is False
            assert bool(pair.sources) is spoken, pair
            assert all(load_matrix().row(row) for row in pair.rows)


def test_the_json_is_that_of_the_contract(query):
    content = query("driver=25.0.rc1.1 cann=9.1.0").as_json()

    assert content["verdict"] == "unsupported"
    assert {"left", "right", "verdict", "grade", "sources", "note", "fix"} <= set(content["pairs"][0])
    assert content["pairs"][0]["left"] == {"component": "driver", "version": "25.0.rc1.1"}


@pytest.mark.parametrize("question", ["cuda=12.4", "cann=abc", "chip=H100", "arch=riscv", "driver="])
def test_a_key_or_a_value_that_nobody_knows_is_wrong_usage(query, question):
    with pytest.raises(UsageError):
        query(question)


def test_a_chip_whose_name_two_families_share_leaves_chip_rows_open(query):
    assert query("chip=Ascend910 driver=25.2.1 firmware=7.7.0.9.220").verdict is Verdict.SUPPORTED
