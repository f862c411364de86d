"""The base class of processes."""

from typing import Any, Dict, List, Tuple

from ....process import Port
from ...vital.config import Config
from . import datum, edge
from .stamp import new_stamp


class PortFlags(set):
    """The flags of a port."""

    def add(self, flag: str) -> None:
        if not isinstance(flag, str):
            raise TypeError("a port flag must be a str, not %s" % type(flag).__name__)
        super().add(flag)


class ProcessProperties(set):
    """The properties of a process."""


class ProcessTypes(List[str]):
    """A list of process types."""


class ProcessNames(List[str]):
    """A list of process names."""


class Ports(List[str]):
    """A list of port names."""


class PortAddr:
    """The address of a port: process and port name."""

    def __init__(self, process: str = "", port: str = ""):
        self.process, self.port = process, port

    def getAddr(self) -> Tuple[str, str]:
        return self.process, self.port

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PortAddr) and self.getAddr() == other.getAddr()

    def __hash__(self) -> int:
        return hash(self.getAddr())

    def __repr__(self) -> str:
        return "%s.%s" % self.getAddr()


class PortAddrs(List[PortAddr]):
    """A list of port addresses."""


class Connection:
    """A connection: the source and the destination of data."""

    def __init__(self, upstream: Any = None, downstream: Any = None):
        self.upstream, self.downstream = upstream or PortAddr(), downstream or PortAddr()


class Connections(List[Connection]):
    """A list of connections."""


class DataInfo:
    """The common state of the data of several inputs."""

    def __init__(self, in_sync: bool, max_status: Any):
        self.in_sync, self.max_status = in_sync, max_status


class PortFrequency:
    """The number of data per step, as a fraction."""

    def __init__(self, numerator: int = 1, denominator: int = 1):
        self._numerator, self._denominator = numerator, denominator

    def numerator(self) -> int:
        return self._numerator

    def denominator(self) -> int:
        return self._denominator


class PortInfo:
    """The declaration of a port."""

    def __init__(self, type: str, flags: Any, description: str, frequency: Any = None):
        self.type = type
        self.flags = PortFlags(flags)
        self.description = description
        self.frequency = frequency or PortFrequency()


class ConfInfo:
    """The declaration of a key."""

    def __init__(self, default: str, description: str, tunable: bool):
        self.default = default
        self.description = description
        self.tunable = tunable


class DataCheck:
    """The levels of checks of the inputs before a step."""

    none, sync, valid = range(3)


_Info = ConfInfo  # the class below has an attribute of that name


