"""What a row writes where a version stands."""

import pytest

from npudoctor.matrix.pattern import is_exact, speaks_of
from npudoctor.versions import Cann, Hdk, Python, driver_version


@pytest.mark.parametrize(
    ("pattern", "version", "covered"),
    [
        ("24.1.0", Hdk("24.1.0.3"), True),
        ("24.1.RC2", Hdk("24.1.rc2.2"), True),
        ("25.5.0", Hdk("25.5.1"), False),
        ("25.5.X", Hdk("25.5.1"), True),
        ("25.0.X", Hdk("25.0.rc1.1"), True),
        ("25.0.X", Hdk("25.0.rc1.b080"), False),
        ("9.1.X", Cann("9.1.0-beta.3"), False),
        ("7.0.X", Cann("7.0.0.beta1"), True),
        ("8.0.RC3", Cann("8.0.RC3.beta1"), True),
        ("8.0.RC3", Cann("8.0.RC3.alpha001"), False),
        (">=24.1.RC1", Hdk("24.1.0"), True),
        (">=24.1.RC1", Hdk("23.0.7"), False),
        (">=3.10,<3.12", Python("3.11.9"), True),
        (">=3.10,<3.12", Python("3.12.0"), False),
        ("any", Hdk("25.5.0"), True),
        ("6.0.X", driver_version("6.0.rc1"), True),
        ("6.3.1", Hdk("23.0.0"), False),
        ("<6.3", Hdk("23.0.0"), False),
        ("23.0.X", driver_version("6.3.1"), False),
    ],
)
def test_a_pattern_covers_what_its_source_speaks_of(pattern, version, covered):
    assert speaks_of(pattern, version) is covered


def test_exact_means_this_very_version():
    assert is_exact("25.5.0", Hdk("25.5.0"))
    assert not is_exact("24.1.0", Hdk("24.1.0.3"))
