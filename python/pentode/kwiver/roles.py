"""Roles of algorithms in processes: which method a step calls, with the data of
which ports.

A pipeline with `detector:type = netharn` gets the class that a module
registered under that name; the process type determines its role.
"""

from typing import Any, Callable, Dict, List, Optional, Tuple

from ..process import Complete, Port
from .sprokit.pipeline import datum
from .vital.algo import algorithm_factory
from .vital.config import Config

ANY = "<any>"  # any number of ports with any names


class Role:
    """The role of an algorithm in a process type.

    `key` is the setting that chooses the algorithm, `kind` the kind it must
    have. A step gets the data of the inputs in order, with None for unconnected
    inputs, and returns the data of the outputs.
    """

    def __init__(
        self,
        key: str,
        kind: str,
        inputs: str,
        outputs: str,
        step: Callable[..., Any],
        start: Optional[Callable[[Any, Config], None]] = None,
        end: Optional[Callable[[Any], None]] = None,
    ):
        self.key, self.kind, self.step, self.start, self.end = key, kind, step, start, end
        self.inputs, self.outputs = inputs.split(), outputs.split()


def _open(algorithm: Any, config: Config) -> None:
    algorithm.open(config.get_value("file_name"))


def _end(algorithm: Any) -> None:
    if hasattr(algorithm, "complete"):
        algorithm.complete()
    algorithm.close()


def _next(algorithm: Any) -> Any:
    found = algorithm.read_set()
    if found is None:
        raise Complete
    return found


def _of_image(algorithm: Any, name: Optional[str]) -> Any:
    """Return the detections of the named image if the reader can look them up by name; else the next ones."""
    if name is None or not hasattr(algorithm, "read_set_by_path"):
        return _next(algorithm)
    return algorithm.read_set_by_path(name), name


def _tracks(algorithm: Any, name: Optional[str]) -> Any:
    """Return the next tracks. The image names only set the pace; images after the last tracks get an empty set."""
    from .vital.types import ObjectTrackSet

    found = algorithm.read_set()
    if found is None and name is None:
        raise Complete
    return ObjectTrackSet() if found is None else found


def _stamp(timestamp: Any) -> Any:
    from .vital.types import Timestamp

    return Timestamp() if timestamp is None else timestamp


def _prepare(tracker: Any, config: Config) -> None:
    """Give a feature tracker the state of its process: a homography generator, and the tracks so far."""
    from .vital.algo import ComputeRefHomography

    generator = ComputeRefHomography.set_nested_algo_configuration("homography_generator", config)
    if generator is None:
        raise ValueError("key `homography_generator:type` has no value: expected a homography generator, such as core")
    tracker.homography_generator, tracker.tracks_so_far = generator, None


def _stabilize(tracker: Any, timestamp: Any, image: Any) -> Any:
    frame = _stamp(timestamp).get_frame()
    tracker.tracks_so_far = tracker.track(tracker.tracks_so_far, frame, image)
    return tracker.homography_generator.estimate(frame, tracker.tracks_so_far)


ROLES: Dict[str, Role] = {
    "image_object_detector": Role(
        "detector", "image_object_detector", "image", "detected_object_set", lambda a, image: a.detect(image)
    ),
    "image_filter": Role("filter", "image_filter", "image", "image", lambda a, image: a.filter(image)),
    "refine_detections": Role(
        "refiner",
        "refine_detections",
        "image detected_object_set",
        "detected_object_set",
        lambda a, image, found: a.refine(image, found),
    ),
    "detected_object_filter": Role(
        "filter", "detected_object_filter", "detected_object_set", "detected_object_set", lambda a, found: a.filter(found)
    ),
    "merge_detection_sets": Role(
        "merger", "merge_detections", ANY, "detected_object_set", lambda a, *sets: a.merge(list(sets))
    ),
    "associate_detections_to_tracks": Role(
        "track_associator",
        "associate_detections_to_tracks",
        "timestamp image object_track_set detected_object_set matrix_d",
        "object_track_set unused_detections",
        lambda a, ts, *rest: a.associate(_stamp(ts), *rest)[:2],
    ),
    "initialize_object_tracks": Role(
        "track_initializer",
        "initialize_object_tracks",
        "timestamp image detected_object_set",
        "object_track_set",
        lambda a, ts, *rest: a.initialize(_stamp(ts), *rest),
    ),
    "track_objects": Role(
        "track_objects",
        "track_objects",
        "timestamp image detected_object_set",
        "object_track_set",
        lambda a, ts, *rest: a.track(_stamp(ts), *rest),
    ),
    "refine_tracks": Role(
        "refiner",
        "refine_tracks",
        "timestamp image object_track_set",
        "object_track_set",
        lambda a, ts, *rest: a.refine(_stamp(ts), *rest),
    ),
    "detect_motion": Role(
        "algo",
        "detect_motion",
        "timestamp image coordinate_system_updated",
        "motion_heat_map",
        lambda a, ts, image, moved: a.process_image(_stamp(ts), image, bool(moved)),
    ),
    "compute_stereo_depth_map": Role(
        "computer",
        "compute_stereo_depth_map",
        "left_image right_image",
        "depth_map",
        lambda a, left, right: a.compute(left, right),
    ),
    "detect_features": Role(
        "feature_detector", "detect_features", "timestamp image", "feature_set", lambda a, ts, image: a.detect(image)
    ),
    "extract_descriptors": Role(
        "descriptor_extractor",
        "extract_descriptors",
        "timestamp image feature_set",
        "descriptor_set",
        lambda a, ts, image, features: a.extract(image, features)[0],
    ),
    "compute_homography": Role(
        "homography_generator",
        "compute_ref_homography",
        "timestamp feature_track_set",
        "homography_src_to_ref",
        lambda a, ts, tracks: a.estimate(_stamp(ts).get_frame(), tracks),
    ),
    "stabilize_image": Role(
        "track_features", "track_features", "timestamp image", "homography_src_to_ref", _stabilize, _prepare
    ),
    "detected_object_input": Role(
        "reader",
        "detected_object_set_input",
        "image_file_name",
        "detected_object_set image_file_name",
        _of_image,
        _open,
        _end,
    ),
    "detected_object_output": Role(
        "writer",
        "detected_object_set_output",
        "detected_object_set image_file_name",
        "",
        lambda a, found, name: a.write_set(found, name or ""),
        _open,
        _end,
    ),
    "read_object_track": Role(
        "reader",
        "read_object_track_set",
        "image_file_name",
        "object_track_set",
        _tracks,
        _open,
        _end,
    ),
    "write_object_track": Role(
        "writer",
        "write_object_track_set",
        "object_track_set timestamp image_file_name",
        "",
        lambda a, tracks, ts, name: a.write_set(tracks, _stamp(ts), name or ""),
        _open,
        _end,
    ),
}


