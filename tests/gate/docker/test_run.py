"""`docker run` lines of scripts, in the forms that people write them."""

import pytest

from npudoctor.gate.unit import Kind

IMAGE = "quay.io/ascend/vllm-ascend:v0.13.0"


@pytest.fixture
def run(only):
    """The container of a script's one run line."""
    return lambda script, **files: only({"run.sh": f"{script}\n# ascend\n", **files}, Kind.RUN)


def nodes(unit):
    return [(one.text, one.where.line) for one in unit.devices]


@pytest.mark.parametrize(
    "line",
    [
        "docker run --device=/dev/davinci0 {image} vllm serve /m",
        "docker run --device /dev/davinci0 {image} vllm serve /m",
        "sudo -E docker run -itd --device /dev/davinci0 {image} vllm serve /m",
        "docker container run -dit --name=x --device /dev/davinci0 {image} vllm serve /m",
        "podman run --rm -p8000:8000 --device /dev/davinci0 {image} vllm serve /m",
        "nerdctl -n k8s.io run -e A=1 -v/a:/b --device /dev/davinci0 {image} vllm serve /m",
        "docker -H tcp://h:1 run -u root --net host --device /dev/davinci0 {image} vllm serve /m",
        "ID=$(docker run -d --device /dev/davinci0 {image} vllm serve /m)",
        "nohup docker run --device /dev/davinci0 {image} vllm serve /m > log 2>&1 &",
        "bash -c 'docker run --device /dev/davinci0 {image} vllm serve /m'",
        'eval "docker run --device /dev/davinci0 {image} vllm serve /m"',
    ],
)
def test_the_forms_of_a_run_line_say_the_same(run, line):
    unit = run(line.format(image=IMAGE))
    assert unit.image.text == IMAGE
    assert [one.text for one in unit.devices] == ["/dev/davinci0"]
    assert unit.commands[0].words == ("vllm", "serve", "/m")
    assert not unit.open


def test_each_setting_has_the_line_that_sets_it(run):
    unit = run(
        f"NODES=(\n  --device=/dev/davinci0\n  --device=/dev/davinci_manager\n)\nIMAGE={IMAGE}\n"
        'docker run "${NODES[@]}" \\\n  --shm-size=8g \\\n  -v /usr/local/Ascend:/usr/local/Ascend \\\n'
        '  "$IMAGE"\n'
    )
    assert nodes(unit) == [("/dev/davinci0", 2), ("/dev/davinci_manager", 3)]
    assert (unit.where.line, unit.shm.where.line, unit.mounts[0].where.line) == (6, 7, 8)
    assert (unit.image.text, unit.image.where.line) == (IMAGE, 5)


def test_nodes_of_loops_and_braces_are_there(run):
    unit = run(
        'for i in {0..3}; do NODES+=" --device /dev/davinci$i"; done\n'
        f"docker run $NODES --device=/dev/davinci{{4,5}} {IMAGE}\n"
    )
    assert [text for text, _line in nodes(unit)] == [f"/dev/davinci{i}" for i in range(6)]


@pytest.mark.parametrize(
    "script",
    [
        "docker run $OPTS --name x {image} sleep 1",
        "docker run ${{@}} --rm {image} sleep 1",
        "docker run --rm $NODES $IMAGE sleep 1",
        "docker run --volumes-from other {image} sleep 1",
        "docker run --env-file elsewhere.env {image} sleep 1",
        'docker run "${{OPTS[@]}}" {image} sleep 1',
    ],
)
def test_options_that_are_not_known_leave_the_container_open(run, script):
    assert run(script.format(image=IMAGE)).open


@pytest.mark.parametrize("name", ["IMAGE", "IMG", "DOCKER_IMAGE", "image_tag"])
def test_an_open_image_is_no_list_of_options(run, name):
    unit = run(f"docker run --rm ${name} --model /m\n# ascend")
    assert unit.image.unresolved == (name,)
    assert not unit.open
    assert unit.commands[0].words == ("--model", "/m")


def test_variables_come_from_options_files_and_the_shell(run):
    unit = run(
        f"export C=3\ndocker run --env-file box.env -e A=1 --env B -e C {IMAGE}",
        **{"box.env": 'D="4"\n# no\nHCCL_BUFFSIZE=512\n'},
    )
    values = {name: one.text for name, one in unit.environment.items() if one.known}
    assert values == {"A": "1", "C": "3", "D": '"4"', "HCCL_BUFFSIZE": "512"}
    assert unit.environment["B"].unresolved == ("B",)


def test_mounts_in_all_their_forms(run):
    unit = run(
        f"docker run -v /a:/b:ro --volume name:/c --mount type=bind,source=/d,target=/e "
        f"--mount type=tmpfs,dst=/dev/shm,tmpfs-size=1g --tmpfs /f:size=2g -v $HOME/x:/g {IMAGE}"
    )
    assert [(one.source, one.target, one.memory, one.size) for one in unit.mounts[:2]] == [
        ("/a", "/b", False, ""), ("", "/c", False, ""),
    ]  # fmt: skip
    assert {(one.source, one.target, one.memory, one.size) for one in unit.mounts[2:]} == {
        ("${HOME}/x", "/g", False, ""), ("/d", "/e", False, ""),
        ("", "/dev/shm", True, "1g"), ("", "/f", True, "2g"),
    }  # fmt: skip


def test_flags_count_with_their_values(run):
    unit = run(f"docker run --privileged --ipc=host --runtime=ascend --cap-drop ALL -u 1000 {IMAGE}")
    assert unit.is_privileged
    assert (unit.ipc.text, unit.runtime.text, unit.user.text) == ("host", "ascend", "1000")
    assert [one.text for one in unit.capabilities_dropped] == ["ALL"]
    assert not run(f"docker run --privileged=false {IMAGE}").is_privileged


def test_what_a_shell_in_the_container_runs_is_seen_too(run):
    unit = run(f"docker run {IMAGE} bash -c 'export A=1; atc --soc_version=Ascend310P3 --model=x.onnx'")
    assert unit.commands[0].words[:2] == ("bash", "-c")
    assert unit.commands[-1].words[0] == "atc"
    assert unit.commands[-1].environment["A"].text == "1"


def test_devices_by_name_are_apart_from_nodes(run):
    unit = run(
        f"docker run --device huawei.com/npu=0 --device /dev/davinci_manager:/dev/davinci_manager:rwm {IMAGE}"
    )
    assert [one.text for one in unit.cdi] == ["huawei.com/npu=0"]
    assert len(unit.devices) == 1


@pytest.mark.parametrize(
    "line", ["docker exec x npu-smi info", "docker build .", "echo docker run x", "docker"]
)
def test_other_commands_start_no_container(units, line):
    assert not [one for one in units({"run.sh": f"{line}\n# ascend"}) if one.kind is Kind.RUN]
