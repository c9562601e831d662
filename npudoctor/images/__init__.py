"""Ascend container images: what their names say about CANN, chip and engine inside."""

from npudoctor.images.reading import Image, read_image

__all__ = ["Image", "read_image"]
