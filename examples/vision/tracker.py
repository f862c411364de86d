"""A tracker in the style of KWIVER: it runs there and here unchanged."""

from kwiver.sprokit.pipeline import process
from kwiver.sprokit.processes.kwiver_process import KwiverProcess
from kwiver.vital.types import ObjectTrackSet, ObjectTrackState, Track


class NearestTracker(KwiverProcess):
    """Gives each detection to the nearest track, or begins a new one."""

    def __init__(self, conf):
        KwiverProcess.__init__(self, conf)
        self.add_config_trait("reach", "reach", "25", "Pixels that an object moves at most from frame to frame.")
        self.declare_config_using_trait("reach")
        required = process.PortFlags()
        required.add(self.flag_required)
        optional = process.PortFlags()
        self.declare_input_port_using_trait("timestamp", required)
        self.declare_input_port_using_trait("detected_object_set", required)
        self.declare_output_port_using_trait("object_track_set", optional)

    def _configure(self):
        self.reach = float(self.config_value("reach"))
        self.tracks = []
        self._base_configure()

    def _step(self):
        stamp = self.grab_input_using_trait("timestamp")
        free = [t for t in self.tracks if t.last_frame >= stamp.get_frame() - 3]
        for found in self.grab_input_using_trait("detected_object_set"):
            near = min(free, key=lambda t: distance(t[-1].detection(), found), default=None)
            if near is None or distance(near[-1].detection(), found) > self.reach:
                near = Track(id=len(self.tracks) + 1)
                self.tracks.append(near)
            else:
                free.remove(near)
            near.append(ObjectTrackState(stamp.get_frame(), stamp.get_time_usec(), found))
        self.push_to_port_using_trait("object_track_set", ObjectTrackSet(self.tracks))
        self._base_step()


def distance(a, b):
    """Pixels between the middles of two detections."""
    p, q = a.bounding_box.center(), b.bounding_box.center()
    return ((p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2) ** 0.5


def __sprokit_register__():
    from kwiver.sprokit.pipeline import process_factory

    module_name = "python:vision.tracker"
    if process_factory.is_process_module_loaded(module_name):
        return
    process_factory.add_process("nearest_tracker", "Tracks by distance.", NearestTracker)
    process_factory.mark_process_module_as_loaded(module_name)
