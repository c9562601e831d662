"""The command line, run as a user runs it."""

from tests.cli.conftest import npudoctor

__all__ = ["npudoctor"]
