"""Tests of the OpenCV algorithms, with small pictures whose results are known."""

import importlib.util
import json
import os
import tempfile
import unittest

from pentode.kwiver.vital.algo import ComputeRefHomography, ComputeStereoDepthMap, DetectFeatures, DetectMotion  # noqa: E402
from pentode.kwiver.vital.algo import EstimateHomography, ExtractDescriptors, FilterFeatures, ImageFilter  # noqa: E402
from pentode.kwiver.vital.algo import ImageObjectDetector, MatchFeatures, RefineDetections  # noqa: E402
from pentode.kwiver.vital.config import Config
from pentode.kwiver.vital.types import Descriptor, DescriptorSet, FeatureTrackSet, FeatureTrackState, Feature, FeatureSet  # noqa: E402
from pentode.kwiver.vital.types import ImageContainer, MatchSet, Timestamp, Track
from pentode.types import BoundingBox, DetectedObject, DetectedObjectSet


def image(array):
    return ImageContainer.fromarray(array)


def made(kind, name, **settings):
    algorithm = kind.create(name)
    algorithm.set_configuration(Config({k: str(v) for k, v in settings.items()}))
    return algorithm


def box(d):
    b = d.bounding_box
    return b.min_x(), b.min_y(), b.max_x(), b.max_y()


