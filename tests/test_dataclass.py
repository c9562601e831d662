"""The quick dataclass is to its users what the standard one is."""

import copy
import dataclasses
import pickle

import pytest

from npudoctor.dataclass import dataclass


def twins(decorate):
    @decorate(frozen=True, slots=True)
    class Chip:
        """One chip."""

        name: str
        health: str = "OK"
        events: tuple[str, ...] = dataclasses.field(default_factory=tuple)

    return Chip


Quick, Standard = twins(dataclass), twins(dataclasses.dataclass)


@dataclass(frozen=True, slots=True)
class Npu:
    """Found by name, for pickle."""

    id: int
    chip: str = "910B3"


@pytest.mark.parametrize(
    ("values", "named"),
    [
        (("910B3",), {}),
        ((), {"name": "310P3"}),
        (("910B3", "Alarm"), {"events": ("e1",)}),
        (("a", "b", ("c",)), {}),
    ],
)
def test_it_is_made_shown_compared_and_hashed_like_the_standard_one(values, named):
    quick, standard = Quick(*values, **named), Standard(*values, **named)
    assert dataclasses.asdict(quick) == dataclasses.asdict(standard)
    assert repr(quick) == repr(standard)
    assert hash(quick) == hash(standard)
    assert quick == Quick(*values, **named)
    assert quick != Quick("other")
    assert quick != standard


@pytest.mark.parametrize(
    ("values", "named"),
    [((), {}), (("a", "b", (), "d"), {}), (("a",), {"nmae": "b"}), (("a",), {"name": "b"})],
)
def test_wrong_arguments_are_refused_like_the_standard_one_refuses_them(values, named):
    for cls in (Quick, Standard):
        with pytest.raises(TypeError):
            cls(*values, **named)


def test_it_cannot_be_changed():
    chip = Quick("910B3")
    with pytest.raises(dataclasses.FrozenInstanceError):
        chip.name = "910B4"
    with pytest.raises(dataclasses.FrozenInstanceError):
        del chip.name
    assert not hasattr(chip, "__dict__")


def test_fields_replace_matching_and_copies_work():
    assert [field.name for field in dataclasses.fields(Quick)] == ["name", "health", "events"]
    assert dataclasses.replace(Quick("910B3"), health="Alarm") == Quick("910B3", "Alarm")
    match Quick("910B3", "Alarm"):
        case Quick(name, health):
            assert (name, health) == ("910B3", "Alarm")
    npu = Npu(0)
    assert copy.copy(npu) == copy.deepcopy(npu) == pickle.loads(pickle.dumps(npu)) == npu


def test_a_default_that_is_made_is_made_anew():
    @dataclass(frozen=True, slots=True)
    class Log:
        lines: list[str] = dataclasses.field(default_factory=list)

    assert Log().lines is not Log().lines


def test_without_both_it_is_the_standard_one():
    @dataclass
    class Open:
        name: str

    thing = Open("a")
    thing.name = "b"
    assert thing == Open("b")
