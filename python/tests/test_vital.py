"""Tests of the types, settings and algorithms that plugins of VIAME import."""

import os
import tempfile
import unittest

from pentode import kwiver
from pentode.serve import RECORDS
from pentode.wire import Decoder, Encoder, numpy

kwiver.install()

from kwiver.vital import algo  # noqa: E402
from kwiver.vital.algo import DetectFeatures, ImageFilter, ImageObjectDetector, algorithm_factory  # noqa: E402
from kwiver.vital.config import Config, read_config_file  # noqa: E402
from kwiver.vital.modules import failures, load_module  # noqa: E402
from kwiver.vital.types import CameraIntrinsics, CategoryHierarchy, Covar2d, DescriptorSet, Feature  # noqa: E402
from kwiver.vital.types import FeatureTrackSet, FeatureTrackState, MatchSet, Point2d, Point3f, Point2i  # noqa: E402
from kwiver.vital.types import BoundingBoxD, DetectedObject, DetectedObjectSet, Polygon  # noqa: E402
from kwiver.vital.types import SimpleFeatureSet, Track, new_descriptor  # noqa: E402


def travel(value):
    """Return a value as another process gets it."""
    e = Encoder()
    e.value(value)
    return Decoder(bytes(e.out), None, RECORDS).value()


class Add(ImageFilter):
    def __init__(self):
        ImageFilter.__init__(self)
        self.amount = 1

    def get_configuration(self):
        config = super(ImageFilter, self).get_configuration()
        config.set_value("amount", str(self.amount))
        return config

    def set_configuration(self, config):
        self.amount = int(config.get_value("amount", "1"))

    def filter(self, image):
        return image + self.amount


class AlgorithmTest(unittest.TestCase):
    def setUp(self):
        algorithm_factory.add_algorithm("add", "Adds.", Add)

    def test_names(self):
        self.assertEqual(Add.static_type_name(), "image_filter")
        self.assertTrue(algorithm_factory.has_algorithm_impl_name("image_filter", "add"))
        self.assertFalse(algorithm_factory.has_algorithm_impl_name("image_object_detector", "add"))
        self.assertIn("add", ImageFilter.registered_names())
        self.assertEqual(algo.Transform2DIO.static_type_name(), "transform_2d_io")

    def test_nested(self):
        config = Config({"a:type": "add", "a:add:amount": "3"})
        made = ImageFilter.set_nested_algo_configuration("a", config)
        self.assertEqual((made.filter(1), made.impl_name), (4, "add"))
        self.assertIsNone(ImageFilter.set_nested_algo_configuration("b", config))
        self.assertTrue(ImageFilter.check_nested_algo_configuration("a", config))
        self.assertFalse(ImageFilter.check_nested_algo_configuration("b", config))
        written = Config()
        ImageFilter.get_nested_algo_configuration("c", written, made)
        self.assertEqual(written.values, {"c:type": "add", "c:add:amount": "3"})

    def test_missing(self):
        with self.assertRaisesRegex(RuntimeError, "registers `ad` as image_filter, but `add`"):
            ImageFilter.create("ad")
        with self.assertRaisesRegex(RuntimeError, "leaves out: use `ocv_SIFT`"):
            DetectFeatures.create("ocv_SURF")
        with self.assertRaisesRegex(RuntimeError, "but has no method `detect`"):
            ImageObjectDetector().detect(None)

    def test_modules(self):
        with tempfile.TemporaryDirectory() as folder:
            package = os.path.join(folder, "plugins_of_mine")
            os.mkdir(package)
            register = (
                "def __vital_algorithm_register__():\n"
                "    from kwiver.vital.algo import ImageFilter, algorithm_factory\n"
                "    algorithm_factory.add_algorithm('from_below', '', type('F', (ImageFilter,), {}))\n"
            )
            for name, text in (
                ("__init__", ""),
                ("below", register),
                ("broken", "import no_such_module\n" + register),
                ("other", "raise Exception('this module cannot be loaded')"),
            ):
                with open(os.path.join(package, name + ".py"), "w") as f:
                    f.write(text)
            import sys

            sys.path.insert(0, folder)
            try:
                load_module("plugins_of_mine")
            finally:
                sys.path.remove(folder)
        self.assertTrue(algorithm_factory.has_algorithm_impl_name("image_filter", "from_below"))
        self.assertEqual(failures["plugins_of_mine.broken"], "No module named 'no_such_module'")
        self.assertNotIn("plugins_of_mine.other", failures)


class ConfigTest(unittest.TestCase):
    def test_file(self):
        with tempfile.TemporaryDirectory() as folder:

            def write(name, text):
                with open(os.path.join(folder, name), "w") as f:
                    f.write(text)
                return os.path.join(folder, name)

            write("more.conf", "depth = 2\n")
            main = write(
                "main.conf",
                "# a comment\nbase := fish\ndetector:type = $LOCAL{base}\nblock detector:fish\n"
                "  relativepath model = net.zip\n  include more.conf\nendblock\nagain = $CONFIG{detector:type} # it\n",
            )
            config = read_config_file(main)
            self.assertEqual(
                config.values,
                {
                    "detector:type": "fish",
                    "detector:fish:model": os.path.join(folder, "net.zip"),
                    "detector:fish:depth": "2",
                    "again": "fish",
                },
            )
            with self.assertRaisesRegex(ValueError, "bad.conf:2: expected KEY = VALUE"):
                read_config_file(write("bad.conf", "a = 1\nnonsense\n"))
            with self.assertRaisesRegex(ValueError, "includes itself"):
                read_config_file(write("loop.conf", "include loop.conf\n"))
            with self.assertRaisesRegex(ValueError, "ends inside block `a`"):
                read_config_file(write("open.conf", "block a\n"))


