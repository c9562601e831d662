"""A judged profile for a person: the word, what to do, where the time goes, the operators, the ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.accept.profile.verdict import ADVICE
from npudoctor.report.width import wrap
from npudoctor.words import N_, _

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.accept.profile.compare import Change, Moved
    from npudoctor.accept.profile.figures import Figures, Operator
    from npudoctor.accept.profile.profile import Device, Profile
    from npudoctor.report.style import Style

_SHOWN = 10
_SHARES = {
    "cube_share": N_("cube (matmul, convolution, attention)"),
    "vector_share": N_("vector"),
    "aicpu_share": N_("AI CPU"),
    "copy_share": N_("copies"),
    "communication_share": N_("communication"),
    "communication_exposed_share": N_("communication, with nothing else running"),
    "free_share": N_("free"),
    "bubble_share": N_("waiting for the stage before"),
}


def to_text(profile: Profile, before: Profile | None, change: Change | None, style: Style) -> str:
    """The whole answer; the ten longest operators unless `style.verbose`."""
    lines = [*_head(profile, style), *_time(profile.lead.figures), *_operators(profile.lead.figures, style)]
    if len(profile.devices) > 1:
        lines += _ranks(profile, style)
    if before is not None and change is not None:
        lines += _changes(before, change, style)
    if profile.problems:
        lines += ["", style.bold(_("Not wholly read")), *(f"  {problem}" for problem in profile.problems)]
    return "\n".join(lines) + "\n"


def _head(profile: Profile, style: Style) -> Iterator[str]:
    yield style.bold(_("bottleneck: {word}").format(word=profile.lead.word))
    if profile.slow is not None:
        said = _("rank {one} waits for rank {other}").format(one=profile.lead.name, other=profile.slow)
        yield f"  {said}"
    for step in profile.steps:
        yield from wrap(_(ADVICE[step]), style.width, "  → ", "    ")


def _time(figures: Figures) -> Iterator[str]:
    yield ""
    for taken, title in (
        (figures.total_device_time_us, _("time on the device")),
        (figures.op_time_us, _("time in operators")),
    ):
        yield f"{_milliseconds(taken)}  {title}"
    for way, taken in figures.directions.items():
        yield f"{_milliseconds(taken)}  {way}"
    for name, title in _SHARES.items():
        share = getattr(figures, name)
        if share is None or share >= 0.0005 or name != "bubble_share":
            yield f"{_percent(share)}  {_(title)}"
    if figures.long_waits:
        longest = _milliseconds(figures.longest_wait_us or 0.0).strip()
        yield _("{count} waits over 10 ms, the longest {longest}").format(
            count=figures.long_waits, longest=longest
        )


def _operators(figures: Figures, style: Style) -> Iterator[str]:
    shown = figures.operators if style.verbose else figures.operators[:_SHOWN]
    yield ""
    yield style.bold(_("Operators"))
    yield from (_operator(one) for one in shown)
    if len(shown) < len(figures.operators):
        yield "  " + _("and {count} more (--verbose)").format(count=len(figures.operators) - len(shown))


def _operator(one: Operator) -> str:
    return f"{_percent(one.share)} {_milliseconds(one.time_us)} {one.count:>9}×  {one.name}  ({one.kind})"


def _ranks(profile: Profile, style: Style) -> Iterator[str]:
    yield ""
    yield style.bold(_("Ranks"))
    yield from (_rank(device) for device in profile.devices)


def _rank(device: Device) -> str:
    figures = device.figures
    exposed = _percent(figures.communication_exposed_share).strip()
    said = _("communication {share} exposed").format(share=exposed)
    return f"{device.name:>4}  {_milliseconds(figures.op_time_us)}  {device.word:<14}  {said}"


def _changes(before: Profile, change: Change, style: Style) -> Iterator[str]:
    yield ""
    yield style.bold(_("Before and after"))
    words = _("bottleneck before: {word}").format(word=before.lead.word)
    yield f"  {words}"
    for title, ratio in (
        (_("time on the device"), change.total),
        (_("time in operators"), change.operators_time),
        (_("operators launched"), change.calls),
    ):
        if ratio is not None:
            yield f"  {ratio:6.3f} ×  {title}"
    yield from (_moved(one) for one in change.operators[: None if style.verbose else _SHOWN])


def _moved(one: Moved) -> str:
    return f"{_milliseconds(one.before_us)} → {_milliseconds(one.after_us)}  {one.name}"


def _milliseconds(us: float) -> str:
    return f"{us / 1000:11.3f} ms"


def _percent(share: float | None) -> str:
    return "      ?" if share is None else f"{100 * share:5.1f} %"
