"""Whether the model that is to be served is whole, may be read, and can fit at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.checks.memory_pool import OF, RESERVED
from npudoctor.checks.registry import check
from npudoctor.fact import Evidence
from npudoctor.finding import Action, Fix, Verdict, fail, ok, skip, warn
from npudoctor.regex import regex
from npudoctor.words import N_, _

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from npudoctor.host import Host
    from npudoctor.host.model import Index, Model
    from npudoctor.parse.folder import Member

_WEIGHTS = (".safetensors", ".bin", ".pt", ".gguf")
_NO_WEIGHTS = regex(r"training_args\.bin|optimizer\.pt|scheduler\.pt|rng_state.*\.pt.*")
_SHARD = regex(r"(.+)-(\d{5})-of-(\d{5})(\.\w+)")
_TOKENIZERS = ("tokenizer.json", "tokenizer.model", "vocab.json", "vocab.txt", "tekken.json", "spiece.model")
_SERVED_AS = ("0", "1000", "1001")
"""root, HwHiAiUser as fleets number it (MindCluster), MindIE's own user (MindIE-LLM's examples)."""
_MB = 1024 * 1024
_SHOWN = 6


@check(
    "serving.model_complete",
    title=N_("The model is whole and may be read"),
    sources=(
        "transformers docs/source/en/big_models.md: weight_map and total_size of the index (2026-08)",
        "huggingface/safetensors README.md, Format: header and data_offsets (2026-08)",
        "git-lfs docs/spec.md: how a pointer file begins (2026-08)",
        "Ascend/MindIE-LLM@8b4871a examples/atb_models: owner and mode of weights",
    ),
    dated="2026-11",
    role="serving",
)
def model_complete(host: Host) -> Verdict:
    """A service that finds half a model fails after minutes, with an error of the loader.

    Looked at where `--model DIR` (or NPUDOCTOR_MODEL) names a folder on the host: every shard of the index is
    there, as large as the index says in sum and as its own header says, and no pointer of Git LFS; the config
    and a tokenizer are there; the user of a serving container (root, 1000, 1001) may read them; the weights
    fit into the NPUs' memory at all (`npudoctor accept memory` plans it in detail).
    """
    model = host.model
    if model.folder.absent:
        return skip(_("no model is named (--model DIR)"))
    if model.offline and not model.config.known:
        return skip(_("offline models, see serving.om_model"))
    if model.config.absent and model.files.absent:
        fix = Fix(Action.CONFIGURE, _("Name a folder that is there, or copy the model to it."))
        return fail(
            model.folder, actual=_("there is no such folder"), expected=_("a model's folder"), fix=fix
        )
    troubles = [*_troubles(model), *_too_large(host)]
    if troubles:
        return _fail(model, troubles)
    closed = [member for member in model.files.value if _is_needed(member) and not _readable(member)]
    if closed:
        return _closed(model, closed)
    return ok(model.folder, actual=_("{size} GB of weights").format(size=_gb(_total(model.files.value))))


def _troubles(model: Model) -> Iterator[tuple[str, str]]:
    """What is wrong, as file and words."""
    files = {member.name: member for member in model.files.value}
    pointers = model.pointers.or_none() or frozenset()
    for name in sorted(pointers):
        yield name, _("is a pointer of Git LFS, not the file")
    if not model.config.known:
        yield "config.json", _("is not there") if model.config.absent else _("cannot be read as JSON")
    if not any(name in files for name in _TOKENIZERS) and not any(
        name.endswith(".tiktoken") for name in files
    ):
        yield "tokenizer.json", _("is not there, nor another file of a tokenizer")
    yield from _of_headers(model, files, pointers)
    for index in model.indexes:
        yield from _of_index(index.value, files, pointers) if index.known else [("index", _("is no JSON"))]
    yield from _of_names(files)
    if not any(map(_is_weights, files.values())):
        yield "*.safetensors", _("are not there, nor other weights")


def _of_headers(
    model: Model, files: dict[str, Member], pointers: frozenset[str]
) -> Iterator[tuple[str, str]]:
    for name, stated in model.stated_bytes.items():
        if name not in files or name in pointers:
            continue
        if stated is None:
            yield name, _("is damaged: no whole header of safetensors begins it")
        elif stated != files[name].size:
            said = _("has {have} bytes, and its own header says {total}")
            yield name, said.format(have=files[name].size, total=stated)


def _of_index(index: Index, files: dict[str, Member], pointers: frozenset[str]) -> Iterator[tuple[str, str]]:
    missing = sorted(index.shards - files.keys())
    for name in missing:
        yield name, _("is not there; {index} names it").format(index=index.name)
    have = sum(files[name].size for name in index.shards & files.keys())
    if not missing and not index.shards & pointers and index.total_bytes and have < index.total_bytes:
        said = _("names {total} bytes, the files have {have}: one is cut off")
        yield index.name, said.format(total=index.total_bytes, have=have)


def _of_names(files: dict[str, Member]) -> Iterator[tuple[str, str]]:
    """Shards that number themselves, with or without an index; and files of no bytes."""
    for match in filter(None, map(_SHARD.fullmatch, sorted(files))):
        if match[2] == min(_numbers(files, match)):
            for number in range(1, int(match[3]) + 1):
                name = f"{match[1]}-{number:05}-of-{match[3]}{match[4]}"
                if name not in files:
                    yield name, _("is not there; its siblings are")
    for member in files.values():
        if _is_weights(member) and member.size == 0:
            yield member.name, _("is empty")


def _numbers(files: dict[str, Member], shard: re.Match[str]) -> list[str]:
    found = filter(None, map(_SHARD.fullmatch, files))
    return [other[2] for other in found if (other[1], other[3], other[4]) == (shard[1], shard[3], shard[4])]


def _too_large(host: Host) -> Iterator[tuple[str, str]]:
    table = host.npus.table.or_none()
    chips = table.chips if table else ()
    sizes: list[int] = [chip.hbm_total_mb or chip.memory_total_mb or 0 for chip in chips]
    free = sum(sizes) * _MB * (OF - RESERVED) // OF
    weights = _total(host.model.files.value)
    if sizes and all(sizes) and weights > free:
        said = _("{size} GB of weights, and all NPUs together have {free} GB free for them")
        yield "*.safetensors", said.format(size=_gb(weights), free=_gb(free))


def _fail(model: Model, troubles: list[tuple[str, str]]) -> Verdict:
    unique = list(dict.fromkeys(troubles))
    folder = model.folder.value
    proofs = [Evidence(f"{folder}/{name}", said) for name, said in unique[:_SHOWN]]
    first = f"{unique[0][0]} {unique[0][1]}"
    more = _(" and {number} more").format(number=len(unique) - 1) if len(unique) > 1 else ""
    fix = Fix(
        Action.REINSTALL,
        _("Fetch what is missing; of a Git repository the files themselves, not their pointers."),
        (f"git -C {folder} lfs pull", f"npudoctor check --model {folder} --only serving.model_complete"),
    )
    return fail(
        *proofs, actual=first + more, expected=_("every shard of the index, config and tokenizer"), fix=fix
    )


def _closed(model: Model, closed: list[Member]) -> Verdict:
    proofs = [Evidence(f"ls -lLn {model.folder.value}/", member.line) for member in closed[:_SHOWN]]
    fix = Fix(
        Action.CONFIGURE,
        _("Let the user of the container read them."),
        (f"sudo chmod -R a+rX {model.folder.value}",),
    )
    actual = _("{name} may be read by user {owner} only").format(name=closed[0].name, owner=closed[0].owner)
    return warn(*proofs, actual=actual, expected=_("readable by the user of the container"), fix=fix)


def _readable(member: Member) -> bool:
    return bool(member.mode & 0o004) or (member.owner in _SERVED_AS[1:] and bool(member.mode & 0o400))


def _is_needed(member: Member) -> bool:
    return _is_weights(member) or member.name.endswith(".json")


def _is_weights(member: Member) -> bool:
    return member.kind == "file" and member.name.endswith(_WEIGHTS) and not _NO_WEIGHTS.fullmatch(member.name)


def _total(files: tuple[Member, ...]) -> int:
    """Bytes of the weights; where there are several formats, of the one with most, as one is loaded."""
    ends = {member.name.rpartition(".")[2] for member in files if _is_weights(member)}
    return max(
        (sum(m.size for m in files if _is_weights(m) and m.name.endswith(end)) for end in ends), default=0
    )


def _gb(size: int) -> str:
    return f"{size / 1e9:.1f}"
