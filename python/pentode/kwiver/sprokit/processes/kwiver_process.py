"""The base class of processes with traits.

A trait is a named declaration: the type and documentation of a port, or a key
with its default.
"""

from typing import Any, Dict

from ..pipeline import datum, process

_TYPES = {
    "bounding_box": "kwiver:bounding_box",
    "timestamp": "kwiver:timestamp",
    "corner_points": "kwiver:corner_points",
    "gsd": "kwiver:gsd",
    "image": "kwiver:image",
    "mask": "kwiver:image",
    "feature_set": "kwiver:feature_set",
    "descriptor_set": "kwiver:descriptor_set",
    "detected_object_set": "kwiver:detected_object_set",
    "track_set": "kwiver:track_set",
    "feature_track_set": "kwiver:feature_track_set",
    "object_track_set": "kwiver:object_track_set",
    "homography_src_to_ref": "kwiver:s2r_homography",
    "homography_ref_to_src": "kwiver:r2s_homography",
    "homography": "kwiver:s2r_homography",
    "file_name": "kwiver:file_name",
    "image_file_name": "kwiver:file_name",
    "video_file_name": "kwiver:file_name",
    "matrix_d": "kwiver:matrix_d",
    "double_vector": "kwiver:d_vector",
    "string_vector": "kwiver:string_vector",
    "uchar_vector": "kwiver:uchar_vector",
    "video_uid": "kwiver:video_uid",
    "frame_rate": "kwiver:frame_rate",
    "string": "kwiver:string",
    "integer": "kwiver:integer",
    "double": "kwiver:double",
    "bool": "kwiver:bool",
}

_PORTS = {
    "timestamp": ("timestamp", "Number and time of the frame."),
    "image": ("image", "An image."),
    "mask": ("mask", "An image that says which pixels count."),
    "feature_set": ("feature_set", "Features that were found."),
    "descriptor_set": ("descriptor_set", "Descriptors of features."),
    "detected_object_set": ("detected_object_set", "Objects that were found."),
    "track_set": ("track_set", "Tracks of any kind."),
    "feature_track_set": ("feature_track_set", "Tracks of features."),
    "object_track_set": ("object_track_set", "Tracks of objects."),
    "homography_src_to_ref": ("homography_src_to_ref", "From this frame to the reference frame."),
    "file_name": ("file_name", "Name of a file."),
    "image_file_name": ("file_name", "Name of an image's file."),
    "video_file_name": ("file_name", "Name of a video's file."),
    "matrix_d": ("matrix_d", "A matrix of numbers."),
    "string_vector": ("string_vector", "A list of texts."),
    "frame_rate": ("frame_rate", "Frames per second."),
}


class _TypeTrait:
    def __init__(self, name: str, canonical_name: str, converter_in: Any, converter_out: Any):
        self.name = name
        self.canonical_name = canonical_name
        self.converter_in = converter_in
        self.converter_out = converter_out


class _PortTrait:
    def __init__(self, name: str, type_trait: _TypeTrait, description: str):
        self.name = name
        self.type_trait = type_trait
        self.description = description


class _ConfigTrait:
    def __init__(self, name: str, key: str, default: Any, description: str):
        self.name = name
        self.key = key
        self.default = default
        self.description = description


def _find(traits: Dict[str, Any], name: str, what: str) -> Any:
    if name not in traits:
        raise ValueError("there is no %s trait `%s`" % (what, name))
    return traits[name]


class KwiverProcess(process.PythonProcess):
    """A process that declares and uses ports and keys by their traits."""

    type_trait, port_trait, config_trait = _TypeTrait, _PortTrait, _ConfigTrait

    def __init__(self, conf: Any):
        process.PythonProcess.__init__(self, conf)
        self._type_trait_set: Dict[str, _TypeTrait] = {}
        self._port_trait_set: Dict[str, _PortTrait] = {}
        self._config_trait_set: Dict[str, _ConfigTrait] = {}
        for name, canonical in _TYPES.items():
            is_image = canonical == "kwiver:image"
            take = datum.Datum.get_image_container if is_image else datum.Datum.get_datum
            self.add_type_trait(name, canonical, take, datum.new)
        for name, (kind, doc) in _PORTS.items():
            self.add_port_trait(name, kind, doc)

    def add_type_trait(self, ttn: str, tn: str, conv_in: Any = None, conv_out: Any = None) -> None:
        self._type_trait_set[ttn] = _TypeTrait(ttn, tn, conv_in, conv_out)

    def add_port_trait(self, nm: str, ttn: str, descr: str) -> None:
        self._port_trait_set[nm] = _PortTrait(nm, _find(self._type_trait_set, ttn, "type"), descr)

    def add_config_trait(self, name: str, key: str, default: Any, descr: str) -> None:
        self._config_trait_set[name] = _ConfigTrait(name, key, default, descr)

    def declare_input_port_using_trait(self, ptn: str, flag: Any) -> None:
        t = _find(self._port_trait_set, ptn, "port")
        self.declare_input_port(t.name, t.type_trait.canonical_name, flag, t.description)

    def declare_output_port_using_trait(self, ptn: str, flag: Any) -> None:
        t = _find(self._port_trait_set, ptn, "port")
        self.declare_output_port(t.name, t.type_trait.canonical_name, flag, t.description)

    def declare_config_using_trait(self, name: str) -> None:
        t = _find(self._config_trait_set, name, "config")
        self.declare_configuration_key(t.key, t.default, t.description)

    def config_value_using_trait(self, name: str) -> str:
        return self.config_value(_find(self._config_trait_set, name, "config").key)

    def has_input_port_edge_using_trait(self, ptn: str) -> bool:
        return self.has_input_port_edge(_find(self._port_trait_set, ptn, "port").name)

    def grab_input_using_trait(self, ptn: str) -> Any:
        """Return the value at a port, converted by its type trait."""
        t = _find(self._port_trait_set, ptn, "port")
        taken = self.grab_datum_from_port(t.name)
        return taken if t.type_trait.converter_in is None else t.type_trait.converter_in(taken)

    def grab_value_using_trait(self, ptn: str) -> Any:
        return self.grab_value_from_port(_find(self._port_trait_set, ptn, "port").name)

    def grab_datum_using_trait(self, ptn: str) -> Any:
        return self.grab_datum_from_port(_find(self._port_trait_set, ptn, "port").name)

    def push_to_port_using_trait(self, ptn: str, val: Any) -> None:
        t = _find(self._port_trait_set, ptn, "port")
        if t.type_trait.converter_out is not None and not isinstance(val, datum.Datum):
            val = t.type_trait.converter_out(val)
        self.push_datum_to_port(t.name, val)

    def push_datum_to_port_using_trait(self, ptn: str, val: Any) -> None:
        self.push_datum_to_port(_find(self._port_trait_set, ptn, "port").name, val)
