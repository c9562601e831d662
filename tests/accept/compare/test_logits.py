"""Against the same figures computed with numpy, another way."""

import json
import struct

import pytest

from npudoctor.accept.compare.logits import compare_logits
from npudoctor.errors import UsageError

numpy = pytest.importorskip("numpy")
safetensors = pytest.importorskip("safetensors.numpy")


@pytest.fixture
def pair():
    random = numpy.random.default_rng(7)
    old = random.normal(size=(2, 300, 64)).astype(numpy.float32)
    return old, (old + random.normal(scale=0.05, size=old.shape)).astype(numpy.float32)


def saved(folder, name, array):
    file = folder / name
    if file.suffix == ".npy":
        numpy.save(file, array)
    elif file.suffix == ".npz":
        numpy.savez(file, logits=array)
    else:
        safetensors.save_file({"logits": array}, file)
    return file


def expected(old, new):
    """Row by row, as a textbook has it."""
    rows = list(zip(old.reshape(-1, 64).astype(float), new.reshape(-1, 64).astype(float), strict=True))
    cosines = [float(one @ two / (numpy.sqrt(one @ one) * numpy.sqrt(two @ two))) for one, two in rows]
    agree = [len({*one.argsort()[-5:]} & {*two.argsort()[-5:]}) / 5 for one, two in rows]
    return cosines, agree, [one.argmax() == two.argmax() for one, two in rows]


@pytest.mark.parametrize("suffix", [".npy", ".npz", ".safetensors"])
def test_figures_are_those_of_numpy(suffix, pair, tmp_path):
    old, new = pair
    got = compare_logits(saved(tmp_path, "a" + suffix, old), saved(tmp_path, "b" + suffix, new))
    cosines, agree, first = expected(old, new)
    assert got.figures["positions"] == 600
    assert got.figures["cosine_min"] == pytest.approx(min(cosines), abs=1e-12)
    assert got.figures["cosine_mean"] == pytest.approx(sum(cosines) / 600, abs=1e-12)
    assert got.figures["top5_agreement"] == pytest.approx(sum(agree) / 600)
    assert got.figures["top1_agreement"] == pytest.approx(sum(first) / 600)
    assert got.figures["positions_below"] == sum(one < 0.999 for one in cosines)
    assert got.worst[0]["position"] == cosines.index(min(cosines))
    assert got.worst[0]["cosine"] == pytest.approx(min(cosines))


def test_the_same_logits_keep_every_limit(pair, tmp_path):
    file = saved(tmp_path, "a.npy", pair[0])
    got = compare_logits(file, file, top5=1.0)
    assert got.failed == ()
    assert got.figures["top5_agreement"] == 1


def test_one_bad_position_fails(pair, tmp_path):
    new = pair[0].copy()
    new[1, 17] = -new[1, 17]
    got = compare_logits(saved(tmp_path, "a.npy", pair[0]), saved(tmp_path, "b.npy", new))
    assert [limit.figure for limit in got.failed] == ["cosine_min"]
    assert got.worst[0]["position"] == 317
    assert compare_logits(tmp_path / "a.npy", tmp_path / "b.npy", cosine=-1).failed == ()


@pytest.mark.parametrize("value", [numpy.nan, numpy.inf])
def test_what_is_not_finite_is_not_alike(value, pair, tmp_path):
    new = pair[0].copy()
    new[0, 3, 5] = value
    got = compare_logits(saved(tmp_path, "a.npy", pair[0]), saved(tmp_path, "b.npy", new))
    assert got.figures["cosine_min"] == 0
    assert got.failed


def test_bfloat16_is_read(pair, tmp_path):
    old = pair[0].astype(numpy.float32)
    bits = (old.view(numpy.uint32) >> 16).astype("<u2")
    head = {"logits": {"dtype": "BF16", "shape": list(old.shape), "data_offsets": [0, bits.nbytes]}}
    text = json.dumps(head).encode()
    file = tmp_path / "b.safetensors"
    file.write_bytes(struct.pack("<Q", len(text)) + text + bits.tobytes())
    got = compare_logits(saved(tmp_path, "a.safetensors", old), file)
    assert got.figures["cosine_min"] > 0.9999


def test_folders_are_matched_by_the_names_of_their_files(pair, tmp_path):
    for folder, arrays in (("a", pair), ("b", pair[::-1])):
        (tmp_path / folder).mkdir()
        for name, array in zip(("one.npy", "two.npy"), arrays, strict=True):
            saved(tmp_path / folder, name, array)
    got = compare_logits(tmp_path / "a", tmp_path / "b")
    assert got.figures["positions"] == 1200
    assert {row["name"] for row in got.worst} <= {"one", "two"}
    (tmp_path / "c").mkdir()
    with pytest.raises(UsageError, match="no dump of arrays"):
        compare_logits(tmp_path / "a", tmp_path / "c")


def test_shapes_and_names_must_fit(pair, tmp_path):
    one = saved(tmp_path, "a.npy", pair[0])
    with pytest.raises(UsageError, match="the shapes are"):
        compare_logits(one, saved(tmp_path, "b.npy", pair[0][:1]))
    numpy.savez(tmp_path / "c.npz", other=pair[0])
    with pytest.raises(UsageError, match="only one of the dumps has logits"):
        compare_logits(one, tmp_path / "c.npz")


def test_a_pickle_is_never_run(tmp_path):
    numpy.save(tmp_path / "a.npy", numpy.array([{"evil": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(UsageError, match="damaged"):
        compare_logits(tmp_path / "a.npy", tmp_path / "a.npy")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.npy", b"no"),
        ("a.npz", b"PK\x03\x04"),
        ("a.safetensors", b"x" * 40),
        ("a.txt", b""),
        ("a.npy", None),
    ],
)
def test_what_is_no_dump_is_refused_in_one_line(name, content, tmp_path):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(UsageError, match=name) as said:
        compare_logits(tmp_path / name, tmp_path / name)
    assert "\n" not in str(said.value)


def test_types_that_numpy_does_not_know_are_refused(tmp_path):
    head = json.dumps({"logits": {"dtype": "F8_E4M3", "shape": [1, 4], "data_offsets": [0, 4]}}).encode()
    (tmp_path / "a.safetensors").write_bytes(struct.pack("<Q", len(head)) + head + b"1234")
    with pytest.raises(UsageError, match="F8_E4M3 is no type of logits"):
        compare_logits(tmp_path / "a.safetensors", tmp_path / "a.safetensors")


@pytest.mark.parametrize("shape", [(0, 10), (4, 0)])
def test_a_dump_of_nothing_is_refused(shape, tmp_path):
    file = saved(tmp_path, "a.npy", numpy.zeros(shape))
    with pytest.raises(UsageError, match="holds no position"):
        compare_logits(file, file)
