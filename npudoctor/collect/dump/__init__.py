"""Error dumps of any shape as streams of text: files, folders, archives in archives. Nothing goes to disk."""

from npudoctor.collect.dump.files import Part, line_numbers, parts
from npudoctor.collect.dump.told import Told
from npudoctor.collect.dump.unfold import Log, logs, logs_of_stream

__all__ = ["Log", "Part", "Told", "line_numbers", "logs", "logs_of_stream", "parts"]
