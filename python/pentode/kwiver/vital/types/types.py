"""Image types, under their longer module name."""

from .image import BaseImageContainer, Image, ImageContainer

__all__ = ["BaseImageContainer", "Image", "ImageContainer"]
