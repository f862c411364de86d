"""Images by their longer name."""

from .image import BaseImageContainer, Image, ImageContainer

__all__ = ["BaseImageContainer", "Image", "ImageContainer"]