class PythonProcess:
    """A process of a pipeline.

    A subclass overrides `_configure`, `_step` and similar methods, and calls
    `_base_configure`, `_base_step` and so on for the default behaviour.
    """

    type_any = "_any"
    type_none = "_none"
    type_data_dependent = "_data_dependent"
    type_flow_dependent = "_flow_dependent/"
    port_heartbeat = "_heartbeat"
    config_name = "_name"
    config_type = "_type"
    flag_required = "_required"
    flag_input_static = "_static"
    flag_input_mutable = "_mutable"
    flag_input_nodep = "_nodep"
    flag_output_const = "_const"
    flag_output_shared = "_shared"
    property_no_threads = "_no_thread"
    property_no_reentrancy = "_no_reentrant"
    property_unsync_input = "_unsync_input"
    property_unsync_output = "_unsync_output"
    check_none, check_sync, check_valid = DataCheck.none, DataCheck.sync, DataCheck.valid

    ConfInfo = ConfInfo

    def __init__(self, conf: Any):
        self._config: Any = conf if isinstance(conf, Config) else Config(conf)
        self._ports_in: Dict[str, Port] = {}
        self._ports_out: Dict[str, Port] = {}
        self._infos_in: Dict[str, PortInfo] = {}
        self._infos_out: Dict[str, PortInfo] = {}
        self._keys: Dict[str, ConfInfo] = {}
        self._taken: Dict[str, Any] = {}
        self._pushed: List[Any] = []
        self._edges: Any = frozenset()
        self._edges_in: Dict[str, edge.Edge] = {}
        self._edges_out: Dict[str, List[edge.Edge]] = {}
        self._configured = False
        self._complete = False

    # Methods that a subclass overrides, and the base methods that it calls.

    def _base_configure(self) -> None:
        """Do nothing, like the base methods below."""

    _configure = _init = _reset = _flush = _step = _finalize = _base_configure
    _base_init = _base_reset = _base_flush = _base_step = _base_finalize = _base_configure

    def _base_reconfigure(self, conf: Any) -> None:
        pass

    _reconfigure = _base_reconfigure

    def _base_properties(self) -> ProcessProperties:
        return ProcessProperties()

    _properties = _base_properties

    def _base_input_ports(self) -> List[str]:
        return list(self._ports_in)

    def _base_output_ports(self) -> List[str]:
        return list(self._ports_out)

    def _base_input_port_info(self, port: str) -> PortInfo:
        return _known(self._infos_in, port, "input port")

    def _base_output_port_info(self, port: str) -> PortInfo:
        return _known(self._infos_out, port, "output port")

    def _base_available_config(self) -> List[str]:
        return list(self._keys)

    def _base_config_info(self, key: str) -> "_Info":
        return _known(self._keys, key, "key")

    def _base_set_input_port_type(self, port: str, type: str) -> None:
        _known(self._infos_in, port, "input port").type = type

    def _base_set_output_port_type(self, port: str, type: str) -> None:
        _known(self._infos_out, port, "output port").type = type

    _input_ports, _output_ports = _base_input_ports, _base_output_ports
    _input_port_info, _output_port_info = _base_input_port_info, _base_output_port_info
    _available_config, _config_info = _base_available_config, _base_config_info
    _set_input_port_type, _set_output_port_type = _base_set_input_port_type, _base_set_output_port_type

    # Queries from other code.

    def name(self) -> str:
        return self._config.get_value(self.config_name, "")

    def type(self) -> str:
        return self._config.get_value(self.config_type, "")

    def properties(self) -> ProcessProperties:
        return self._properties()

    def input_ports(self) -> List[str]:
        return self._input_ports()

    def output_ports(self) -> List[str]:
        return self._output_ports()

    def input_port_info(self, port: str) -> PortInfo:
        return self._input_port_info(port)

    def output_port_info(self, port: str) -> PortInfo:
        return self._output_port_info(port)

    def available_config(self) -> List[str]:
        return self._available_config()

    def available_tunable_config(self) -> List[str]:
        return [k for k, info in self._keys.items() if info.tunable]

    def config_info(self, key: str) -> "_Info":
        return self._config_info(key)

    def set_input_port_type(self, port: str, type: str) -> None:
        self._set_input_port_type(port, type)

    def set_output_port_type(self, port: str, type: str) -> None:
        self._set_output_port_type(port, type)

    # Methods that a pipeline calls.

    def configure(self) -> None:
        self._configure()
        self._configured = True

    def init(self) -> None:
        self._init()

    def reset(self) -> None:
        self._reset()
        self._edges_in, self._edges_out = {}, {}
        self._configured = self._complete = False

    def step(self) -> None:
        self._step()

    def connect_input_port(self, port: str, to: edge.Edge) -> None:
        _known(self._infos_in, port, "input port")
        self._edges_in[port] = to

    def connect_output_port(self, port: str, to: edge.Edge) -> None:
        _known(self._infos_out, port, "output port")
        self._edges_out.setdefault(port, []).append(to)

    # Declarations.

    def declare_input_port(self, name: str, type: Any, flags: Any = (), doc: str = "", frequency: Any = None) -> None:
        self._declare(self._ports_in, self._infos_in, name, type, flags, doc, frequency, False)

    def declare_output_port(self, name: str, type: Any, flags: Any = (), doc: str = "", frequency: Any = None) -> None:
        self._declare(self._ports_out, self._infos_out, name, type, flags, doc, frequency, True)

    def _declare(
        self, ports: Any, infos: Any, name: str, type: Any, flags: Any, doc: str, frequency: Any, output: bool
    ) -> None:
        info = type if isinstance(type, PortInfo) else PortInfo(type, flags, doc, frequency)
        port = Port(info.type, name, info.description, self.flag_required in info.flags, output)
        port.attribute = name
        ports[name] = port
        infos[name] = info

    def remove_input_port(self, name: str) -> None:
        del self._ports_in[name], self._infos_in[name]

    def remove_output_port(self, name: str) -> None:
        del self._ports_out[name], self._infos_out[name]

    def declare_configuration_key(self, key: str, default: Any, doc: str = "", tunable: bool = False) -> None:
        info = default if isinstance(default, ConfInfo) else ConfInfo(str(default), doc, tunable)
        self._keys[key] = info

    def set_input_port_frequency(self, port: str, frequency: Any) -> None:
        self._infos_in[port].frequency = frequency

    def set_output_port_frequency(self, port: str, frequency: Any) -> None:
        self._infos_out[port].frequency = frequency

    def set_data_checking_level(self, level: int) -> None:
        """Do nothing: a step always has valid data at its required inputs."""

    # Configuration.

    def get_config(self) -> Any:
        return self._config

    def config_value(self, key: str) -> str:
        if self._config.has_value(key):
            return self._config.get_value(key)
        if key in self._keys:
            return self._keys[key].default
        raise ValueError("the process has no key `%s`" % key)

    # Data.

    def has_input_port_edge(self, port: str) -> bool:
        return port in self._edges

    def count_output_port_edges(self, port: str) -> int:
        return int(port in self._edges)

    def grab_datum_from_port(self, port: str) -> datum.Datum:
        if port in self._edges_in:
            return self._edges_in[port].get_datum().datum
        taken = self._look(port)
        del self._taken[port]
        return taken

    def peek_at_datum_on_port(self, port: str, index: int = 0) -> datum.Datum:
        if port in self._edges_in:
            return self._edges_in[port].peek_datum(index).datum
        if index:
            raise ValueError("a step sees one datum of input `%s`" % port)
        return self._look(port)

    def _look(self, port: str) -> datum.Datum:
        if port not in self._ports_in:
            raise ValueError("the process has no input port `%s`" % port)
        if port not in self._taken:
            raise ValueError("a step takes one datum from input `%s`" % port)
        return datum.of(self._taken[port])

    def grab_value_from_port(self, port: str) -> Any:
        return self.grab_datum_from_port(port).get_datum()

    def grab_from_port(self, port: str) -> Any:
        return edge.EdgeDatum(self.grab_datum_from_port(port), new_stamp(1))

    def peek_at_port(self, port: str, index: int = 0) -> Any:
        return edge.EdgeDatum(self.peek_at_datum_on_port(port, index), new_stamp(1))

    def push_datum_to_port(self, port: str, value: Any) -> None:
        if port not in self._ports_out:
            raise ValueError("the process has no output port `%s`" % port)
        if isinstance(value, datum.Datum) and value.type() is datum.DatumType.complete:
            self._complete = True
            return
        self._pushed.append((port, value))

    push_value_to_port = push_datum_to_port

    def push_to_port(self, port: str, value: Any) -> None:
        self.push_datum_to_port(port, value.datum)

    def mark_process_as_complete(self) -> None:
        self._complete = True


def _known(named: Dict[str, Any], name: str, what: str) -> Any:
    if name not in named:
        raise RuntimeError("the process has no %s `%s`" % (what, name))
    return named[name]


Process = PythonProcess
