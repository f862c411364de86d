"""Draws a small scene: discs that drift over a grainy ground."""

import numpy as np

from pentode import Complete, Process, key, port


class Scene(Process):
    """Draws the frames of a scene with discs that move."""

    image = port.output("kwiver:image", doc="A frame.")
    frames = key(int, 60, "How many frames there are.")
    width = key(int, 320, "Pixels across.")
    height = key(int, 240, "Pixels down.")

    def setup(self):
        grain = np.random.default_rng(5).integers(0, 60, (self.height, self.width, 1))
        self.ground = np.repeat(grain, 3, axis=2).astype(np.uint8)
        self.y, self.x = np.mgrid[: self.height, : self.width]
        self.frame = 0

    def step(self):
        if self.frame == self.frames:
            raise Complete
        image = self.ground.copy()
        for colour, x, y, dx, dy, radius in (
            ((240, 200, 40), 40, 60, 3.2, 0.9, 16),
            ((60, 220, 240), 280, 170, -2.6, -0.6, 22),
            ((240, 90, 110), 60, 200, 2.0, -1.4, 12),
        ):
            cx, cy = x + dx * self.frame, y + dy * self.frame
            image[(self.x - cx) ** 2 + (self.y - cy) ** 2 < radius**2] = colour
        self.frame += 1
        return image
