"""`atc` command lines: the chip, the options, the shapes."""

import pytest

from npudoctor.finding import Status
from npudoctor.gate.atc import soc_version


@pytest.fixture
def told(found):
    """What is said of the `atc` lines of a script: check, status, line."""

    def judge(script, **files):
        rows = found({"om.sh": f"{script}\n# ascend\n", **files})
        return [
            (id.removeprefix("cann.atc_"), status, line)
            for id, status, _path, line in rows
            if "cann.atc" in id
        ]

    return judge


GOOD = "atc --framework=5 --model=m.onnx --output=m --soc_version=Ascend310P3"


@pytest.mark.parametrize(
    "line",
    [
        GOOD,
        "/usr/local/Ascend/latest/bin/atc --framework 5 --model m.onnx --soc_version Ascend910B3",
        f"{GOOD} --input_shape='x:1,3,224,224;y:1'",
        f"{GOOD} --input_shape='x:-1,3,224,224' --dynamic_batch_size=1,2,4",
        f"{GOOD} --input_shape='x:1,3,-1,-1' --dynamic_image_size='224,224;448,448'",
        f"{GOOD} --input_format=ND --input_shape='x:-1,-1' --dynamic_dims='1,8;2,16'",
        f"{GOOD} --precision_mode_v2=mixed_float16",
        f"{GOOD} --op_select_implmode=high_precision --optypelist_for_implmode=Gelu",
        "atc --framework=0 --model=n.prototxt --weight=n.caffemodel --soc_version=Ascend310",
        "atc --mode=1 --om=m.om --json=m.json",
        "atc --help",
        "echo atc --soc_version=Nonsense",
        "# atc --soc_version=Nonsense",
    ],
)
def test_right_lines_are_left_alone(told, line):
    assert told(f"{line}\n") == []


@pytest.mark.parametrize(
    "line",
    [
        GOOD.replace("310P3", "310P"),
        GOOD.replace("310P3", "310p3"),
        GOOD.replace("310P3", "310B"),
        GOOD.replace("310P3", "910C"),
        GOOD.replace("Ascend310P3", "Ascend"),
        GOOD.replace("Ascend310P3", "310P3"),
        GOOD.replace("310P3", "{$chip_name}"),
        GOOD.replace(" --soc_version=Ascend310P3", ""),
    ],
)
def test_a_chip_that_there_is_not_fails(told, line):
    assert told(f"#!/bin/sh\n{line}\n") == [("soc_version", Status.FAIL, 2)]


@pytest.mark.parametrize(
    "chip", ["Ascend${chip_name}", "$1", "Ascend950DT_9582", "Ascend910_9579", "KirinX90"]
)
def test_a_chip_that_is_not_known_is_unknown(told, chip):
    assert told(GOOD.replace("Ascend310P3", chip)) == [("soc_version", Status.UNKNOWN, 1)]


def test_options_that_come_from_elsewhere_may_name_the_chip(told):
    assert told("atc --framework=5 --model=m.onnx $EXTRA\n") == []


@pytest.mark.parametrize(("cann", "status"), [("8.3.rc2", Status.WARN), ("8.5.0", Status.FAIL)])
def test_a_chip_other_than_the_images_fails_where_the_image_has_its_operators_alone(told, cann, status):
    docker = f"FROM quay.io/ascend/cann:{cann}-910b-ubuntu22.04-py3.11\nRUN {GOOD}\n"
    assert told("# ascend", Dockerfile=docker) == [("soc_version", status, 2)]


@pytest.mark.parametrize(
    "options",
    [
        "--precision_mode=fp16",
        "--precision_mode_v2=force_fp16",
        "--precision_mode=force_fp16 --precision_mode_v2=fp16",
        "--op_select_implmode=fast",
        "--op_select_implmode=high_precision_for_all --optypelist_for_implmode=Gelu",
        "--input_format=NCWH",
        "--input_shape='x:1,3,224,224' --dynamic_batch_size=1,2",
        "--input_shape='x:-1,3,-1,224' --dynamic_batch_size=1,2",
        "--input_shape='x:-1,3' --dynamic_batch_size=4",
        "--input_shape='x:-1,-1' --dynamic_dims='1;2'",
        "--input_shape='x:-1,-1' --dynamic_dims='1,2;2,4' --dynamic_batch_size=1,2",
        "--input_shape='x:0,3'",
    ],
)
def test_options_that_atc_refuses_fail(told, options):
    assert told(f"{GOOD} {options}\n") == [("options", Status.FAIL, 1)]


@pytest.mark.parametrize(
    "line",
    ["--framework=3 --model=m.onnx", "--framework=2 --model=m.onnx", "--framework=0 --model=m.prototxt"],
)
def test_the_framework_is_that_of_the_model(told, line):
    assert told(f"atc {line} --soc_version=Ascend310P3") == [("options", Status.FAIL, 1)]


def test_a_shape_of_any_size_is_a_warning_and_fails_where_the_chip_cannot(told):
    line = f"{GOOD} --input_shape='x:-1,3,224,224'"
    assert told(line) == [("options", Status.WARN, 1)]
    assert told(line.replace("Ascend310P3", "Ascend310")) == [("options", Status.FAIL, 1)]


def test_a_loop_repeats_a_finding_once_a_value(told):
    assert len(told(f"for i in 1 2 3; do {GOOD.replace('P3', 'P')}; done")) == 1


@pytest.mark.parametrize(
    ("name", "verdict", "first"),
    [
        ("Ascend310P3", "known", ""),
        ("ascend910b1", "spelling", "Ascend910B1"),
        ("Ascend310P", "unknown", "Ascend310P1"),
    ],
)
def test_the_names_that_may_be_meant_are_told(name, verdict, first):
    found, names = soc_version(name)
    assert (found, names[:1]) == (verdict, [first] if first else [])
