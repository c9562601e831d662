"""`npudoctor` itself: help, version, completion, and what a typing slip is answered with."""

import pytest

from npudoctor import __version__
from npudoctor.cli.commands import COMMANDS


def test_help_lists_every_command(npudoctor):
    done = npudoctor("--help")
    assert done.returncode == 0
    assert all(f"  {name} " in done.stdout for name in COMMANDS)


def test_no_arguments_show_the_help(npudoctor):
    assert npudoctor().stdout == npudoctor("--help").stdout


def test_version(npudoctor):
    assert npudoctor("--version").stdout == f"npudoctor {__version__}\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_help_of_every_command_shows_two_examples(npudoctor, name):
    done = npudoctor(name, "--help")
    assert done.returncode == 0, done.stderr
    for line in COMMANDS[name].examples:
        assert f"    {line}\n" in done.stdout
        assert "npudoctor " + name in line


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["chekc"], "npudoctor: there is no command chekc; did you mean check?\n"),
        (
            ["check", "--form", "json"],
            "npudoctor: No such option: --form; did you mean --format or --from or --forks?\n",
        ),
        (["check", "--format", "jsn"], "npudoctor: there is no format jsn; did you mean json?\n"),
        (["check", "--fail-on", "bad"], "npudoctor: --fail-on bad: not a status; use fail, unknown, warn\n"),
        (["check", "--lang", "fr"], "npudoctor: --lang fr: no such language; use en or zh\n"),
        (["check", "bundle"], "npudoctor: unexpected argument bundle; a bundle needs --from\n"),
        (["check", "--output", "no/r"], "npudoctor: --output no/r: there is no such folder; make it first\n"),
        (["check", "--output", "."], "npudoctor: --output .: is a folder; give a file\n"),
    ],
)
def test_wrong_usage_is_one_line_and_exit_2(npudoctor, arguments, message):
    done = npudoctor(*arguments)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message)


@pytest.mark.parametrize("typed", ["", "che"])
def test_the_shell_completes_commands(npudoctor, typed):
    words = {"COMP_WORDS": f"npudoctor {typed}", "COMP_CWORD": "1"}
    done = npudoctor(env={**words, "_NPUDOCTOR_COMPLETE": "complete_bash"})
    assert "check" in done.stdout.split()


def test_the_shell_completes_options(npudoctor):
    words = {"COMP_WORDS": "npudoctor check --form", "COMP_CWORD": "2"}
    done = npudoctor(env={**words, "_NPUDOCTOR_COMPLETE": "complete_bash"})
    assert done.stdout.split() == ["--format"]


def test_the_completion_script_is_for_npudoctor(npudoctor):
    done = npudoctor("--show-completion", "bash", env={"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"})
    assert "_NPUDOCTOR_COMPLETE=complete_bash" in done.stdout