class Player:
    """A process of the pipeline that runs an algorithm."""

    pushes_itself = False

    def __init__(self, hello: Dict[str, Any]):
        self.role = ROLES[hello["type"]]
        self.config = Config(hello["config"])
        self.log: Any = None
        self._connected: Any = frozenset()
        self._pushed: List[Tuple[str, Any]] = []
        self._ending = False
        self._images = frozenset(p["name"] for p in hello["inputs"] if p["type"] == "kwiver:image")
        self._given = [p["name"] for p in hello["inputs"]]
        self._inputs = self._given if self.role.inputs == [ANY] else self.role.inputs
        self._algorithm = algorithm_factory.create_algorithm(self.role.kind, hello["algorithm"])
        self._block = "%s:%s" % (self.role.key, hello["algorithm"])

    def inputs(self) -> List[Port]:
        return [_port(name, False, name in self._given) for name in self._inputs]  # a step waits for all connected inputs

    def outputs(self) -> List[Port]:
        return [_port(name, True, False) for name in self.role.outputs]

    def parameters(self) -> List[str]:
        return self._inputs

    def changes(self, config: Dict[str, str], tunable_only: bool = True) -> Dict[str, str]:
        changed = {k: v for k, v in config.items() if self.config.values.get(k) != v}
        for k in changed:
            if tunable_only:
                raise ValueError("key `%s` cannot change while the process runs" % k)
        return changed

    def configure(self, config: Dict[str, str], tunable_only: bool = False) -> Dict[str, str]:
        return self.changes(config, tunable_only)

    def prepare(self, changed: Dict[str, str]) -> None:
        pass  # nothing can change

    reconfigure = prepare

    def setup(self) -> None:
        given = self.config.subblock(self._block)
        whole = self._algorithm.get_configuration()  # includes defaults, for settings that the pipeline leaves out
        whole.merge_config(given)
        if not _takes(self._algorithm, given, whole):
            raise ValueError("the algorithm refuses the settings of `%s`" % self._block)
        self._algorithm.set_configuration(whole)
        if self.role.start is not None:
            self.role.start(self._algorithm, self.config)

    def step(self, *args: Any) -> Any:
        given = [datum.Datum(v).get_image_container() if n in self._images else v for n, v in zip(self._inputs, args)]
        made = self.role.step(self._algorithm, *given)
        if len(self.role.outputs) < 2 or isinstance(made, tuple):
            return made if self.role.outputs else None
        return (made,) + (None,) * (len(self.role.outputs) - 1)

    def flush(self) -> None:
        pass  # algorithms have no flush

    def finish(self) -> None:
        if self.role.end is not None:
            self.role.end(self._algorithm)


def _takes(algorithm: Any, given: Config, whole: Config) -> bool:
    """Report whether an algorithm accepts its settings: some check only given ones, others need all."""
    try:
        return algorithm.check_configuration(given) is not False
    except ValueError:
        return algorithm.check_configuration(whole) is not False


def _port(name: str, output: bool, required: bool) -> Port:
    port = Port("_any", name, "", required, output)
    port.attribute = name
    return port


def known(process_type: str, name: str) -> str:
    """Return why a process of a type cannot use an algorithm with this name; empty if it can."""
    from .vital.modules import load_known_modules

    load_known_modules()
    role = ROLES.get(process_type)
    if role is None:
        return "process type `%s` has no algorithm in Python" % process_type
    return algorithm_factory.lacks(role.kind, name)
