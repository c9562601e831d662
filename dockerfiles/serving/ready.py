#!/usr/bin/env python3
"""Whether the service in this container answers: exit code 0 or 1. PORT and READY_PATH say where."""

import os
import sys
from urllib.error import URLError
from urllib.request import urlopen


def main() -> int:
    """Ask once."""
    port, path = os.environ.get("PORT", "8000"), os.environ.get("READY_PATH", "/health")
    address = f"http://127.0.0.1:{port}{path}"
    try:
        with urlopen(address, timeout=5) as answer:
            return 0 if answer.status == 200 else 1
    except (URLError, OSError) as error:
        print(f"{address}: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
