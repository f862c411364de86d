"""The common base of the algorithms: OpenCV, settings with defaults, and pixel formats."""

from typing import Any, Dict

from ..kwiver.vital.config import Config
from ..process import key

NEEDS = "it needs OpenCV for Python: install the package python3-opencv of your system, or opencv-python with pip"


def opencv() -> Any:
    """Return the package cv2, imported when the first algorithm needs it."""
    try:
        import cv2
    except ImportError:
        raise RuntimeError(NEEDS) from None
    return cv2


class Vision:
    """An algorithm whose settings are in `defaults`; each setting has the type of its default."""

    defaults: Dict[str, Any] = {}

    def __init__(self) -> None:
        super().__init__()
        self.__dict__.update(self.defaults)

    @classmethod
    def lacks(cls) -> str:
        """Return the reason why the algorithm cannot run; empty if it can."""
        try:
            opencv()
        except RuntimeError as e:
            return str(e)
        return ""

    def get_configuration(self) -> Config:
        return Config({name: str(getattr(self, name)) for name in self.defaults})

    def set_configuration(self, config: Config) -> None:
        opencv()
        for name, default in self.defaults.items():
            if config.has_value(name):
                setting = key(type(default))
                setting.name = name
                setattr(self, name, setting.parse(config.get_value(name)))
        self.ready()

    def ready(self) -> None:
        """Prepare for new settings; raise ValueError to refuse them."""


def pixels(image: Any) -> Any:
    """Return the pixels of an image: height, width, and channels if there are several."""
    array = image.asarray() if hasattr(image, "asarray") else image
    return array[:, :, 0] if array.ndim == 3 and array.shape[2] == 1 else array


def bytes_of(array: Any) -> Any:
    """Return pixels of 8 bits; wider ones are scaled by the range of their type."""
    import numpy as np

    if array.dtype == np.uint8:
        return array
    if array.dtype.kind == "f":
        return np.clip(array * 255, 0, 255).astype(np.uint8)
    return (array >> (8 * (array.dtype.itemsize - 1))).astype(np.uint8)


def grey(image: Any) -> Any:
    """Return an image as 8 bits of brightness."""
    array = bytes_of(pixels(image))
    if array.ndim == 2:
        return array
    return opencv().cvtColor(array[:, :, :3].copy(), opencv().COLOR_RGB2GRAY)


def color(image: Any) -> Any:
    """Return an image as 8 bits of red, green and blue."""
    array = bytes_of(pixels(image))
    return opencv().cvtColor(array, opencv().COLOR_GRAY2RGB) if array.ndim == 2 else array[:, :, :3].copy()
