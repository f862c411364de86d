"""Algorithms that use OpenCV, with their names in KWIVER and VIAME.

They need the package `cv2` (Debian: python3-opencv). Without it, a pipeline
that uses one of them gets a message that names the package.
"""


def __vital_algorithm_register__() -> None:
    from ..kwiver.vital.algo import algorithm_factory
    from . import features, filters, homography, matching, motion, segment, shapes, stereo, tracking

    for module in (features, filters, homography, matching, motion, segment, shapes, stereo, tracking):
        for name, cls in module.ALGORITHMS:
            if not algorithm_factory.has_algorithm_impl_name(cls.static_type_name(), name):
                algorithm_factory.add_algorithm(name, cls.__doc__, cls)
