"""`atc` command lines, wherever they stand: scripts, Dockerfiles, commands of containers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.finding import Status
from npudoctor.gate.atc import (
    AtcLine,
    Option,
    atc_line,
    framework_of,
    frameworks,
    judged_options,
    shapes,
    soc_version,
    values_of,
)
from npudoctor.gate.rules.registry import Subject, Trouble, gate_check
from npudoctor.gate.rules.verdicts import replaced, trouble
from npudoctor.matrix.chips import family_of_name
from npudoctor.regex import regex
from npudoctor.versions import Cann as CannVersion
from npudoctor.versions import VersionError
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Iterator

_MANUAL = (
    "https://www.hiascend.com/document/detail/zh/CANNCommunityEdition/81RC1alpha001/devaids/devtools/atc/"
)
_FIELD_REPORT = "field report: a long-context chat model on Ascend 910B (CANN 7.0, driver 6.0)"
_DYNAMIC = ("dynamic_batch_size", "dynamic_image_size", "dynamic_dims")
_OTHER_MODES = ("1", "3", "5", "6", "7")
"""Of `--mode`: those that turn files into JSON and compile nothing."""
_VARIABLE = regex(r"\$\{[^{}]*\}|\$\([^()]*\)")
_SPLIT = CannVersion("8.5.0.alpha001")
"""From 8.5 on operators are a package of their own, for one family of chips."""
_PART_OF_NAME = regex(r"[\w-]*")


def _lines(subject: Subject) -> Iterator[AtcLine]:
    """The calls that compile a model, each once: a loop repeats its lines."""
    seen: set[tuple[object, ...]] = set()
    for command in subject.unit.commands:
        line = atc_line(command)
        mode = line.options.get("mode") if line else None
        if line is None or "help" in line.options or (mode and mode.text in _OTHER_MODES):
            continue
        key = (line.where, tuple((name, one.text) for name, one in line.options.items()))
        if len(line.options) > 1 and key not in seen:
            seen.add(key)
            yield line


@gate_check(
    "cann.atc_soc_version",
    title=N_("atc compiles for a chip that there is"),
    sources=("CANN 8.1.RC1, data/platform_config", "compat_matrix.yaml: chips", _FIELD_REPORT),
    dated="2026-11",
)
def soc(subject: Subject) -> Iterator[Trouble]:
    """atc takes the exact name of a chip, with its case: Ascend310P3, Ascend910B3, Ascend910_9391.

    Ascend310P is the name of a Kubernetes resource, and Ascend910B that of the first generation, not of A2.
    Another name ends in E10001, and a model that was compiled for another chip does not load. The names are
    the files of data/platform_config in the CANN package. (CANN 8.1.RC1, 2026-11.)
    """
    for line in _lines(subject):
        given = line.options.get("soc_version")
        if given is None:
            if line.whole and "model" in line.options:
                yield _missing(line)
        elif given.known:
            yield from _soc_troubles(subject, given)
        else:
            yield _open(given)


def _missing(line: AtcLine) -> Trouble:
    return trouble("cann.atc_soc_version", Status.FAIL, [line.where], _("atc without --soc_version"),
                   expected="--soc_version=Ascend910B3",
                   summary=_("Name the chip that npu-smi info shows, with Ascend in front."))  # fmt: skip


def _open(given: Option) -> Trouble:
    """`Ascend{$chip}` is no name, whatever the variable holds; else it is not known."""
    if _PART_OF_NAME.fullmatch(_VARIABLE.sub("", given.text)):
        actual = _("--soc_version={value} is not set in these files").format(value=given.text)
        return trouble("cann.atc_soc_version", Status.UNKNOWN, [given.where], actual)
    actual = _("{name} is no name of a chip, whatever the variable holds").format(name=given.text)
    return trouble("cann.atc_soc_version", Status.FAIL, [given.where], actual,
                   expected="Ascend${CHIP}", summary=_("Put the braces behind the dollar."))  # fmt: skip


def _soc_troubles(subject: Subject, given: Option) -> Iterator[Trouble]:
    name = given.text
    verdict, meant = soc_version(name)
    expected = ", ".join(meant[:6]) or _("a name such as Ascend310P3 or Ascend910B3")
    if verdict in ("unknown", "spelling") or not _PART_OF_NAME.fullmatch(name):
        actual = _("there is no chip {name}").format(name=name or "''")
        edits = replaced(given.where, name, meant[0]) if len(meant) == 1 else ()
        yield trouble("cann.atc_soc_version", Status.FAIL, [given.where], actual, expected=expected,
                      summary=_("Write the chip's exact name."), edits=edits)  # fmt: skip
    elif verdict == "open":
        actual = _("{name} is not in the tables of this version").format(name=name)
        yield trouble("cann.atc_soc_version", Status.UNKNOWN, [given.where], actual, expected=expected)
    else:
        yield from _other_family(subject, given)


def _other_family(subject: Subject, given: Option) -> Iterator[Trouble]:
    """A chip other than the image's or the one that the repository is for.

    Since CANN 8.5 an image holds the operators of one family alone, and atc cannot compile for another.
    """
    image, target = subject.stack.image, subject.target.text("chip")
    wanted = family_of_name(target) if target else (image.family if image else None)
    family = family_of_name(given.text)
    if wanted and family and wanted != family:
        actual = _("atc compiles for {name}, and this is for {family}").format(name=given.text, family=wanted)
        status = Status.FAIL if image and image.family == wanted and _is_split(subject) else Status.WARN
        yield trouble("cann.atc_soc_version", status, [given.where], actual,
                      summary=_("Compile for the chip that the model will run on."))  # fmt: skip


def _is_split(subject: Subject) -> bool:
    """Whether the CANN of the image comes in packages of operators by chip."""
    cann = subject.stack.text("cann")
    try:
        return cann is not None and CannVersion(cann) >= _SPLIT
    except VersionError:
        return False


@gate_check(
    "cann.atc_options",
    title=N_("atc is given options that it takes, alone and together"),
    sources=(_MANUAL, _FIELD_REPORT),
    dated="2026-11",
)
def options(subject: Subject) -> Iterator[Trouble]:
    """atc refuses a command line before it reads the model; in a build that is minutes after its start.

    Checked are the values of --precision_mode, --precision_mode_v2, --op_select_implmode and --input_format,
    the framework's number against the model's file, options that exclude each other, and --input_shape: a -1
    goes with one of --dynamic_batch_size, --dynamic_image_size and --dynamic_dims, which in turn need a -1
    (E10009, E10018, E10031, E10035, E10040, E10045). Without one the model is compiled for any shape:
    Ascend310 cannot, others run it slower, and a field report had to give the largest fixed shape. (Manual of
    atc for CANN 8.1.RC1, 2026-11.)
    """
    for line in _lines(subject):
        yield from _values(line)
        yield from _framework(line)
        yield from _exclusive(line)
        yield from _shape(line)


def _fail(option: Option, actual: str, expected: str = "", summary: str = "") -> Trouble:
    advice = summary or _("Give atc a value that it takes.")
    return trouble("cann.atc_options", Status.FAIL, [option.where], actual, expected=expected, summary=advice)


def _values(line: AtcLine) -> Iterator[Trouble]:
    for name in judged_options():
        given = line.known(name)
        if given and given.text not in values_of(name):
            actual = _("--{name}={value}: no such value").format(name=name, value=given.text)
            yield _fail(given, actual, ", ".join(values_of(name)))


def _framework(line: AtcLine) -> Iterator[Trouble]:
    given, model = line.known("framework"), line.options.get("model")
    if given is None:
        return
    known = frameworks()
    belongs = framework_of(model.text) if model else None
    if given.text not in known:
        listed = ", ".join(f"{number} {name}" for number, name in known.items())
        yield _fail(given, _("--framework={value}: no such framework").format(value=given.text), listed)
    elif belongs and belongs[0] != given.text and model:
        actual = _("--framework={value} ({name}) for {model}").format(
            value=given.text, name=known[given.text], model=model.text
        )
        yield _fail(given, actual, f"--framework={belongs[0]} ({belongs[1]})")
    elif given.text == "0" and "weight" not in line.options and line.whole:
        yield _fail(given, _("a Caffe model without --weight"), "--weight=MODEL.caffemodel")


def _exclusive(line: AtcLine) -> Iterator[Trouble]:
    groups = (("precision_mode", "precision_mode_v2"), (*_DYNAMIC, "input_shape_range"))
    for group in groups:
        found = [name for name in group if name in line.options and line.options[name].text]
        if len(found) > 1:
            names = ", ".join(f"--{name}" for name in found)
            actual = _("{names} exclude each other").format(names=names)
            yield _fail(line.options[found[1]], actual, summary=_("Keep one of them."))
    mode, listed = line.known("op_select_implmode"), line.options.get("optypelist_for_implmode")
    if mode and listed and mode.text.endswith("_for_all"):
        actual = _("--op_select_implmode={value} takes no --optypelist_for_implmode").format(value=mode.text)
        yield _fail(listed, actual, mode.text.removesuffix("_for_all"))


def _shape(line: AtcLine) -> Iterator[Trouble]:
    given = line.known("input_shape")
    inputs = shapes(given.text) if given else None
    if given is None or inputs is None:
        return
    open_dims = sum(dim == "-1" for dims in inputs.values() for dim in dims)
    used = [name for name in _DYNAMIC if name in line.options and line.options[name].text]
    if any(dim == "0" for dims in inputs.values() for dim in dims):
        yield _fail(given, _("--input_shape has a size of 0"), _("sizes above 0, or -1"))
    elif open_dims and not used and "input_shape_range" not in line.options:
        if line.whole:
            yield _any_shape(line, given)
    elif used and not open_dims:
        actual = _("--{name} and no -1 in --input_shape").format(name=used[0])
        yield _fail(given, actual, _("-1 where the size changes"))
    elif len(used) == 1 and (option := line.known(used[0])):
        yield from _profiles(used[0], option, given, inputs, open_dims)


def _any_shape(line: AtcLine, given: Option) -> Trouble:
    chip = line.known("soc_version")
    alone = _("-1 in --input_shape without --dynamic_batch_size, --dynamic_image_size or --dynamic_dims")
    status = Status.FAIL if chip and chip.text == "Ascend310" else Status.WARN
    return trouble("cann.atc_options", status, [given.where], alone,
                   expected=_("the largest fixed shape, or a list of sizes"),
                   summary=_("Fix the shape, or list the sizes that occur."))  # fmt: skip


def _profiles(
    name: str, option: Option, given: Option, inputs: dict[str, list[str]], open_dims: int
) -> Iterator[Trouble]:
    """The sizes that a dynamic option lists against the places that are open."""
    text = option.text.strip("\"' ").rstrip(";,")
    listed = [part.strip() for part in text.split("," if name == "dynamic_batch_size" else ";")]
    dynamic = [dims for dims in inputs.values() if "-1" in dims]
    if len(listed) < 2 or not all(listed):
        yield _fail(option, _("--{name}={value}: two sizes or more").format(name=name, value=option.text))
    elif name == "dynamic_batch_size" and any("-1" in dims[1:] for dims in dynamic):
        yield _fail(given, _("--dynamic_batch_size, and a -1 that is not the first size"), "-1,3,224,224")
    elif name == "dynamic_dims" and any(part.count(",") + 1 != open_dims for part in listed):
        actual = _("{count} places with -1, and --dynamic_dims lists another number").format(count=open_dims)
        yield _fail(option, actual, _("{count} sizes in each part").format(count=open_dims))
