"""Dockerfiles: scopes of build arguments, stages, what is copied, what is installed in the end."""

import pytest

from npudoctor.gate.files import Repository
from npudoctor.gate.readers.dockerfile import built
from npudoctor.gate.unit import Build, Setting, Where

HERE = Where("compose.yaml", 3, "args")
BASE = "FROM quay.io/ascend/cann:8.5.0-910b-ubuntu22.04-py3.11"


@pytest.fixture
def stages(tmp_path):
    def read(text, target="", **given):
        (tmp_path / "Dockerfile").write_text(text)
        repository = Repository(str(tmp_path))
        arguments = {name: Setting(value, HERE) for name, value in given.items()}
        build = Build(str(tmp_path), "", HERE, arguments, target)
        return list(built(repository.at(str(tmp_path / "Dockerfile")), repository, build))

    return read


def packages(unit):
    return {one.name: one.specifier for one in unit.requirements}


def test_an_argument_before_from_is_for_from_lines_alone(stages):
    (unit,) = stages(f"ARG V=2.8.0\n{BASE}\nENV A=$V\n")
    assert unit.environment["A"].unresolved == ("V",)


def test_declared_again_it_keeps_its_value_and_a_variable_hides_it(stages):
    (unit,) = stages(f"ARG V=2.8.0\n{BASE}\nARG V\nENV A=$V\nENV V=2.9.0\nRUN pip install torch==$V\n")
    assert unit.environment["A"].text == "2.8.0"
    assert packages(unit) == {"torch": "==2.9.0"}


def test_what_the_build_gives_wins(stages):
    (unit,) = stages(f"{BASE}\nARG V=2.8.0\nRUN pip install torch==$V\n", V="2.9.0")
    assert packages(unit) == {"torch": "==2.9.0"}


def test_a_stage_on_a_stage_has_all_of_it(stages):
    (unit,) = stages(
        f"{BASE} AS base\nENV A=1\nRUN pip install torch==2.8.0\nFROM base\nRUN pip install numpy<2\n"
    )
    assert unit.image.text.startswith("quay.io/ascend/cann:8.5.0")
    assert unit.environment["A"].text == "1"
    assert "torch" in packages(unit)


def test_the_target_is_the_result(stages):
    text = f"{BASE} AS one\nRUN pip install torch==2.8.0\n{BASE} AS two\nRUN pip install torch==2.9.0\n"
    (unit,) = stages(text, target="one")
    assert packages(unit) == {"torch": "==2.8.0"}
    assert len(stages(text)) == 2


def test_a_copied_list_is_found_by_its_path_inside(stages, tmp_path):
    (tmp_path / "req").mkdir()
    (tmp_path / "req" / "npu.txt").write_text("torch-npu==2.8.0\n")
    (unit,) = stages(f"{BASE}\nWORKDIR /app\nCOPY req ./lists\nRUN pip install -r lists/npu.txt\n")
    assert packages(unit) == {"torch-npu": "==2.8.0"}
    (unit,) = stages(
        f"{BASE}\nRUN --mount=type=bind,source=req/npu.txt,target=/t.txt pip install -r /t.txt\n"
    )
    assert packages(unit) == {"torch-npu": "==2.8.0"}


def test_a_list_that_nothing_copied_is_not_taken_from_the_repository(stages, tmp_path):
    (tmp_path / "npu.txt").write_text("torch-npu==2.8.0\n")
    (unit,) = stages(f"{BASE}\nRUN git clone https://x/y && pip install -r npu.txt\n")
    assert packages(unit) == {}


def test_words_of_a_long_line_keep_their_own_lines(stages):
    (unit,) = stages(f"{BASE}\nRUN pip install \\\n    # why\n    torch==2.8.0 \\\n    torch-npu==2.8.0\n")
    assert [(one.name, one.where.line) for one in unit.requirements] == [("torch", 4), ("torch-npu", 5)]
