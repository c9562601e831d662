"""Makefiles and jobs of CI: the `docker run` lines in them, with the variables of the file."""

import pytest

from npudoctor.gate.readers.recipes import script_of_makefile
from npudoctor.gate.unit import Kind

IMAGE = "quay.io/ascend/vllm-ascend:v0.13.0"
MAKEFILE = f"""\
IMAGE ?= {IMAGE}
FLAGS := --rm --shm-size=8g \\
  --device=/dev/davinci0
FLAGS += --device=/dev/davinci_manager   # comment
SHA := $(shell git rev-parse HEAD)

.PHONY: serve
serve: build
\t@docker run $(FLAGS) -v $$HOME:/root \\
\t  -e SHA=$(SHA) $(IMAGE) vllm serve /m
"""


def test_a_recipe_has_the_variables_of_its_makefile(only):
    unit = only({"Makefile": MAKEFILE}, Kind.RUN)
    assert unit.image.text == IMAGE
    assert [one.text for one in unit.devices] == ["/dev/davinci0", "/dev/davinci_manager"]
    assert unit.where.line == 9
    assert unit.where.text.startswith("\t@docker run")
    assert not unit.environment["SHA"].known
    assert unit.commands[0].words == ("vllm", "serve", "/m")


def test_each_line_of_a_makefile_stays_where_it_is():
    assert len(script_of_makefile(MAKEFILE).split("\n")) == len(MAKEFILE.split("\n"))


@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        (
            ".gitlab-ci.yml",
            f"variables: {{IMG: '{IMAGE}'}}\ntest:\n  script:\n    - export N=0\n"
            "    - docker run --device=/dev/davinci$N $IMG pytest\n",
            5,
        ),
        (
            ".github/workflows/npu.yml",
            f"env: {{IMG: '{IMAGE}'}}\njobs:\n  test:\n    steps:\n    - uses: actions/checkout@v4\n"
            "    - run: |\n        N=0\n        docker run --device=/dev/davinci$N \\\n"
            "          -e REF=${{ github.ref }} $IMG pytest\n",
            8,
        ),
        (
            "ci/azure-pipelines.yml",
            f"steps:\n- bash: docker run --device /dev/davinci0 {IMAGE} pytest\n",
            2,
        ),
    ],
)
def test_a_script_of_a_job_has_the_variables_of_its_file(only, path, text, line):
    unit = only({path: text}, Kind.RUN)
    assert unit.image.text == IMAGE
    assert [one.text for one in unit.devices] == ["/dev/davinci0"]
    assert unit.where.line == line
    assert "docker run" in unit.where.text


def test_a_variable_that_jobs_set_differently_is_open(only):
    text = (
        "a: {variables: {IMG: one}, script: [make]}\n"
        "b:\n  variables: {IMG: two}\n  script: ['docker run --device /dev/davinci0 $IMG']\n"
    )
    assert only({".gitlab-ci.yml": text}, Kind.RUN).image.unresolved == ("IMG",)


@pytest.mark.parametrize("path", ["deploy/run.yml", "workflows.yml", "notes.mk.txt"])
def test_other_files_are_not_taken_for_jobs(units, path):
    text = f"run: docker run --device /dev/davinci0 {IMAGE}\n"
    assert [one for one in units({path: text}) if one.kind is Kind.RUN] == []
