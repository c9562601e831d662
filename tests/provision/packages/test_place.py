"""Places that a person names wrongly."""

import pytest

from npudoctor.errors import UsageError
from npudoctor.provision.packages.place import open_place


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("http://[::1", "this is no URL"),
        ("http://mirror:port/", "this is no URL"),
        ("http:///packages", "no URL of a folder"),
        ("http://mirror/a b/", "no URL of a folder"),
        ("ftp://mirror/", "no URL of a folder"),
        ("http://user:hidden@mirror/", "no user and no password"),
        ("http://mirror/?token=hidden", "no \\? and no #"),
    ],
)
def test_what_is_no_url_of_a_folder_is_wrong_usage_and_secrets_are_not_repeated(text, said):
    with pytest.raises(UsageError, match=said) as error:
        open_place(text)

    assert "hidden" not in str(error.value)
