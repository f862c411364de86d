"""Images, stored as numpy arrays."""

from typing import Any


class Image:
    """An image: an array of height, width and channels.

    It is made from an array, from a size (`width, height, depth, interleave,
    pixel_type, bytes`), or from bytes with a size and steps.
    """

    PIXEL_UNKNOWN, PIXEL_UNSIGNED, PIXEL_SIGNED, PIXEL_FLOAT, PIXEL_BOOL = range(5)

    _array: Any

    def __init__(self, *args: Any, **named: Any):
        import numpy as np

        array = named.get("array", args[0] if len(args) == 1 else None)
        if array is not None:
            self._array = array._array if isinstance(array, Image) else np.asarray(array)
        elif args and isinstance(args[0], (bytes, bytearray, memoryview)):
            data, width, height, depth, w_step, h_step, d_step, kind, size = args
            flat = np.frombuffer(data, _dtype(kind, size))
            self._array = np.lib.stride_tricks.as_strided(
                flat, (height, width, depth), [n * size for n in (h_step, w_step, d_step)]
            ).copy()
        else:
            width, height, depth, _, kind, size = (list(args) + [0, 0, 1, True, self.PIXEL_UNSIGNED, 1][len(args) :])[:6]
            self._array = np.zeros((height, width, depth), _dtype(kind, size))
        if self._array.ndim == 2:
            self._array = self._array[:, :, None]

    def asarray(self) -> Any:
        """Return a copy of the pixels as an array of three dimensions."""
        return self._array.copy()

    def height(self) -> int:
        return self._array.shape[0]

    def width(self) -> int:
        return self._array.shape[1]

    def depth(self) -> int:
        return self._array.shape[2]

    def size(self) -> int:
        return self._array.nbytes

    def h_step(self) -> int:
        return self._array.strides[0] // self._array.itemsize

    def w_step(self) -> int:
        return self._array.strides[1] // self._array.itemsize

    def d_step(self) -> int:
        return self._array.strides[2] // self._array.itemsize

    def pixel_num_bytes(self) -> int:
        return self._array.itemsize

    def pixel_type(self) -> int:
        kinds = {"u": self.PIXEL_UNSIGNED, "i": self.PIXEL_SIGNED, "f": self.PIXEL_FLOAT, "b": self.PIXEL_BOOL}
        return kinds.get(self._array.dtype.kind, self.PIXEL_UNKNOWN)

    def pixel_type_name(self) -> str:
        return self._array.dtype.name

    def copy_from(self, other: "Image") -> None:
        self._array = other._array.copy()

    def __getitem__(self, at: Any) -> Any:
        return self._array[(at[1], at[0]) + tuple(at[2:])]

    def __pentode__(self) -> Any:
        return self._array

    __pentode_image__ = True


def _dtype(kind: int, size: int) -> str:
    letter = {Image.PIXEL_UNSIGNED: "u", Image.PIXEL_SIGNED: "i", Image.PIXEL_FLOAT: "f", Image.PIXEL_BOOL: "b"}[kind]
    return "<%s%d" % (letter, size)


class ImageContainer:
    """A container of an image."""

    def __init__(self, image: Any = None):
        self._image = image if isinstance(image, Image) else Image(image)

    @staticmethod
    def fromarray(array: Any) -> "ImageContainer":
        return ImageContainer(Image(array))

    def image(self) -> Image:
        return self._image

    get_image = image

    def asarray(self) -> Any:
        return self._image.asarray()

    def width(self) -> int:
        return self._image.width()

    def height(self) -> int:
        return self._image.height()

    def depth(self) -> int:
        return self._image.depth()

    def size(self) -> int:
        return self._image.size()

    def __repr__(self) -> str:
        return "<ImageContainer(%d x %d x %d)>" % (self.width(), self.height(), self.depth())

    def __pentode__(self) -> Any:
        return self._image._array

    __pentode_image__ = True


BaseImageContainer = ImageContainer