def noise(w, h, seed=1):
    """Return a picture with texture everywhere."""
    import cv2
    import numpy as np

    rough = np.random.RandomState(seed).randint(0, 255, (h // 4, w // 4)).astype(np.uint8)
    return cv2.resize(rough, (w, h), interpolation=cv2.INTER_CUBIC)


@unittest.skipIf(importlib.util.find_spec("cv2") is None, "cv2 is not installed")
class VisionTest(unittest.TestCase):
    def moved(self, dx, dy):
        whole = noise(360, 280)
        return image(whole[20:260, 20:340]), image(whole[20 + dy : 260 + dy, 20 + dx : 340 + dx])

    def test_features_find_the_motion(self):
        one, two = self.moved(7, 4)
        for name, matcher in (("ocv_SIFT", "ocv_flann_based"), ("ocv_ORB", "ocv_flann_based"), ("ocv_ORB", "ocv_brute_force")):
            detect = made(DetectFeatures, name, n_features=300)
            extract = made(ExtractDescriptors, name)
            (d1, f1), (d2, f2) = (extract.extract(i, detect.detect(i)) for i in (one, two))
            self.assertEqual((len(d1), len(d1[0])), (len(f1), 128 if name == "ocv_SIFT" else 32))
            matches = made(MatchFeatures, matcher).match(f1, d1, f2, d2)
            self.assertGreater(matches.size(), 50, name)
            found, good = made(EstimateHomography, "ocv").estimate(f1, f2, matches)
            self.assertEqual(len(good), matches.size())
            x, y = found.map((100, 100))
            self.assertAlmostEqual(x, 93, delta=0.5)
            self.assertAlmostEqual(y, 96, delta=0.5)

    def test_few_points(self):
        one, two = FeatureSet([Feature((0, 0))]), FeatureSet([Feature((1, 1))])
        empty = made(ExtractDescriptors, "ocv_SIFT").extract(image(noise(64, 64)), FeatureSet())
        self.assertEqual((len(empty[0]), len(empty[1])), (0, 0))
        matches = made(MatchFeatures, "ocv_flann_based").match(one, empty[0], two, empty[0])
        self.assertEqual(matches.size(), 0)
        self.assertIsNone(made(EstimateHomography, "ocv").estimate(one, two, matches))

    def test_nonmax(self):
        near = FeatureSet([Feature((0, 0), 1), Feature((3, 0), 2), Feature((30, 0), 1)])
        kept = made(FilterFeatures, "nonmax").filter(near).features()
        self.assertEqual([f.magnitude for f in kept], [2, 1])
        grid = FeatureSet(Feature((x, y), x * y) for x in range(50) for y in range(50))
        count = made(FilterFeatures, "nonmax", num_features_target=100, num_features_range=50).filter(grid).size()
        self.assertTrue(100 <= count <= 150, count)
        detect = made(
            DetectFeatures, "filtered", **{"detector:type": "ocv_SIFT", "filter:type": "nonmax", "filter:nonmax:suppression_radius": 40}
        )
        found = [f.location for f in detect.detect(image(noise(200, 200))).features()]
        self.assertGreater(len(found), 5)
        self.assertTrue(all(abs(a - b).max() > 28 for i, a in enumerate(found) for b in found[:i]))

    def test_reference_homography(self):
        reference = made(ComputeRefHomography, "core", **{"estimator:type": "ocv", "min_matches_threshold": 8})
        places = [(x, y) for x in (10, 50, 90) for y in (10, 50, 90)]
        tracks = FeatureTrackSet(Track(i) for i in range(len(places)))
        for frame in range(3):
            for t, (x, y) in zip(tracks, places):
                t.append(FeatureTrackState(frame, Feature((x + 5 * frame, y))))
            found = reference.estimate(frame, tracks)
        self.assertEqual((found.from_id, found.to_id), (2, 0))
        self.assertAlmostEqual(found.homography.map((30, 30))[0], 20, places=2)
        lost = reference.estimate(3, FeatureTrackSet())
        self.assertEqual((lost.from_id, lost.to_id), (3, 3))

    def test_stabilize(self):
        """Return a view that moves by 3 and 2 pixels a frame, and then shows something else."""
        from pentode.kwiver import roles

        view, other = noise(300, 260), noise(200, 160, 5)
        config = {
            "feature_detector:type": "ocv_SIFT",
            "descriptor_extractor:type": "ocv_SIFT",
            "feature_matcher:type": "homography_guided",
            "feature_matcher:homography_guided:feature_matcher1:type": "ocv_brute_force",
            "feature_matcher:homography_guided:homography_estimator:type": "ocv",
            "feature_matcher:homography_guided:min_required_inlier_count": "30",
        }
        config = {"track_features:core:" + name: value for name, value in config.items()}
        config.update({"track_features:type": "core", "homography_generator:type": "core", "homography_generator:core:estimator:type": "vxl"})
        inputs = [{"name": "timestamp", "type": "kwiver:timestamp"}, {"name": "image", "type": "kwiver:image"}]
        player = roles.Player({"type": "stabilize_image", "algorithm": "core", "config": config, "inputs": inputs})
        player.setup()
        for frame in range(4):
            found = player.step(Timestamp(0, frame), view[2 * frame : 160 + 2 * frame, 3 * frame : 200 + 3 * frame])
            x, y = found.homography.map((50, 50))
            self.assertAlmostEqual(x, 50 + 3 * frame, delta=0.2)
            self.assertAlmostEqual(y, 50 + 2 * frame, delta=0.2)
            self.assertEqual((found.from_id, found.to_id), (frame, 0))
        found = player.step(Timestamp(0, 4), other)
        self.assertEqual((found.from_id, found.to_id), (4, 4))
        del config["homography_generator:type"]
        with self.assertRaisesRegex(ValueError, "`homography_generator:type` has no value"):
            roles.Player({"type": "stabilize_image", "algorithm": "core", "config": config, "inputs": inputs}).setup()

    def test_guided(self):
        """The second matcher gets the features at the places to which the homography moves them."""
        import numpy as np

        places = [(x, y) for x in (10, 50, 90) for y in (10, 50, 90)]
        one, two = FeatureSet(Feature(p) for p in places), FeatureSet(Feature((x + 7, y)) for x, y in places)
        rows = DescriptorSet(Descriptor(row, "f") for row in np.eye(9))
        base = {"feature_matcher1:type": "ocv_brute_force", "homography_estimator:type": "ocv"}
        self.assertEqual(made(MatchFeatures, "homography_guided", **base).match(one, rows, two, rows).size(), 9)
        strict = made(MatchFeatures, "homography_guided", min_required_inlier_count=10, **base)
        self.assertEqual(strict.match(one, rows, two, rows).size(), 0)
        seen = []

        class Second:
            def match(self, features, *rest):
                seen.extend(f.location for f in features.features())
                return MatchSet([(0, 0)])

        guided = made(MatchFeatures, "homography_guided", **base)
        guided.second = Second()
        self.assertEqual(guided.match(one, rows, two, rows).matches(), [(0, 0)])
        self.assertAlmostEqual(float(seen[0][0]), 17, places=2)
        with self.assertRaisesRegex(ValueError, "`homography_estimator:type` has no value: expected one of .*ocv"):
            made(MatchFeatures, "homography_guided", **{"feature_matcher1:type": "ocv_brute_force"})

    def test_disparity(self):
        import numpy as np

        whole = noise(320, 120)
        left, right = image(whole[:, 16:304]), image(whole[:, 24:312])  # 8 pixels apart
        for name in ("SGBM", "BM"):
            computer = made(ComputeStereoDepthMap, "ocv_stereo_disparity", algorithm=name, num_disparities=32, output_format="float32")
            found = computer.compute(left, right).asarray()[20:100, 60:250, 0]
            self.assertAlmostEqual(float(np.median(found)), 8, delta=0.25)
        scaled = made(ComputeStereoDepthMap, "ocv_stereo_disparity", num_disparities=32, output_format="uint16_scaled")
        self.assertEqual(int(np.median(scaled.compute(left, right).asarray()[20:100, 60:250])), 2048)
        alpha = made(ComputeStereoDepthMap, "ocv_stereo_disparity", num_disparities=32, disparity_as_alpha=True)
        self.assertEqual((alpha.compute(left, right).depth(), int(np.median(alpha.compute(left, right).asarray()[20:100, 60:250, 3]))), (4, 8))
        with self.assertRaisesRegex(ValueError, "`num_disparities` is `10`, but must be a multiple of 16"):
            made(ComputeStereoDepthMap, "ocv_stereo_disparity", num_disparities=10)

    def test_disparity_of_narrow_images(self):
        narrow = image(noise(64, 40))
        for least in (0, -16):
            with self.assertRaisesRegex(ValueError, "64 pixels wide, but with `min_disparity` %d and .* wider than 64" % least):
                made(ComputeStereoDepthMap, "ocv_stereo_disparity", num_disparities=64, min_disparity=least).compute(narrow, narrow)
        wide = image(noise(68, 40))
        self.assertEqual(made(ComputeStereoDepthMap, "ocv_stereo_disparity", num_disparities=64).compute(wide, wide).width(), 68)

    def test_calibration_that_is_none(self):
        for name, want in (("nowhere.json", "`nowhere.json` cannot be read: No such file"), (__file__, "is not JSON")):
            with self.assertRaisesRegex(ValueError, "key `calibration_file`: .*" + want.replace(".", "[.]")):
                made(ComputeStereoDepthMap, "ocv_stereo_disparity", calibration_file=name)

    def test_calibrated_disparity(self):
        import numpy as np

        whole = noise(320, 120)
        rig = {"R": [1, 0, 0, 0, 1, 0, 0, 0, 1], "T": [-1, 0, 0]}
        for side in ("left", "right"):
            rig.update({k + "_" + side: v for k, v in {"fx": 300, "fy": 300, "cx": 144, "cy": 60}.items()})
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "rig.json")
            with open(name, "w") as f:
                json.dump(rig, f)
            same = made(ComputeStereoDepthMap, "ocv_stereo_disparity", num_disparities=32, output_format="float32", calibration_file=name)
            found = same.compute(image(whole[:, 16:304]), image(whole[:, 24:312])).asarray()[20:100, 60:250]
            self.assertAlmostEqual(float(np.median(found)), 8, delta=0.5)
            with open(name, "w") as f:
                f.write("{}")
            with self.assertRaisesRegex(ValueError, "has no member `fx_left`"):
                made(ComputeStereoDepthMap, "ocv_stereo_disparity", calibration_file=name)

    def test_targets(self):
        import numpy as np

        board = np.full((280, 360), 255, np.uint8)
        for i in range(6):
            for j in range(8):
                if (i + j) % 2:
                    board[20 + 40 * i : 60 + 40 * i, 20 + 40 * j : 60 + 40 * j] = 0
        for settings in ({"target_width": 7, "target_height": 5}, {"auto_detect_grid": True}):
            found = made(ImageObjectDetector, "ocv_detect_calibration_targets", object_type="board", square_size=2.5, **settings).detect(image(board))
            self.assertEqual(len(found), 35)
            near = sorted(tuple(np.round(d.bounding_box.center() / 10)) for d in found)
            self.assertEqual((near[0], near[-1], len(set(near))), ((6, 6), (30, 22), 35))
            self.assertEqual(found[34].notes, [":stereo3d_x=15.000000", ":stereo3d_y=10.000000", ":stereo3d_z=0.000000"])
        part = made(ImageObjectDetector, "ocv_detect_calibration_targets", roi_x1=0, roi_y1=0, roi_x2=90, roi_y2=90)
        self.assertEqual(len(part.detect(image(board))), 1)
        dots = np.full((200, 300), 255, np.uint8)
        y, x = np.ogrid[:200, :300]
        for cx, cy in ((50, 50), (150, 50), (250, 150)):
            dots[(x - cx) ** 2 + (y - cy) ** 2 <= 100] = 0
        found = made(ImageObjectDetector, "ocv_detect_calibration_targets").detect(image(dots))
        self.assertEqual(sorted(tuple(np.round(d.bounding_box.center())) for d in found), [(50, 50), (150, 50), (250, 150)])

    def test_optical_flow(self):
        import numpy as np

        one, two = self.moved(-3, 0)
        flow = made(ImageFilter, "ocv_optical_flow", output="vector", compensate_background="false", scale=10)
        self.assertTrue((flow.filter(one).asarray() == 128).all())
        right, down = np.median(flow.filter(two).asarray()[40:-40, 40:-40], axis=(0, 1))
        self.assertAlmostEqual(right, 128 + 3 * 12.7, delta=3)
        self.assertAlmostEqual(down, 128, delta=2)
        still = made(ImageFilter, "ocv_optical_flow")
        still.filter(one)
        self.assertLess(np.median(still.filter(two).asarray()), 20)

    def test_denoise(self):
        import numpy as np

        clean = np.full((40, 60, 3), 100, np.uint8)
        rough = np.clip(clean + np.random.RandomState(1).normal(0, 4, clean.shape), 0, 255).astype(np.uint8)
        for array in (rough, rough[:, :, 0]):
            smooth = made(ImageFilter, "ocv_denoise", denoise_coeff=8).filter(image(array)).asarray()
            self.assertLess(smooth.std(), array.std() / 2)
            self.assertAlmostEqual(smooth.mean(), 100, delta=2)

    def test_watershed(self):
        import numpy as np

        view = np.full((60, 80, 3), 30, np.uint8)
        view[20:40, 30:50] = (200, 40, 40)
        box = DetectedObjectSet([DetectedObject(BoundingBox(24, 14, 56, 46), 0.5)])
        found = made(RefineDetections, "ocv_watershed").refine(image(view), box)[0]
        mask = found.mask.asarray()[:, :, 0]
        self.assertEqual(mask.shape, (32, 32))
        self.assertTrue(mask[8:24, 8:24].all())
        self.assertLess(mask.sum(), 24 * 24)
        xs, ys = found.get_flattened_polygon()[::2], found.get_flattened_polygon()[1::2]
        for have, want in zip((min(xs), max(xs), min(ys), max(ys)), (30, 49, 20, 39)):
            self.assertAlmostEqual(have, want, delta=2)

    def test_three_frames(self):
        import numpy as np

        def frame(x):
            f = np.full((20, 30, 3), 50, np.uint8)
            f[5:10, x : x + 5] = 200
            return image(f)

        motion = made(DetectMotion, "ocv_3frame_differencing")
        heats = [motion.process_image(None, frame(x), False).asarray().squeeze() for x in (2, 10, 18)]
        self.assertEqual([h.max() for h in heats[:1]], [0])
        self.assertEqual(heats[2].shape, (20, 30))
        # bright where the object is now, not where it was: |2 - 18| + |18 - 10| - |2 - 10|, saturated at 255
        self.assertTrue((heats[2][5:10, 18:23] == 255).all())
        self.assertEqual(np.count_nonzero(heats[2]), 25)
        self.assertEqual(motion.process_image(None, frame(26), True).asarray().max(), 0)  # after a reset
        still = made(DetectMotion, "ocv_3frame_differencing", jitter_radius=1)
        for x in (10, 11, 10):  # a shaking camera
            shaken = still.process_image(None, frame(x), False)
        self.assertEqual(shaken.asarray().max(), 0)
        calm = made(DetectMotion, "ocv_3frame_differencing", max_foreground_fract=0.01, max_foreground_fract_thresh=10)
        for x in (2, 10, 18):
            self.assertEqual(calm.process_image(None, frame(x), False).asarray().max(), 0)

    def test_heat_map(self):
        import numpy as np

        heat = np.zeros((60, 80), np.uint8)
        heat[10:20, 30:50], heat[40:44, 5:9], heat[0, :] = 90, 200, 255
        found = made(ImageObjectDetector, "detect_heat_map", threshold=50, class_name="fish", score_mode="0.5").detect(image(heat))
        self.assertEqual(sorted(map(box, found)), [(5, 40, 9, 44), (30, 10, 50, 20)])
        self.assertEqual([(d.confidence, d.type.get_most_likely_class()) for d in found], [(0.5, "fish")] * 2)
        few = made(ImageObjectDetector, "detect_heat_map", threshold=50, min_area=100).detect(image(heat))
        self.assertEqual([box(d) for d in few], [(30, 10, 50, 20)])
        heat[0, :] = 0
        fixed = made(ImageObjectDetector, "detect_heat_map", force_bbox_width=20, force_bbox_height=20).detect(image(heat))
        self.assertEqual([box(d) for d in fixed], [(30, 5, 50, 25), (0, 32, 20, 52)])  # parts in the middle
        self.assertEqual([d.confidence for d in fixed], [45.0, 8.0])  # the mean within the box
        one = made(ImageObjectDetector, "detect_heat_map", force_bbox_width=20, force_bbox_height=20, max_boxes=1)
        self.assertEqual(len(one.detect(image(heat))), 1)
        with self.assertRaisesRegex(ValueError, "2 channels, but must have one"):
            one.detect(image(np.zeros((30, 30, 2), np.uint8)))
        small = made(ImageObjectDetector, "detect_heat_map", force_bbox_width=20, force_bbox_height=20, pyr_red_levels=1)
        for have, want in zip(box(small.detect(image(heat))[0]), (30, 5, 50, 25)):
            self.assertAlmostEqual(have, want, delta=2)

    def test_circles(self):
        import cv2
        import numpy as np

        picture = np.zeros((120, 160, 3), np.uint8)
        cv2.circle(picture, (70, 50), 30, (255, 255, 255), -1)
        found = made(ImageObjectDetector, "hough_circle", param2=20).detect(image(picture))
        self.assertEqual(len(found), 1)
        for have, want in zip(box(found[0]), (40, 20, 100, 80)):
            self.assertAlmostEqual(have, want, delta=2)
        self.assertEqual(found[0].type.get_most_likely_class(), "circle")
        self.assertEqual(len(made(ImageObjectDetector, "hough_circle").detect(image(picture * 0))), 0)

    def test_end_points(self):
        import numpy as np

        bar = DetectedObject(BoundingBox(100, 50, 140, 60))
        bar.mask = image(np.pad(np.ones((4, 40), np.uint8), ((3, 3), (0, 0))))
        outlined = DetectedObject(BoundingBox(100, 50, 140, 60))
        outlined.set_flattened_polygon([100, 53, 139, 53, 139, 56, 100, 56])
        plain = DetectedObject(BoundingBox(0, 0, 10, 10))
        for method, want in (
            ("oriented_bbox", ((139, 54.5), (100, 54.5))),
            ("hull_extremes", ((139, 54.5), (100, 54.5))),
            ("pca", ((139, None), (100, None))),
            ("farthest", ((139, None), (100, None))),
            ("skeleton", (None, None)),
        ):
            ends = made(RefineDetections, "add_keypoints_from_mask", method=method)
            one, two, three = ends.refine(None, DetectedObjectSet([bar, outlined, plain]))
            self.assertEqual((bar.keypoints, three.keypoints), ({}, {}))  # the input is unchanged
            for d in (one, two):
                self.assertGreater(d.keypoints["head"][0], d.keypoints["tail"][0] + 20, method)
                for name, point in zip(("head", "tail"), want):
                    for have, number in zip(d.keypoints[name], point or ()):
                        if number is not None:
                            self.assertAlmostEqual(have, number, delta=0.01, msg=method)
        clipped = made(RefineDetections, "add_keypoints_from_mask", clip_to_mask=True).refine(None, DetectedObjectSet([bar]))
        self.assertAlmostEqual(clipped[0].keypoints["head"][0], 139, delta=0.01)
        with self.assertRaisesRegex(ValueError, "key `method` is `guess`, but must be"):
            made(RefineDetections, "add_keypoints_from_mask", method="guess")

    def test_settings(self):
        with self.assertRaisesRegex(ValueError, "key `sigma` is `much`, but must be a number"):
            made(DetectFeatures, "ocv_SIFT", sigma="much")
        self.assertEqual(made(DetectFeatures, "ocv_SIFT", sigma=2).get_configuration().get_value("sigma"), "2.0")


if __name__ == "__main__":
    unittest.main()
