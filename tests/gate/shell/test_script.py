"""Scripts are read as a shell would run them, and what only a run can tell stays open."""

import pytest

from npudoctor.gate.shell import hole, read_script


def ran(text, **options):
    """The command lines of a script, open parts as ${NAME}."""
    return [one.text for one in read_script(text, "run.sh", **options).commands]


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("A=/dev/x1\nrun --device $A", "run --device /dev/x1"),
        ('A="-a -b"\nrun $A "$A"', "run -a -b -a -b"),
        ("run ${A:-d} ${A-e} ${A:+f}", "run d e"),
        ("A=x\nrun ${A:-d} ${A:+f} pre${A}post", "run x f prexpost"),
        ("run ${A:-${B:-c}}", "run c"),
        ("run a{1,2}b c{0..2}", "run a1b a2b c0 c1 c2"),
        ("run \"a{1,2}\" '$X'", "run a{1,2} $X"),
        ('A=(-x "y z" --w)\nA+=(-v)\nrun "${A[@]}"', "run -x y z --w -v"),
        ("A=m.onnx\nrun ${A%.onnx}.om ${A##*.} ${A/m/n} ${A:0:1}", "run m.om onnx n.onnx m"),
        ("run a \\\n  b \\\n  c", "run a b c"),
        ("I=3\nrun $((I * 2 + 1))", "run 7"),
        ("run $(echo a b)", "run a b"),
        ("D=$(seq -s, 0 3)\nrun $D", "run 0,1,2,3"),
        ('f() { run "$1" "${2:-two}"; }\nf one', "run one two"),
        ("CMD='run a b'\neval $CMD", "run a b"),
        ("bash -c 'run inner'", "run inner"),
        ("# run nothing\nrun 'it'\"s\"", "run its"),
        ("if cd x; then run y; fi", "run y"),
        ("ID=$(run -d image)", "run -d image"),
        ("run a > log --b 2>&1 -c", "run a --b -c"),
        ("run a\n  --b='c' \\\n  --d e\n", "--b=c --d e"),
        ("run a\n  --b=c\n", "--b=c"),
    ],
)
def test_words_are_what_the_shell_passes_on(script, line):
    assert line in ran(script)


def test_options_that_a_loop_gathers_are_all_there():
    script = 'for i in {0..3}; do OPTS="$OPTS --device=/dev/davinci$i"; done\nrun ${OPTS}'
    assert ran("OPTS=\n" + script)[-1] == "run " + " ".join(f"--device=/dev/davinci{i}" for i in range(4))


@pytest.mark.parametrize("head", ["i in 0 1", "i in $(seq 0 1)", "((i=0; i<2; i++))", "((i=0; i<=1; i+=1))"])
def test_every_form_of_a_counted_loop_is_unrolled(head):
    assert [line for line in ran(f"for {head}; do run $i; done") if line[:3] == "run"] == ["run 0", "run 1"]


@pytest.mark.parametrize(
    "script",
    [
        'if [ -n "$1" ]; then A=x; fi\nrun $A',
        "case $1 in a) A=1;; b) A=2;; esac\nrun $A",
        "[ -f y ] && A=x\nrun $A",
        "while read -r line; do A+=$line; done\nrun $A",
        'for d in /dev/davinci*; do A+=" --device $d"; done\nrun $A',
        "A=1\nsource ./elsewhere.sh\nrun $A",
        "read -p 'which? ' A\nrun $A",
        "run $A",
    ],
)
def test_what_only_a_run_can_tell_stays_open_by_name(script):
    command = read_script(script, "run.sh").commands[-1]
    assert command.words[1].open == ("A",)
    assert command.words[1].spread


def test_a_branch_that_leaves_the_script_changes_nothing_behind_it():
    assert ran('A=1\nif [ -z "$1" ]; then A=2; exit 1; fi\nrun $A')[-1] == "run 1"


def test_commands_of_branches_are_not_certain():
    commands = read_script("run a\nif x; then run b; fi", "run.sh").commands
    assert [one.sure for one in commands if one.words[0].raw == "run"] == [True, False]


def test_exports_are_seen_with_the_line_that_sets_them():
    script = read_script("export A=1\nB=2\nset -a\nC=3\nset +a\nD=4 run\n", "run.sh")
    assert {name: (one.value.value, one.line) for name, one in script.exported.items()} == {
        "A": ("1", 1),
        "C": ("3", 4),
    }
    assert set(script.commands[-1].environment) == {"A", "C", "D"}


def test_files_of_the_repository_are_sourced():
    script = read_script(
        'source "$(dirname "$0")/cluster.env"\nrun $A',
        "deploy/run.sh",
        sourced=lambda path, _file: ("deploy/cluster.env", "A=1\nexport B=2\n"),
    )
    assert script.commands[-1].text == "run 1"
    assert script.exported["B"].file == "deploy/cluster.env"


@pytest.mark.parametrize("line", ["export HCCL_BUFFSIZE = 512", "export HCCL_BUFFSIZE= 512", "export A = $B"])
def test_an_export_with_blanks_is_refused_as_the_shell_does(line):
    (refused,) = read_script(f"#!/bin/sh\n{line}\n", "run.sh").refused
    assert (refused.line, refused.text) == (2, line)
    assert " " not in refused.meant.removeprefix("export ")


@pytest.mark.parametrize(
    "line", ["export A=1 B=2", "export A", "export A= B=2", "export A=", "export A='x = y'"]
)
def test_exports_that_the_shell_takes_are_left_alone(line):
    assert not read_script(line, "run.sh").refused


def test_a_heredoc_is_text_with_its_variables_put_in():
    script = read_script("A=1\ncat > .env <<EOF\nX=$A\nY=$B\nEOF\n", "run.sh")
    (written,) = script.written
    assert (written.path, written.line, written.raw) == (".env", 3, f"X=1\nY={hole('B')}\n")


def test_values_from_outside_are_put_in():
    assert ran("run $A-$B", variables={"A": "1", "B": hole("B")}) == ["run 1-${B}"]


@pytest.mark.parametrize(
    "script",
    [
        "A=x\n" + "A=$A$A\n" * 40 + "run $A",
        "f() { f; f; }\nf",
        "a|" * 20_000,
        "(" * 3_000,
        "$(" * 3_000,
        "{1..9}" * 9,
        "for a in {1..200}; do for b in {1..200}; do for c in {1..200}; do run; done; done; done",
        "while true; do " * 200 + "done;" * 200,
        "echo \ue000A\ue001",
        "\x00\xff\udcff",
    ],
)
def test_hostile_scripts_come_to_an_end(script):
    read_script(script, "run.sh")
