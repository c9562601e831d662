"""The Chinese catalogue: it is whole and compiled, and no translation loses a placeholder."""

import ast
import re
from io import BytesIO
from pathlib import Path

import pytest
from babel.messages.extract import extract_from_dir, extract_from_file
from babel.messages.mofile import read_mo, write_mo
from babel.messages.pofile import read_po

import npudoctor
from npudoctor.checks.registry import all_checks
from npudoctor.checks.runner import run_checks
from npudoctor.collect.samples import read_sample, samples
from npudoctor.data import load
from npudoctor.finding import Status
from npudoctor.host import Host
from npudoctor.matrix import load_matrix
from npudoctor.report.report import HostReport, Report
from npudoctor.report.style import Style
from npudoctor.report.text import to_text
from npudoctor.report.width import columns
from npudoctor.triage.describe import describe, meant
from npudoctor.words import _, ngettext, use_language

FOLDER = Path(npudoctor.__file__).parent
CODES = FOLDER / "triage" / "codes.yaml"
DATA = {  # the keys whose texts pyproject.toml, [tool.babel], has extracted
    FOLDER / "envvars" / "combinations.yaml": "message why says",
    FOLDER / "envvars" / "variables.yaml": "message why says",
    FOLDER.parent / "compat_matrix.yaml": "note",
    FOLDER / "provision" / "plan" / "blockers.yaml": "message summary then",
    **dict.fromkeys(sorted((FOLDER / "triage" / "signatures").glob("*.yaml")), "title summary"),
    FOLDER / "triage" / "exceptions.yaml": "title summary",
    CODES: " ".join(("meaning", "cause", "fix", *load(CODES).content["levels"])),
}
CATALOGUE = FOLDER / "locale" / "zh_CN" / "LC_MESSAGES" / "npudoctor.po"
PLACEHOLDER = re.compile(r"\{[^}]*\}")
FULL_WIDTH = "，。：；！？（）、…"
HAN = re.compile(r"[\u4e00-\u9fff]")
SENTENCE = re.compile(r"(?:\b[a-z]{2,},? ){3}")
HALF_WIDTH_BESIDE_HAN = re.compile(r"[\u4e00-\u9fff][,;:!?()]|[,;:!?(][\u4e00-\u9fff]")
THE_SAME = {"CANN", "{size} GiB"}


def translations():
    with CATALOGUE.open("rb") as file:
        return {message.id: message for message in read_po(file) if message.id}


def forms(text):
    """A text, or its form for one and its form for many."""
    return text if isinstance(text, tuple) else (text,)


def is_done(message):
    return all(forms(message.string)) and not message.fuzzy


def translated():
    """Each text with its translation; of two forms that for many, as Chinese has no other."""
    done = [(text, message) for text, message in translations().items() if is_done(message)]
    return [(forms(text)[-1], forms(message.string)[0]) for text, message in done]


@pytest.fixture(scope="module")
def marked():
    """Every text that the code marks for translation."""
    return {text for _file, _line, text, *_rest in extract_from_dir(FOLDER)}


@pytest.fixture
def chinese():
    use_language("zh")
    yield
    use_language("en")