@unittest.skipIf(numpy() is None, "numpy is not installed")
class TypesTest(unittest.TestCase):
    def test_points(self):
        self.assertEqual(list(Point2d(1, 2).value), [1, 2])
        self.assertEqual(Point2d([1, 2]), Point2d(value=(1, 2)))
        self.assertEqual((Point2i(1.5, 2)[0], Point3f(1, 2, 3).type_name), (1, "f"))
        with self.assertRaises(TypeError):
            Point2d(1, 2, 3)
        covariance = Covar2d(4)
        covariance[0, 1] = 2
        self.assertEqual(covariance.matrix().tolist(), [[4, 2], [2, 4]])

    def test_polygon(self):
        square = Polygon([(0, 0), (4, 0), (4, 4), (0, 4)])
        self.assertEqual((square.contains(1, 2), square.contains((5, 2)), square.num_vertices()), (True, False, 4))

    def test_categories(self):
        tree = CategoryHierarchy(["animal", "fish", "crab"], ["", "animal", "animal"], [0, 1, 2])
        tree.add_synonym("fish", "pisces")
        self.assertEqual((tree.get_class_name("pisces"), tree.get_class_id("crab")), ("fish", 2))
        self.assertEqual((tree.child_class_names(), tree.get_class_parents("fish")), (["fish", "crab"], ["animal"]))
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as f:
            f.write("# kinds\nanimal\nfish pisces :parent=animal\n")
            f.flush()
            read = CategoryHierarchy(f.name)
        self.assertEqual((read.all_class_names(), read.get_class_id("pisces")), (["animal", "fish"], 1))

    def test_camera(self):
        camera = CameraIntrinsics(1000, (320, 240), 1, 0, [0.1, 0.01])
        self.assertEqual(list(camera.map((0, 0))), [320, 240])
        x, y = camera.map((0.1, 0.2))
        self.assertAlmostEqual(x, 320 + 100 * (1 + 0.1 * 0.05 + 0.01 * 0.0025))
        back = camera.unmap((x, y))
        self.assertAlmostEqual(back[0], 0.1)
        self.assertAlmostEqual(back[1], 0.2)
        same = CameraIntrinsics(K=camera.as_matrix(), d=camera.dist_coeffs())
        self.assertEqual(list(same.map((0.1, 0.2))), [x, y])

    def test_features_travel(self):
        features = SimpleFeatureSet([Feature((1, 2), 3, 4, 5), Feature((6, 7))])
        self.assertEqual(travel(features).features(), features.features())
        descriptor = new_descriptor(3, "f")
        descriptor[:] = [1, 2, 3]
        there = travel(DescriptorSet([descriptor]))
        self.assertEqual((there[0].todoublearray(), there[0].nbytes, there[0].sum()), ([1, 2, 3], 12, 6))
        self.assertEqual(travel(MatchSet([(1, 2), (3, 4)])).matches(), [(1, 2), (3, 4)])
        self.assertEqual(len(travel(DescriptorSet())), 0)

    def test_feature_tracks(self):
        tracks = FeatureTrackSet()
        tracks.insert(Track(1, [FeatureTrackState(f, Feature((f, 0)), new_descriptor(2)) for f in (0, 1)]))
        tracks.insert(Track(2, [FeatureTrackState(0, Feature((9, 9)), new_descriptor(2))]))
        self.assertEqual([t.id for t in tracks.active_tracks()], [1])
        self.assertEqual([t.id for t in tracks.active_tracks(0)], [1, 2])
        self.assertEqual([t.id for t in tracks.inactive_tracks(-1)], [2])
        self.assertEqual(tracks.frame_features(0).size(), 2)
        there = travel(tracks)
        self.assertEqual(there.get_track(1)[1].feature, Feature((1, 0)))
        self.assertEqual(there.last_frame_descriptors().size(), 1)

    def test_detections_keep_what_they_have(self):
        found = DetectedObject(BoundingBoxD(0, 0, 4, 4), 0.5)
        found.set_flattened_polygon([0, 0, 4, 0, 4, 4])
        found.add_keypoint("head", Point2d(1, 2))
        found.add_note("large")
        found.set_length(3)
        there = travel(DetectedObjectSet([found]))[0]
        self.assertEqual(there.get_flattened_polygon(), [0, 0, 4, 0, 4, 4])
        self.assertEqual((list(there.keypoints["head"].value), there.notes, there.length), ([1, 2], ["large"], 3))
        self.assertEqual(travel(DetectedObjectSet([there]))[0]._members(), found._members())

    def test_track_states_by_frame(self):
        track = Track(1, [FeatureTrackState(f) for f in (3, 7)])
        self.assertEqual((track[7].frame_id, track[-1].frame_id), (7, 7))
        with self.assertRaises(IndexError):
            track[1]


if __name__ == "__main__":
    unittest.main()
