"""Which wheels a stack's Python environment is made of, and which of them a folder lacks."""

import pytest

from npudoctor.provision.components import component
from npudoctor.provision.packages.environment import cann_needs
from npudoctor.provision.packages.find import State, find
from npudoctor.provision.packages.place import Folder
from npudoctor.provision.packages.shelf import PlaceShelf
from npudoctor.provision.plan.shelf import Condition
from tests.lab.wheels import NEEDS, write_wheel, write_wheelhouse

ARCH = "aarch64"


@pytest.fixture
def house(tmp_path, stack):
    """A folder with all that is needed and nothing else."""
    folder = tmp_path / "wheels"
    write_wheelhouse(stack.versions["torch"], stack.versions["torch_npu"], folder)
    for file in folder.glob("torch*"):
        file.unlink()
    write_wheel("torch", stack.versions["torch"], folder, ARCH, needs=("numpy",))
    write_wheel("torch_npu", stack.versions["torch_npu"], folder, ARCH)
    return folder


@pytest.fixture
def wheels(house, stack, memory):
    """`wheels()`: by project, what is found."""

    def look():
        found = find(Folder(house), stack, ARCH, ("python_env",), memory)
        return {one.name.partition("-")[0]: one for one in found}

    return look


def test_torch_and_all_that_cann_imports_are_needed_with_digests(wheels):
    found = wheels()
    assert found.keys() == {"torch", "torch_npu", *NEEDS}
    assert {one.state for one in found.values()} == {State.FOUND}
    assert all(len(one.sha256) == 64 for one in found.values())


def test_the_list_is_that_of_the_role():
    assert {name.replace("-", "_") for name in cann_needs()} == {*NEEDS}


def test_what_a_wheel_requires_is_needed_too_and_what_requires_it_is_told(house, wheels):
    write_wheel("requests", "2.33.0", house, needs=("urllib3<3,>=1.26", "idna>2"))
    write_wheel("urllib3", "2.2.0", house, needs=("h2; extra == 'h2'",))
    found = wheels()
    assert found["urllib3"].state is State.FOUND
    assert (found["idna"].state, found["idna"].name) == (State.MISSING, "idna-*.whl")
    assert found["idna"].why == "requests needs idna>2"
    assert "h2" not in found


def test_what_is_for_other_hosts_alone_is_not_needed(house, wheels):
    marks = ("sys_platform == 'win32'", "python_version < '3.9'", "platform_machine == 'x86_64'")
    needs = tuple(f"other; {mark}" for mark in marks)
    write_wheel("scipy", "1.15.0", house, needs=needs)
    assert "other" not in wheels()
    write_wheel("scipy", "1.16.0", house, needs=("other; platform_machine == 'aarch64'",))
    assert wheels()["other"].state is State.MISSING


def test_of_each_project_the_newest_wheel_is_taken_that_all_allow(house, wheels):
    for version in ("1.27.0", "2.1.0"):
        write_wheel("numpy", version, house)
    assert wheels()["numpy"].need.version == "2.1.0"
    write_wheel("scipy", "1.15.0", house, needs=("numpy<2.0",))
    assert wheels()["numpy"].need.version == "1.27.0"
    write_wheel("sympy", "1.14.0", house, needs=("numpy>=3",))
    assert wheels()["numpy"].state is State.MISSING
    assert "scipy needs numpy<2.0" in wheels()["numpy"].why


def test_wheels_that_require_each_other_come_to_an_end(house, wheels):
    write_wheel("sympy", "1.14.0", house, needs=("mpmath",))
    write_wheel("mpmath", "1.3.0", house, needs=("sympy",))
    assert wheels()["mpmath"].state is State.FOUND


def test_a_plan_finds_them_on_its_shelf(house, stack):
    (house / "numpy-1.26.4-py3-none-any.whl").unlink()
    shelf = PlaceShelf(Folder(house))
    packages = shelf.packages(component("python_env"), stack, ARCH)
    assert len(packages) == 2 + len(NEEDS)
    assert [one.name for one in packages if one.condition is Condition.MISSING] == ["numpy-*.whl"]
    assert len(shelf.files) == 1 + len(NEEDS)
