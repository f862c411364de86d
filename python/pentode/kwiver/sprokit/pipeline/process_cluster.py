"""Clusters: processes that consist of other processes."""

from typing import Any, Dict, List, Optional

from ...vital.config import Config
from . import process_factory
from .process import Connection, PortAddr, PythonProcess


class PythonProcessCluster(PythonProcess):
    """A process that consists of other processes.

    A subclass adds and connects them, and maps its own ports and keys to theirs. The pipeline then contains the
    inner processes instead of the cluster.
    """

    def __init__(self, conf: Any):
        PythonProcess.__init__(self, conf)
        self._inner: Dict[str, Any] = {}
        self._links: List[Connection] = []
        self._inputs: List[Connection] = []
        self._outputs: List[Connection] = []
        self._mapped: Dict[str, List[Any]] = {}

    def map_config(self, key: str, name_: str, mapped_key: str) -> None:
        """Map a key of the cluster to a key of an inner process, which must be added later."""
        self._mapped.setdefault(name_, []).append((mapped_key, key))

    def add_process(self, name_: str, type_: str, config: Optional[Config] = None) -> None:
        if name_ in self._inner:
            raise RuntimeError("the cluster has a process `%s` already" % name_)
        own = Config(dict(config.values) if config is not None else {})
        for mapped_key, key in self._mapped.get(name_, ()):
            own.set_value(mapped_key, self.config_value(key))
        self._inner[name_] = process_factory.create_process(type_, "%s/%s" % (self.name(), name_), own)

    def map_input(self, port: str, name_: str, mapped_port: str) -> None:
        self._known(name_)
        self._inputs.append(Connection(PortAddr(self.name(), port), PortAddr(name_, mapped_port)))

    def map_output(self, port: str, name_: str, mapped_port: str) -> None:
        self._known(name_)
        self._outputs.append(Connection(PortAddr(name_, mapped_port), PortAddr(self.name(), port)))

    def connect(self, upstream_name: str, upstream_port: str, downstream_name: str, downstream_port: str) -> None:
        self._known(upstream_name)
        self._known(downstream_name)
        self._links.append(Connection(PortAddr(upstream_name, upstream_port), PortAddr(downstream_name, downstream_port)))

    def _known(self, name: str) -> Any:
        if name not in self._inner:
            raise RuntimeError("the cluster has no process `%s`" % name)
        return self._inner[name]

    def processes(self) -> List[Any]:
        return list(self._inner.values())

    def input_mappings(self) -> List[Connection]:
        return list(self._inputs)

    def output_mappings(self) -> List[Connection]:
        return list(self._outputs)

    def internal_connections(self) -> List[Connection]:
        return list(self._links)


def cluster_from_process(process: Any) -> Optional[PythonProcessCluster]:
    """Return the process as a cluster; None if it is not one."""
    return process if isinstance(process, PythonProcessCluster) else None
