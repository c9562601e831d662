"""What CANN's own Python parts import. Imports nothing itself: the planning machine reads this file too."""

from __future__ import annotations

CANN_NEEDS = (
    "absl-py", "attrs", "cffi", "cython", "decorator", "numpy", "pathlib2", "protobuf", "psutil", "pyyaml",
    "requests", "scipy", "sympy",
)  # fmt: skip
"""Names as indexes compare them (CANN 9.0.0 installation guide, 2026-03)."""
