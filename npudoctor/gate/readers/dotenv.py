"""`.env` files and their kin, each judged by itself too: whoever reads it gets these values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from npudoctor.gate.dotenv import is_shell_file, is_variables_file, variables
from npudoctor.gate.reader import reader
from npudoctor.gate.unit import Kind, Unit, Where

if TYPE_CHECKING:
    from collections.abc import Iterator

    from npudoctor.gate.files import File, Repository


def is_dotenv(file: File) -> bool:
    """A file of variables that is not written for the shell."""
    return is_variables_file(file) and not is_shell_file(file)


@reader("variables", is_dotenv)
def read_dotenv(file: File, _repository: Repository) -> Iterator[Unit]:
    """One unit: the file's variables."""
    yield Unit(
        kind=Kind.VARIABLES,
        name=file.name,
        where=Where(file.path, 1, file.line(1)),
        environment=variables(file),
    )
