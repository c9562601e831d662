"""Which Pythons there are, and what is installed in each."""

from __future__ import annotations

from npudoctor.collect.snapshot import Entry, Snapshot
from npudoctor.host import Host

TWO = """# /usr/bin/python3 3.10.12
numpy==1.26.4
# /opt/venv/bin/python3 3.11.9
torch==2.7.1+cpu
torch-npu==2.7.1.post1
torch_npu==2.7.1
"""


def test_packages_have_normalised_names(host):
    _system, venv = host(packages=TWO).python.interpreters.value

    assert venv.packages["torch_npu"] == "2.7.1"
    assert venv.package("torch").evidence[0].text == "torch==2.7.1+cpu"


def test_two_installations_of_one_project_are_both_known(host):
    _system, venv = host(packages=TWO).python.interpreters.value

    assert venv.spellings["torch_npu"] == ("torch-npu", "torch_npu")
    assert venv.versions["torch_npu"] == ("2.7.1.post1", "2.7.1")


def test_a_package_that_is_not_listed_is_absent(host):
    assert host(packages=TWO).python.interpreters.value[0].package("torch").absent


def test_the_first_interpreter_is_the_current_one(host):
    assert host(packages=TWO).python.current.value.path == "/usr/bin/python3"


def test_an_active_virtual_environment_is_the_current_one(host):
    active = host(packages=TWO, environment="VIRTUAL_ENV=/opt/venv\n")

    assert active.python.current.value.path == "/opt/venv/bin/python3"


def test_nobody_looked_is_unknown_and_no_python_is_empty(host):
    assert not host().python.interpreters.known


def test_a_machine_that_was_searched_in_vain_has_no_python(host):
    assert host(packages="# none\n").python.interpreters.value == ()


def test_an_empty_list_may_have_lost_everything(host):
    assert not host(packages="\n").python.interpreters.known


def test_a_saved_pip_list_counts_where_nothing_better_is_there(host):
    saved = host(commands={"pip list": "Package Version\n------- -------\ntorch-npu 2.5.1\n"})

    assert saved.python.having("torch_npu")[0].packages == {"torch_npu": "2.5.1"}


def test_a_saved_collect_env_report_counts_too(host):
    saved = host(
        commands={"python collect_env.py": "Python version: 3.11.9 (main)\n[pip3] torch==2.9.0+cpu\n"}
    )

    (python,) = saved.python.interpreters.value

    assert (python.version, python.packages["torch"]) == ("3.11.9", "2.9.0+cpu")


def test_a_damaged_list_is_unknown(host):
    assert not host(packages="torch==2.7.1\n").python.interpreters.known


def test_a_list_that_was_cut_off_proves_nothing_missing():
    entry = Entry("python-packages", "python-packages", TWO.encode(), state="cut-off")

    pythons = Host(Snapshot("node1", "bundle", {entry.path: entry})).python

    assert not pythons.interpreters.known
