"""Pipelines that a program builds."""

from typing import Any, Dict, Iterator, List, Optional, Tuple

from .... import embed
from ...vital.config import Config
from .declared import Declared, declaration
from .edge import Edge, Edges
from .process import Connection, PortAddr, PortAddrs, ProcessNames
from .process_cluster import PythonProcessCluster


class Pipeline:
    """A pipeline of processes and connections.

    Processes of Python classes run in this interpreter, all others in the program `pentode`.
    """

    def __init__(self, config: Optional[Config] = None):
        self._config = config if config is not None else Config()
        self._all: Dict[str, Any] = {}
        self._links: List[Connection] = []
        self._edges: Dict[Connection, Edge] = {}
        self._setup = self._successful = False

    # Building.

    def add_process(self, process: Any) -> None:
        self._open()
        if process is None:
            raise RuntimeError("the process to add is None")
        if process.name() in self._all:
            raise RuntimeError("the pipeline has a process `%s` already" % process.name())
        self._all[process.name()] = process

    def remove_process(self, name: str) -> None:
        self._open()
        self._known(name)
        del self._all[name]
        self._links = [c for c in self._links if name not in (c.upstream.process, c.downstream.process)]

    def connect(self, upstream_name: str, upstream_port: str, downstream_name: str, downstream_port: str) -> None:
        self._open()
        self._known(upstream_name)
        self._known(downstream_name)
        self._links.append(Connection(PortAddr(upstream_name, upstream_port), PortAddr(downstream_name, downstream_port)))

    def disconnect(self, upstream_name: str, upstream_port: str, downstream_name: str, downstream_port: str) -> None:
        self._open()
        ends = (upstream_name, upstream_port), (downstream_name, downstream_port)
        self._links = [c for c in self._links if (c.upstream.getAddr(), c.downstream.getAddr()) != ends]

    def _open(self) -> None:
        if self._setup:
            raise RuntimeError("a pipeline that is set up cannot change: reset it first")

    def setup_pipeline(self) -> None:
        """Check the pipeline and configure each Python process; RuntimeError has the findings."""
        self._open()
        if not self._all:
            raise RuntimeError("the pipeline has no processes")
        self._setup, self._successful = True, False
        embed.check(self.text())
        for c in self._links:
            made = self._edges[c] = Edge()
            made.set_upstream_process(self._all[c.upstream.process])
            made.set_downstream_process(self._all[c.downstream.process])
        for _, process in self._members():
            if not isinstance(process, Declared) and not process._configured:
                process.configure()
                process.init()
        self._successful = True

    def is_setup(self) -> bool:
        return self._setup

    def setup_successful(self) -> bool:
        return self._successful

    def reset(self) -> None:
        self._edges.clear()
        self._setup = self._successful = False
        for _, process in self._members():
            process.reset()

    def reconfigure(self, conf: Config) -> None:
        """Give each Python process the new settings below its name."""
        if not self._successful:
            raise RuntimeError("the pipeline is not set up")
        for name, process in self._all.items():
            changed = conf.subblock(name)
            if len(changed) and not isinstance(process, Declared):
                process._config.merge_config(changed)
                process._reconfigure(changed)

    # Queries.

    def process_names(self) -> ProcessNames:
        return ProcessNames(n for n, p in self._all.items() if not _is_cluster(p))

    def process_by_name(self, name: str) -> Any:
        return self._known(name)

    def cluster_names(self) -> ProcessNames:
        return ProcessNames(n for n, p in self._all.items() if _is_cluster(p))

    def cluster_by_name(self, name: str) -> Any:
        if not _is_cluster(self._known(name)):
            raise RuntimeError("process `%s` is not a cluster" % name)
        return self._all[name]

    def connections_from_addr(self, name: str, port: str) -> PortAddrs:
        return PortAddrs(c.downstream for c in self._links if c.upstream.getAddr() == (name, port))

    receivers_for_port = connections_from_addr

    def connection_to_addr(self, name: str, port: str) -> PortAddr:
        return next((c.upstream for c in self._links if c.downstream.getAddr() == (name, port)), PortAddr())

    sender_for_port = connection_to_addr

    def upstream_for_process(self, name: str) -> List[Any]:
        return _once(self._all[c.upstream.process] for c in self._links if c.downstream.process == name)

    def upstream_for_port(self, name: str, port: str) -> Any:
        return self._all.get(self.connection_to_addr(name, port).process)

    def downstream_for_process(self, name: str) -> List[Any]:
        return _once(self._all[c.downstream.process] for c in self._links if c.upstream.process == name)

    def downstream_for_port(self, name: str, port: str) -> List[Any]:
        return _once(self._all[a.process] for a in self.connections_from_addr(name, port))

    def edge_for_connection(self, upstream_name: str, upstream_port: str, downstream_name: str, downstream_port: str) -> Any:
        ends = (upstream_name, upstream_port), (downstream_name, downstream_port)
        return next((e for c, e in self._edges.items() if (c.upstream.getAddr(), c.downstream.getAddr()) == ends), None)

    def input_edges_for_process(self, name: str) -> Edges:
        return Edges(e for c, e in self._edges.items() if c.downstream.process == name)

    def input_edge_for_port(self, name: str, port: str) -> Any:
        return next((e for c, e in self._edges.items() if c.downstream.getAddr() == (name, port)), None)

    def output_edges_for_process(self, name: str) -> Edges:
        return Edges(e for c, e in self._edges.items() if c.upstream.process == name)

    def output_edges_for_port(self, name: str, port: str) -> Edges:
        return Edges(e for c, e in self._edges.items() if c.upstream.getAddr() == (name, port))

    def _known(self, name: str) -> Any:
        if name not in self._all:
            raise RuntimeError("the pipeline has no process `%s`" % name)
        return self._all[name]

    # Running.

    def _members(self) -> Iterator[Tuple[str, Any]]:
        """Yield all processes with names that are valid in a file; clusters are replaced by their processes."""
        for name, process in self._all.items():
            if not isinstance(process, PythonProcessCluster):
                yield name, process
                continue
            for inner, p in process._inner.items():
                yield _within(name, inner), p

    def _connections(self) -> Iterator[Tuple[PortAddr, PortAddr]]:
        """Yield all connections; ports of clusters are replaced by the ports inside them."""
        for c in self._links:
            for downstream in self._ends(c.downstream, "_inputs"):
                for upstream in self._ends(c.upstream, "_outputs"):
                    yield upstream, downstream
        for name, p in self._all.items():
            for c in p._links if isinstance(p, PythonProcessCluster) else ():
                yield (
                    PortAddr(_within(name, c.upstream.process), c.upstream.port),
                    PortAddr(_within(name, c.downstream.process), c.downstream.port),
                )

    def _ends(self, a: PortAddr, side: str) -> List[PortAddr]:
        cluster = self._all[a.process]
        if not isinstance(cluster, PythonProcessCluster):
            return [a]
        pairs = [(c.upstream, c.downstream) for c in getattr(cluster, side)]
        inside = [(i, o) if side == "_outputs" else (o, i) for i, o in pairs]
        found = [PortAddr(_within(a.process, i.process), i.port) for i, own in inside if own.port == a.port]
        if not found:
            raise RuntimeError("cluster `%s` maps no port `%s`" % a.getAddr())
        return found

    def text(self) -> str:
        """Return the pipeline as the text of a file."""
        lines: List[str] = []
        for name, process in self._members():
            own = isinstance(process, Declared)
            lines += ["process %s" % name, "  :: %s" % (process.type() if own else "embedded")]
            values = process.get_config().values if own else {}
            lines += ["  %s = %s" % (k, v) for k, v in values.items() if not k.startswith("_")]
        lines += ["connect from %s to %s" % (upstream, downstream) for upstream, downstream in self._connections()]
        for key, value in self._config.values.items():
            if key.startswith(("_pipeline:", "_scheduler:")):
                lines += ["config %s" % key.rpartition(":")[0], "  %s = %s" % (key.rpartition(":")[2], value)]
        return "\n".join(lines) + "\n"

    def start(self, scheduler: str) -> embed.Run:
        """Start the pipeline in the program `pentode`, with the Python processes in this interpreter."""
        if not self._successful:
            raise RuntimeError("the pipeline is not set up")
        from ... import guest

        members = dict(self._members())
        return embed.Run(embed.written(self.text()), lambda hello: guest(members[hello["process"]], hello), scheduler=scheduler)


def _within(cluster: str, name: str) -> str:
    return "%s__%s" % (cluster, name)  # a name in a file has no slash


def _is_cluster(process: Any) -> bool:
    if isinstance(process, Declared):
        return "_cluster" in declaration(process.type()).get("properties", "")
    return isinstance(process, PythonProcessCluster)


def _once(processes: Any) -> List[Any]:
    return list({id(p): p for p in processes}.values())
