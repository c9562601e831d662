"""What `pip install` lines and lists of requirements install."""

import pytest

from npudoctor.gate.files import File, Repository
from npudoctor.gate.pip import install_of, read_list, requirement
from npudoctor.gate.unit import Command, Where

HERE = Where("run.sh", 1, "the line")


def installed(line):
    return install_of(Command(tuple(line.split()), HERE))


@pytest.mark.parametrize(
    "line",
    ["pip install torch==2.8.0", "pip3 install -U torch==2.8.0", "python3.11 -m pip install torch==2.8.0",
     "uv pip install --system torch==2.8.0", "pip --no-cache-dir install -i https://x/simple torch==2.8.0",
     "sudo -E pip install torch==2.8.0", "VLLM_TARGET_DEVICE=empty pip install torch==2.8.0"],
)  # fmt: skip
def test_every_way_to_call_pip_is_known(line):
    assert [text for text, _where in installed(line).words] == ["torch==2.8.0"]


@pytest.mark.parametrize(
    "line", ["pip list", "conda install torch", "echo pip install torch", "python -m build"]
)
def test_other_commands_install_nothing(line):
    assert installed(line) is None


def test_lists_constraints_and_indexes_are_told_apart():
    one = installed(
        "pip install -r a.txt --requirement=b.txt -cc.txt --extra-index-url https://x/simple torch"
    )
    assert [path for path, _where in one.files] == ["a.txt", "b.txt"]
    assert one.constraints == ("c.txt",)
    assert one.indexes == ("https://x/simple",)


@pytest.mark.parametrize(
    ("text", "name", "specifier"),
    [("torch_npu==2.8.0.post2", "torch-npu", "==2.8.0.post2"), ("vllm[audio] >= 0.9", "vllm", ">=0.9"),
     ("torch-npu==2.6.0 ; platform_machine == 'aarch64'", "torch-npu", "==2.6.0"),
     ("./torch_npu-2.5.1.post1-cp311-cp311-linux_aarch64.whl", "torch-npu", "==2.5.1.post1")],
)  # fmt: skip
def test_a_requirement_has_a_name_and_a_specifier(text, name, specifier):
    one = requirement(text.removeprefix("./") if "whl" in text else text, HERE)
    assert (one.name, one.specifier) == (name, specifier)


@pytest.mark.parametrize("text", [".", "./local", "git+https://x/y.git", "torch; sys_platform == 'win32'"])
def test_what_has_no_version_or_is_for_other_hosts_is_left_out(text):
    assert requirement(text, HERE) is None


def test_a_list_reads_the_lists_that_it_names(tmp_path):
    (tmp_path / "base.txt").write_text("transformers==4.50\n")
    index = "--extra-index-url https://x/simple\n"
    text = f"# npu\n-r base.txt\n-r missing.txt\n{index}torch==2.8.0 \\\n  --hash=sha256:1\n"
    (tmp_path / "npu.txt").write_text(text)
    repository = Repository(str(tmp_path))
    listed = read_list(repository.at(str(tmp_path / "npu.txt")), repository)
    assert [(one.name, one.where.line) for one in listed.requirements] == [("transformers", 1), ("torch", 5)]
    assert (listed.indexes, listed.missing) == (("https://x/simple",), ("missing.txt",))


def test_lists_that_name_each_other_end(tmp_path):
    for name, other in (("a.txt", "b.txt"), ("b.txt", "a.txt")):
        (tmp_path / name).write_text(f"-r {other}\n")
    repository = Repository(str(tmp_path))
    assert read_list(File(str(tmp_path / "a.txt"), "-r b.txt\n"), repository).requirements == ()
