"""Conversion from and to PIL images."""

from typing import Any

from ..types import Image, ImageContainer


def from_pil(pil_image: Any) -> Image:
    """Convert a PIL image."""
    import numpy as np

    if pil_image.mode not in ("1", "L", "RGB", "RGBA", "I", "I;16", "F"):
        raise RuntimeError("PIL images of mode `%s` are not supported" % pil_image.mode)
    return Image(np.array(pil_image))


def get_pil_image(img: Any) -> Any:
    """Return a copy of an image as a PIL image."""
    import PIL.Image

    array = img.asarray() if isinstance(img, (Image, ImageContainer)) else img
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[:, :, 0]
    return PIL.Image.fromarray(array.copy())
