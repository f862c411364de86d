"""Tests of the classes and functions that processes written for KWIVER use."""

import os
import subprocess
import sys
import tempfile
import unittest

from pentode import kwiver
from pentode.testing import feed
from pentode.wire import numpy

kwiver.install()

from kwiver.sprokit.pipeline import datum, process, process_factory  # noqa: E402
from kwiver.sprokit.processes.kwiver_process import KwiverProcess  # noqa: E402
from kwiver.vital.types import BoundingBox, DetectedObject, DetectedObjectSet, DetectedObjectType  # noqa: E402
from kwiver.vital.types import F2FHomography, Image, ImageContainer, ObjectTrackState, Timestamp, Track  # noqa: E402


class Window(KwiverProcess):
    """A process that keeps state, pushes several data a step, and completes by itself."""

    def __init__(self, conf):
        KwiverProcess.__init__(self, conf)
        self.add_config_trait("size", "size", "2", "How many numbers a window has.")
        self.declare_config_using_trait("size")
        required = process.PortFlags()
        required.add(self.flag_required)
        self.declare_input_port("number", "integer", required, "A number.")
        self.declare_output_port("window", "integer", process.PortFlags(), "The numbers of a window.")

    def _configure(self):
        self.window = []
        self.size = int(self.config_value("size"))
        self._base_configure()

    def _step(self):
        number = self.grab_value_from_port("number")
        if number < 0:
            self.mark_process_as_complete()
            return
        self.window = (self.window + [number])[-self.size :]
        for n in self.window:
            self.push_value_to_port("window", n)
        self._base_step()


class KwiverTest(unittest.TestCase):
    def test_state_and_several_data(self):
        self.assertEqual(feed(Window, {"number": [1, 2, 3, -1, 4]}), {"window": [1, 1, 2, 2, 3]})
        self.assertEqual(feed(Window, {"number": [1, 2]}, size=1), {"window": [1, 2]})

    def test_one_module_has_several_names(self):
        import sprokit.pipeline.process
        import vital.types

        self.assertIs(sprokit.pipeline.process, process)
        self.assertIs(vital.types.Timestamp, Timestamp)

    def test_an_installed_package_wins(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "kwiver"))
            with open(os.path.join(folder, "kwiver", "__init__.py"), "w") as f:
                f.write("real = True")
            code = (
                "import sys; sys.path.insert(0, %r)\n"
                "from pentode import kwiver as ours; ours.install()\n"
                "import kwiver, vital.types; assert kwiver.real and vital.types.Image" % folder
            )
            here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
            subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, "PYTHONPATH": here})

    def test_factory(self):
        process_factory.add_process("window", "Windows.", Window)
        made = process_factory.create_process("window", "w")
        self.assertEqual((made.name(), made.type(), made.input_ports()), ("w", "window", ["number"]))
        process_factory.mark_process_module_as_loaded("python:test")
        self.assertTrue(process_factory.is_process_module_loaded("python:test"))

    def test_datum(self):
        self.assertEqual(datum.new(3).get_datum(), 3)
        self.assertEqual(datum.error("x").get_error(), "x")
        self.assertEqual(datum.empty().type(), datum.DatumType.empty)
        self.assertEqual(datum.new_string("a").get_string(), "a")

    def test_detections(self):
        found = DetectedObject(BoundingBox(0, 0, 10, 5), 0.4, DetectedObjectType("fish", 0.9))
        objects = DetectedObjectSet([found, DetectedObject(BoundingBox(1, 1, 2, 2), 0.8)])
        self.assertEqual(len(objects.select(0.5)), 1)
        self.assertEqual(objects.select("fish")[0].bounding_box.area(), 50)
        copy = found.clone()
        copy.bounding_box = BoundingBox(0, 0, 1, 1)
        self.assertEqual(found.bounding_box.width(), 10)

    def test_tracks(self):
        t = Track(id=3)
        self.assertTrue(t.append(ObjectTrackState(Timestamp(1000, 1), None)))
        self.assertFalse(t.append(ObjectTrackState(1, 2000, None)))
        self.assertEqual((t.first_frame, t.size), (1, 1))

    def test_homography(self):
        h = F2FHomography.from_doubles([[1, 0, 2], [0, 1, 3], [0, 0, 1]], 4, 1)
        self.assertEqual(list(h.homography.map((1, 1))), [3, 4])
        self.assertEqual((h.inverse() * h).get(0, 2), 0)

    @unittest.skipIf(numpy() is None, "numpy is not installed")
    def test_images(self):
        np = numpy()
        image = Image(np.arange(24, dtype=np.uint8).reshape(2, 4, 3))
        self.assertEqual((image.width(), image.height(), image.depth(), image[1, 0, 2]), (4, 2, 3, 5))
        changed = ImageContainer(image).asarray()
        changed[:] = 0
        self.assertEqual(image[1, 0, 2], 5)
        self.assertEqual(Image(3, 2, 1, True, Image.PIXEL_FLOAT, 4).pixel_type_name(), "float32")

    def test_track_readers(self):
        from pentode.kwiver.roles import ROLES
        from pentode.process import Complete

        class Reader:
            sets = ["first"]

            def read_set(self):
                return self.sets.pop() if self.sets else None

        reader, step = Reader(), ROLES["read_object_track"].step
        self.assertEqual(step(reader, "a.png"), "first")
        self.assertEqual(step(reader, "b.png").size(), 0)  # images after the last tracks
        with self.assertRaises(Complete):
            step(reader, None)


if __name__ == "__main__":
    unittest.main()
