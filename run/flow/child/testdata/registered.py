"""Algorithms as VIAME's plugins register them."""

from kwiver.vital.algo import DetectedObjectSetInput, DetectedObjectSetOutput, ImageObjectDetector, MergeDetections
from kwiver.vital.types import BoundingBoxD, DetectedObject, DetectedObjectSet, DetectedObjectType, Point2d


class Corner(ImageObjectDetector):
    """Finds the lower right part of every image."""

    def __init__(self):
        ImageObjectDetector.__init__(self)
        self.size = 1

    def get_configuration(self):
        config = super(ImageObjectDetector, self).get_configuration()
        config.set_value("size", str(self.size))
        return config

    def set_configuration(self, config_in):
        config = self.get_configuration()
        config.merge_config(config_in)
        self.size = int(config.get_value("size"))
        return True

    def check_configuration(self, config):
        return not config.has_value("size") or int(config.get_value("size")) > 0

    def detect(self, image):
        w, h = image.width(), image.height()
        box = BoundingBoxD(w - self.size, h - self.size, w, h)
        found = DetectedObject(box, 0.5, DetectedObjectType("corner", 0.75))
        found.add_keypoint("head", Point2d(w, h))
        return DetectedObjectSet([found])


class All(MergeDetections):
    """Takes every detection of every set."""

    def merge(self, sets):
        return DetectedObjectSet([d for s in sets for d in s])


class Lines(DetectedObjectSetInput):
    """A line for each image: left top right bottom."""

    def open(self, name):
        self.file = open(name)

    def read_set(self):
        line = self.file.readline()
        if not line:
            return None
        return DetectedObjectSet([DetectedObject(BoundingBoxD(*map(float, line.split())), 1.0)]), "a.png"

    def close(self):
        self.file.close()


class LinesByName(Lines):
    """The same, where the name of the image is the number of its line."""

    def read_set_by_path(self, name):
        self.file.seek(0)
        return DetectedObjectSet([DetectedObject(BoundingBoxD(*map(float, list(self.file)[int(name)].split())), 1.0)])


class ToLines(DetectedObjectSetOutput):
    """The same the other way; the file is whole when it is complete."""

    def open(self, name):
        self.file = open(name, "w")

    def write_set(self, found, name):
        for d in found:
            b = d.bounding_box
            print(name, b.min_x(), b.min_y(), b.max_x(), b.max_y(), file=self.file)

    def complete(self):
        print("end", file=self.file)

    def close(self):
        self.file.close()


def __vital_algorithm_register__():
    from kwiver.vital.algo import algorithm_factory

    for name, cls in (("corner", Corner), ("all", All), ("lines", Lines), ("named", LinesByName), ("lines", ToLines)):
        if algorithm_factory.has_algorithm_impl_name(cls.static_type_name(), name):
            continue
        algorithm_factory.add_algorithm(name, cls.__doc__, cls)
        algorithm_factory.mark_algorithm_as_loaded(name)
