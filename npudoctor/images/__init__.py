"""Ascend container images: what their names say about CANN, chip and engine inside."""

from npudoctor.images.reading import Image, glibc_of_system, read_image

__all__ = ["Image", "glibc_of_system", "read_image"]