@pytest.fixture(scope="module")
def in_data():
    """Every sentence of the data files that a report may show."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(FOLDER.parent))
        return {
            row[1]
            for file, keys in DATA.items()
            for row in extract_from_file("babel_texts:extract", file, options={"keys": keys})
        }


def texts_read_at_import(file):
    """The lines of `_()` in statements of the module itself, not of a function."""
    statements = [
        node
        for node in ast.parse(file.read_text()).body
        if not isinstance(node, ast.FunctionDef | ast.ClassDef)
    ]
    calls = [node for statement in statements for node in ast.walk(statement) if isinstance(node, ast.Call)]
    return [call.lineno for call in calls if isinstance(call.func, ast.Name) and call.func.id == "_"]


def texts_in_f_strings(file):
    """The lines of `_("…")` in an f-string, which an extraction by Python 3.11 passes over."""
    inside = [node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.JoinedStr)]
    calls = [node for text in inside for node in ast.walk(text) if isinstance(node, ast.Call)]
    marks = [call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "_"]
    return [call.lineno for call in marks if isinstance(call.args[0], ast.Constant)]


@pytest.mark.parametrize("folder", ["checks", "envvars", "host", "matrix", "report"])
def test_no_text_is_read_before_the_language_is_known_nor_where_it_is_not_found(folder):
    for file in sorted((FOLDER / folder).rglob("*.py")):
        assert (file.name, texts_read_at_import(file), texts_in_f_strings(file)) == (file.name, [], [])


def test_every_marked_text_is_translated(marked):
    done = {text for text, message in translations().items() if is_done(message)}
    assert sorted(marked - done, key=forms) == [], "docs/extending.md, Words and translations, says how"


def test_the_catalogue_holds_no_text_that_nobody_shows(marked, in_data):
    assert sorted(set(translations()) - marked - in_data, key=forms) == []


def test_sentences_of_the_data_are_in_the_catalogue(in_data):
    """Who adds a row need not know Chinese: what is not translated is shown in English, but most are."""
    done = {text for text, message in translations().items() if message.string}
    assert len(in_data & done) >= 0.8 * len(in_data) > 100


def test_the_compiled_catalogue_is_that_of_the_text():
    fresh = BytesIO()
    with CATALOGUE.open("rb") as file:
        write_mo(fresh, read_po(file))
    fresh.seek(0)
    with CATALOGUE.with_suffix(".mo").open("rb") as file:
        shipped = [(message.id, message.string) for message in read_mo(file)]
    assert sorted(shipped, key=str) == sorted(((one.id, one.string) for one in read_mo(fresh)), key=str)


def test_a_translation_keeps_every_placeholder():
    for text, chinese in translated():
        assert sorted(PLACEHOLDER.findall(text)) == sorted(PLACEHOLDER.findall(chinese))


def test_a_translation_keeps_the_blanks_around_it_unless_a_full_width_mark_stands_there():
    for text, chinese in translated():
        for at in (0, -1):
            kept = text[at].isspace() == chinese[at].isspace()
            assert kept or chinese[at] in FULL_WIDTH, text


def test_a_translation_is_chinese_with_full_width_marks():
    for text, chinese in translated():
        assert chinese != text or text in THE_SAME
        assert not HALF_WIDTH_BESIDE_HAN.search(PLACEHOLDER.sub("", chinese)), chinese


def test_no_text_is_taken_for_a_format_of_percent_signs():
    """Babel then wants its `% o` in the translation too: "5 % of …"."""
    assert [text for text, message in translations().items() if "python-format" in message.flags] == []


@pytest.mark.parametrize("code", ["507033", "EI0002", "0x26", "EZ9999"])
def test_a_code_is_explained_in_chinese(chinese, code):
    told = [line for line in describe(meant(code)[0]) if "https://" not in line and "github.com" not in line]
    assert all(HAN.search(line) and not SENTENCE.search(line) for line in told), told


def test_a_text_with_a_translation_is_chinese(chinese):
    assert _("found: {actual}").format(actual="8192 KB") == "实际：8192 KB"


@pytest.mark.parametrize("number", [0, 1, 2])
def test_chinese_has_one_form_for_all_numbers(chinese, number):
    told = ngettext("{done} of {all} host", "{done} of {all} hosts", number)
    assert told.format(done=0, all=number) == f"0/{number} 台主机"


@pytest.mark.parametrize(("number", "told"), [(0, "0 of 0 hosts"), (1, "0 of 1 host"), (2, "0 of 2 hosts")])
def test_english_has_one_for_one(number, told):
    text = ngettext("{done} of {all} host", "{done} of {all} hosts", number)
    assert text.format(done=0, all=number) == told


def test_a_text_without_one_stays_english(chinese):
    assert _("there is no such text in the catalogue") == "there is no such text in the catalogue"


def test_an_empty_text_stays_empty(chinese):
    assert _("") == ""


def findings(sample):
    return run_checks(all_checks(), Host(read_sample(sample)), load_matrix(None))


@pytest.mark.parametrize("sample", samples())
def test_a_chinese_report_has_no_english_sentence_in_titles_and_fixes(chinese, sample):
    for finding in findings(sample):
        told = [finding.title, *([finding.fix.summary] if finding.fix else [])]
        assert all(HAN.search(text) and not SENTENCE.search(text) for text in told), told


@pytest.mark.parametrize("sample", ["founding-story", "a2-misconfigured", "half-installed-driver"])
def test_what_was_found_and_is_wanted_is_chinese_too_where_it_is_a_sentence(chinese, sample):
    for finding in findings(sample):
        if finding.status is not Status.UNKNOWN:  # the words of a tool that gave no answer are its own
            assert not SENTENCE.search(f"{finding.actual} {finding.expected}"), finding


def test_a_chinese_report_keeps_within_a_narrow_terminal(chinese):
    host = HostReport("node1", "sample", tuple(findings("a2-misconfigured")))
    text = "".join(to_text(Report((host,)), Style(width=60), ""))
    prose = [line for line in text.splitlines() if HAN.search(line) and "$ " not in line]
    assert len(prose) > 30
    assert max(map(columns, prose)) <= 60
    assert not [line for line in prose if line.strip()[0] in FULL_WIDTH.replace("（", "")]
