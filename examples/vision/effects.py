"""Image processing with nothing but numpy."""

import numpy as np

from pentode import Process, key, port
from pentode.types import BoundingBox, DetectedObject, DetectedObjectSet, DetectedObjectType


class Blur(Process):
    """Smooths each image: every pixel becomes the mean of a square around it."""

    image = port.input("kwiver:image", doc="Image to smooth.")
    out = port.output("kwiver:image", name="image", doc="The smooth image.")
    radius = key(int, 1, "Pixels on each side.", tunable=True)

    def step(self, image):
        r = self.radius
        n = 2 * r + 1
        padded = np.pad(image.astype(np.uint32), ((r + 1, r), (r + 1, r), (0, 0)), mode="edge")
        total = padded.cumsum(0).cumsum(1)
        total = total[n:, n:] - total[:-n, n:] - total[n:, :-n] + total[:-n, :-n]
        return (total // (n * n)).astype(np.uint8)


class Bright(Process):
    """Finds bright patches: connected pixels over a threshold."""

    image = port.input("kwiver:image", doc="Image to look at.")
    found = port.output("kwiver:detected_object_set", name="detected_object_set", doc="A box around each patch.")
    threshold = key(int, 90, "Brightness from which a pixel counts.", tunable=True)
    smallest = key(int, 60, "Pixels that a patch has at least.")

    def step(self, image):
        found = DetectedObjectSet()
        for mask in patches(image.mean(axis=2) > self.threshold):
            if len(mask) < self.smallest:
                continue
            top, left = mask.min(axis=0)
            bottom, right = mask.max(axis=0) + 1
            red, _, blue = image[tuple(mask.T)].mean(axis=0)
            name = "cold" if blue > red else "warm"
            fill = len(mask) / ((bottom - top) * (right - left))
            box = BoundingBox(float(left), float(top), float(right), float(bottom))
            found.add(DetectedObject(box, fill, DetectedObjectType(name, fill)))
        return found


def patches(mask):
    """The connected parts of a mask, each as a list of rows and columns."""
    left = {tuple(p) for p in np.argwhere(mask)}
    while left:
        part, edge = [], [left.pop()]
        while edge:
            y, x = edge.pop()
            part.append((y, x))
            for p in ((y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)):
                if p in left:
                    left.remove(p)
                    edge.append(p)
        yield np.array(part)
