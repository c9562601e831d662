"""Which CANN a release of a serving engine is built on."""

from __future__ import annotations

import pytest

from npudoctor.matrix import load_matrix
from npudoctor.matrix.releases import release_of


@pytest.fixture(scope="module")
def matrix():
    return load_matrix()


@pytest.mark.parametrize(
    ("versions", "cann", "row"),
    [
        ({"vllm_ascend": "0.11.0"}, "8.3.RC2", "vllm_ascend-0.11.0"),
        ({"vllm_ascend": "0.7.3.post1"}, "8.1.RC1", "vllm_ascend-0.7.3.post1"),
        ({"mindie": "2.3.0", "python": "3.11"}, "8.5.0", "mindie-2.3.0"),
        ({"mindie": "2.1.rc1"}, "8.2.RC1", "mindie-2.1.rc1-notes"),
    ],
)
def test_a_release_names_its_cann_and_the_row_that_says_so(matrix, versions, cann, row):
    found = release_of(matrix, versions)

    assert found is not None
    assert (found.cann, found.row) == (cann, row)


@pytest.mark.parametrize(
    "versions", [{}, {"torch_npu": "2.9.0"}, {"vllm_ascend": "0.99.0"}, {"mindie": "word"}]
)
def test_what_no_row_speaks_of_is_none(matrix, versions):
    assert release_of(matrix, versions) is None
