"""Images of a small service that stands in for vLLM (tests.accept.load.served), made on this machine.

archive = service_image("lab-service:1", folder)         # and one that takes an hour to be ready:
service_image("lab-service:2", folder, READY_AFTER="3600")
"""

from __future__ import annotations

import platform
import subprocess
import tempfile
from pathlib import Path

from tests.accept.load import served
from tests.lab.image import image

COMMAND = ["python3", "/served.py"]
"""What runs in it, followed by the port."""
_DOCKERFILE = """\
FROM {root} AS root
RUN mkdir -p /small/usr/bin && cp -L /usr/bin/python3 /small/usr/bin/ \\
 && cp -L --parents $(ldd /usr/bin/python3 | grep -o '/[^ ]*') /small/ \\
 && cp -r --parents /usr/lib/python3.* /small/ && rm -rf /small/usr/lib/python3.*/test
FROM scratch
COPY --from=root /small /
COPY served.py /served.py
ENV {variables}
"""


def service_image(name: str, folder: Path, **variables: str) -> Path:
    """Build it, write its archive under the name that packages have, and take it off this machine again.

    Args:
        name: Name and tag of the image.
        folder: Where the archive is to lie.
        variables: What the server does: `READY_AFTER`, `FAIL_EVERY`, `EXIT`.
    """
    archive = folder / f"{name.replace(':', '_')}-{platform.machine()}.tar"
    given = {"PATH": "/usr/bin", **variables}
    text = _DOCKERFILE.format(
        root=image(), variables=" ".join(f'{key}="{value}"' for key, value in given.items())
    )
    with tempfile.TemporaryDirectory() as context:
        (Path(context) / "Dockerfile").write_text(text)
        (Path(context) / "served.py").write_bytes(Path(served.__file__).read_bytes())
        for words in (
            ["build", "--network", "none", "-t", name, context],
            ["save", "-o", str(archive), name],
            ["rmi", name],
        ):
            subprocess.run(["docker", *words], check=True, capture_output=True)
    return archive
