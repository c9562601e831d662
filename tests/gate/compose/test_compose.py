"""Compose files, with everything that Compose itself would put in."""

from time import process_time

import pytest

from npudoctor.gate.unit import Kind, Unreadable

HEAD = "services:\n  llm:\n    image: quay.io/ascend/vllm-ascend:v0.13.0\n"


@pytest.fixture
def service(units):
    """The service `llm` of a repository, of the file that comes last."""

    def read(files):
        return [one for one in units(files) if one.kind is Kind.SERVICE and one.name == "llm"][-1]

    return read


def test_variables_come_from_the_file_beside_it_else_they_have_defaults(service):
    text = (
        "services:\n  llm:\n    image: quay.io/ascend/${NAME:-cann}:${TAG-8.5.0}\n"
        '    shm_size: "${SIZE:-1g}"\n    command: echo $$HOME ${MISSING}\n'
    )
    unit = service({"compose.yaml": text, ".env": "TAG=9.0.0\n"})
    assert (unit.image.text, unit.image.where.line) == ("quay.io/ascend/cann:9.0.0", 3)
    assert [(part.path, part.line) for part in unit.image.parts] == [(".env", 1)]
    assert unit.shm.text == "1g"
    assert unit.commands[0].words == ("echo", "$HOME", "${MISSING}")
    assert unit.commands[0].unresolved == ("MISSING",)


@pytest.mark.parametrize(
    "written",
    [
        "environment: {A: 1, HCCL_X: on}",
        "environment:\n      - A=1\n      - HCCL_X=on",
        "env_file: [a.env]",
        "env_file: [{path: a.env}]",
    ],
)
def test_variables_are_the_same_in_every_form(service, written):
    unit = service({"compose.yml": f"{HEAD}    {written}\n", "a.env": "A=1\nHCCL_X=on\n"})
    assert {name: one.text for name, one in unit.environment.items()} == {"A": "1", "HCCL_X": "on"}


def test_anchors_and_merges_are_followed(service):
    text = (
        "x-npu: &npu\n  devices: [/dev/davinci0, /dev/davinci_manager]\n  environment: &env {A: 1, B: 2}\n"
        "services:\n  llm:\n    <<: *npu\n    image: ascend/x\n    environment:\n      <<: *env\n      B: 3\n"
    )
    unit = service({"compose.yml": text})
    assert [(one.text, one.where.line) for one in unit.devices] == [
        ("/dev/davinci0", 2),
        ("/dev/davinci_manager", 2),
    ]
    assert {name: one.text for name, one in unit.environment.items()} == {"A": "1", "B": "3"}


def test_a_service_has_what_it_extends(service):
    base = "services:\n  base:\n    devices: [/dev/davinci0]\n    privileged: true\n"
    text = f"{HEAD}    extends: {{file: base.yml, service: base}}\n    devices: [/dev/davinci1]\n"
    unit = service({"compose.yml": text, "base.yml": base})
    assert [one.text for one in unit.devices] == ["/dev/davinci0", "/dev/davinci1"]
    assert unit.is_privileged
    assert unit.devices[0].where.path == "base.yml"


def test_what_it_extends_and_nobody_has_stays_open(service):
    assert service({"compose.yml": f"{HEAD}    extends: {{file: gone.yml, service: base}}\n"}).open
    assert service({"compose.yml": f"{HEAD}    env_file: gone.env\n"}).open


def test_the_override_beside_it_counts(service):
    override = "services:\n  llm:\n    shm_size: 8g\n    devices: [/dev/davinci0]\n"
    files = {"compose.yaml": HEAD + "    shm_size: 1g\n", "compose.override.yaml": override}
    unit = next(one for one in [service(files)])
    assert (unit.image.text, unit.shm.text) == ("quay.io/ascend/vllm-ascend:v0.13.0", "8g")


def test_a_file_of_parts_leaves_the_base_open_and_is_judged_with_it(units):
    part = "services:\n  llm:\n    devices: [/dev/davinci0]\n"
    found = units({"compose.yaml": HEAD, "compose.npu.yaml": part})
    base, whole = sorted((one for one in found if one.kind is Kind.SERVICE), key=lambda one: len(one.devices))
    assert base.open
    assert whole.image.text == "quay.io/ascend/vllm-ascend:v0.13.0"


def test_a_build_names_its_dockerfile_and_arguments(service):
    text = (
        "services:\n  llm:\n    build:\n      context: ./docker\n      dockerfile: Dockerfile.npu\n"
        "      target: final\n      args:\n        - CANN=${CANN:-8.5.0}\n        - ascend\n"
    )
    build = service({"deploy/compose.yml": text}).build
    assert (build.context, build.dockerfile, build.target) == (
        "deploy/docker",
        "deploy/docker/Dockerfile.npu",
        "final",
    )
    assert build.arguments["CANN"].text == "8.5.0"
    assert not build.arguments["ascend"].known


def test_devices_and_volumes_in_their_long_forms(service):
    unit = service(
        {
            "compose.yml": f"""{HEAD}    devices:
      - {{source: /dev/davinci0, target: /dev/davinci0, permissions: rw}}
      - huawei.com/npu=0
    volumes:
      - {{type: bind, source: /usr/local/Ascend/driver, target: /usr/local/Ascend/driver}}
      - {{type: tmpfs, target: /dev/shm, tmpfs: {{size: 1g}}}}
      - data:/data
    tmpfs: /run:size=1m
"""
        }
    )
    assert [one.text for one in unit.devices] == ["/dev/davinci0:/dev/davinci0:rw"]
    assert [one.text for one in unit.cdi] == ["huawei.com/npu=0"]
    assert [(one.source, one.target, one.memory, one.size) for one in unit.mounts] == [
        ("/usr/local/Ascend/driver", "/usr/local/Ascend/driver", False, ""),
        ("", "/dev/shm", True, "1g"),
        ("", "/data", False, ""),
        ("", "/run", True, "1m"),
    ]


def test_a_cgroup_rule_makes_mounted_nodes_devices(service):
    unit = service(
        {
            "compose.yml": f"{HEAD}    volumes: ['/dev/davinci0:/dev/davinci0']\n"
            "    device_cgroup_rules: ['c 236:* rmw']\n"
        }
    )
    assert [one.text for one in unit.devices] == ["/dev/davinci0"]


def test_a_command_of_one_text_or_several_lines_is_split(service):
    text = (
        f'{HEAD}    entrypoint: ["bash", "-c"]\n    command:\n      - |\n'
        '        export A=1\n        vllm serve "/my model"\n'
    )
    unit = service({"compose.yml": text})
    assert unit.commands[-1].words == ("vllm", "serve", "/my model")
    assert unit.commands[-1].where.line == 8


@pytest.mark.parametrize(
    "text",
    [
        "services:\n  - a\n# ascend",
        "services: {llm: ~} # ascend",
        "services:\n# ascend",
        "services: 3 # ascend",
    ],
)
def test_odd_files_have_no_services(units, text):
    assert not [one for one in units({"compose.yml": text}) if one.kind is Kind.SERVICE]


def test_broken_yaml_is_told_with_its_line(units):
    with pytest.raises(Unreadable) as error:
        units({"compose.yml": "services:\n  llm:\n\timage: ascend\n"})
    assert error.value.line == 3


def test_many_services_take_no_longer_each(units):
    text = "services:\n" + "".join(f"  s{i}: {{image: ascend/x}}\n" for i in range(3000))
    started = process_time()
    assert len(units({"compose.yml": text})) == 3000
    assert process_time() - started < 5
