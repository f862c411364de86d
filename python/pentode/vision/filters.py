"""Image filters."""

from typing import Any

from ..kwiver.vital.algo import ImageFilter
from ..kwiver.vital.types import ImageContainer
from .settings import Vision, bytes_of, grey, opencv, pixels


class Flow(Vision, ImageFilter):
    """The motion of each pixel since the image before (Farneback): one channel with the distance, or two with the motion
    to the right and down, where 128 means none. A motion of `scale` pixels has the largest value."""

    defaults = {"output": "magnitude", "scale": 8.0, "compensate_background": True}

    def ready(self) -> None:
        if self.output not in ("magnitude", "vector"):
            raise ValueError("key `output` is `%s`, but must be magnitude or vector" % self.output)
        if self.scale <= 0:
            raise ValueError("key `scale` is `%g`, but must be greater than 0" % self.scale)
        self.before: Any = None

    def filter(self, image: Any) -> ImageContainer:
        import numpy as np

        now = grey(image)
        if self.before is None or self.before.shape != now.shape:
            moved = np.zeros(now.shape + (2,), np.float32)
        else:
            moved = opencv().calcOpticalFlowFarneback(self.before, now, None, 0.5, 3, 15, 3, 5, 1.2, 0)
        self.before = now
        if self.compensate_background:  # the motion of most of the image is the camera's, not an object's
            moved -= np.median(moved, axis=(0, 1))
        if self.output == "vector":
            shown = 128 + moved * (127 / self.scale)
        else:
            shown = np.hypot(moved[..., 0], moved[..., 1]) * (255 / self.scale)
        return ImageContainer.fromarray(np.clip(shown, 0, 255).astype(np.uint8))


class Denoise(Vision, ImageFilter):
    """A noise filter that averages similar places (non-local means), like VIAME's `ocv_enhancer` with `apply_denoising`."""

    defaults = {"denoise_kernel": 3, "denoise_coeff": 3}

    def filter(self, image: Any) -> ImageContainer:
        cv, array, strength = opencv(), bytes_of(pixels(image)), self.denoise_coeff
        windows = (self.denoise_kernel, 3 * self.denoise_kernel)
        if array.ndim == 2:
            return ImageContainer.fromarray(cv.fastNlMeansDenoising(array, None, strength, *windows))
        bgr = cv.cvtColor(array[:, :, :3].copy(), cv.COLOR_RGB2BGR)
        made = cv.fastNlMeansDenoisingColored(bgr, None, strength, strength, *windows)
        return ImageContainer.fromarray(cv.cvtColor(made, cv.COLOR_BGR2RGB))


ALGORITHMS = (("ocv_optical_flow", Flow), ("ocv_denoise", Denoise))
