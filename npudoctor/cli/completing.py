"""What the shell completes where an option wants a name out of the matrix."""

from __future__ import annotations


def complete_stack(incomplete: str) -> list[str]:
    """Names of stacks that begin so."""
    from npudoctor.matrix import load_matrix
    from npudoctor.matrix.stacks import stack_names

    return [name for name in stack_names(load_matrix()) if name.startswith(incomplete)]
