"""The blocks of pipeline and cluster files.

The program `pentode` reads the files and resolves includes and macros."""

from typing import Any, Dict, Iterator, List, Optional

from .... import embed
from ..pipeline.process import PortAddr, PortAddrs


class ConfigFlags(List[str]):
    """The flags of a setting: `ro`, `tunable`, …"""


class ConfigValue:
    """A setting; `source` is its value as written in the file."""

    def __init__(self, key: Any = (), value: str = "", flags: Any = (), source: str = ""):
        self.key, self.value, self.flags, self.source = list(key), value, ConfigFlags(flags), source or value


class ConfigValues(List[ConfigValue]):
    """A list of settings."""


class ConfigBlock:
    """A block of settings below a key."""

    def __init__(self, key: Any = (), values: Any = ()):
        self.key, self.values = list(key), ConfigValues(values)


class ProcessBlock:
    """A process and its settings."""

    def __init__(self, name: str = "", type: str = "", config_values: Any = ()):
        self.name, self.type, self.config_values = name, type, ConfigValues(config_values)


class ConnectBlock:
    """A connection from one port to another, each as process and port."""

    def __init__(self, from_: Any = ("", ""), to: Any = ("", "")):
        self.from_, self.to = from_, to


class ClusterConfig:
    """A key of a cluster."""

    def __init__(self, config_value: Optional[ConfigValue] = None, description: str = ""):
        self.config_value, self.description = config_value or ConfigValue(), description


class ClusterInput:
    """An input of a cluster, and the inner ports that get its data."""

    def __init__(self, from_: str = "", targets: Any = (), description: str = ""):
        self.from_, self.targets, self.description = from_, PortAddrs(targets), description


class ClusterOutput:
    """An output of a cluster, and the inner port that its data come from."""

    def __init__(self, from_: Any = ("", ""), to: str = "", description: str = ""):
        self.from_, self.to, self.description = from_, to, description


class _OneOf:
    """A holder of one of several blocks; setting one clears the others."""

    kinds: Any = ()

    def __init__(self, **given: Any):
        self.__dict__.update(dict.fromkeys(self.kinds))
        self.__dict__.update(given)

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in self.kinds:
            raise AttributeError("a %s has no `%s`" % (type(self).__name__, name))
        self.__dict__.update(dict.fromkeys(self.kinds))
        self.__dict__[name] = value


class ClusterSubblock(_OneOf):
    """A key, an input or an output of a cluster."""

    kinds = ("config", "input", "output")


class ClusterSubblocks(List[ClusterSubblock]):
    """A list of parts of a cluster."""


class ClusterBlock:
    """The declaration of a cluster: type, description, keys, inputs and outputs."""

    def __init__(self, type: str = "", description: str = "", subblocks: Any = ()):
        self.type, self.description, self.subblocks = type, description, ClusterSubblocks(subblocks)


class PipeBlock(_OneOf):
    """A block of a pipeline file."""

    kinds = ("config", "process", "connect")
    config: Any
    process: Any
    connect: Any


class PipeBlocks(List[PipeBlock]):
    """The blocks of a pipeline file."""


class ClusterDefineBlock(_OneOf):
    """A block of a cluster file."""

    kinds = ("config", "process", "connect", "cluster")
    config: Any
    process: Any
    connect: Any
    cluster: Any


class ClusterDefineBlocks(List[ClusterDefineBlock]):
    """The blocks of a cluster file."""


def load_pipe_file(path: str) -> PipeBlocks:
    return PipeBlocks(_blocks(PipeBlock, embed.resolved(str(path))))


def load_pipe(stream: Any) -> PipeBlocks:
    return PipeBlocks(_blocks(PipeBlock, _streamed(stream, "stream.pipe")))


def load_cluster_file(path: str) -> ClusterDefineBlocks:
    return ClusterDefineBlocks(_blocks(ClusterDefineBlock, embed.resolved(str(path))))


def load_cluster(stream: Any) -> ClusterDefineBlocks:
    return ClusterDefineBlocks(_blocks(ClusterDefineBlock, _streamed(stream, "stream.cluster")))


def _streamed(stream: Any, name: str) -> Dict[str, Any]:
    return embed.resolved(getattr(stream, "name", name), text=stream.read())


def _blocks(kind: Any, resolved: Dict[str, Any]) -> Iterator[Any]:
    """Yield the blocks of a file: the cluster, settings outside processes, processes, connections."""
    parts = [(*p["key"].partition(" ")[::2], p["value"]) for p in resolved["parts"]]
    values: Dict[str, List[ConfigValue]] = {}
    for s in resolved["settings"]:
        source = [step["text"] for step in s.get("origin", ()) if step["what"] == "set"]
        if source:
            block, _, key = s["key"].partition(":")
            found = ConfigValue(key.split(":"), s["value"], s.get("flags", ()), source[-1])
            values.setdefault(block, []).append(found)
    name = next((value for word, _, value in parts if word == "cluster"), None)
    if name is not None:
        yield kind(cluster=_cluster(name, parts, values.pop(name, [])))
    own = [key for word, key, _ in parts if word == "process"]
    for block, below in values.items():
        if block not in own:
            yield kind(config=ConfigBlock([block], below))
    for word, key, value in parts:
        if word == "process":
            yield kind(process=ProcessBlock(key, value, values.get(key, ())))
    for word, key, value in parts:
        if word == "connect":
            yield kind(connect=ConnectBlock(_address(value), _address(key[len("to ") :])))


def _cluster(name: str, parts: Any, values: List[ConfigValue]) -> ClusterBlock:
    made = ClusterBlock(name, "", [ClusterSubblock(config=ClusterConfig(v)) for v in values])
    inputs: Dict[str, List[PortAddr]] = {}
    for word, key, value in parts:
        if word == "imap":
            inputs.setdefault(key, []).append(PortAddr(*_address(value)))
        elif word == "omap":
            made.subblocks.append(ClusterSubblock(output=ClusterOutput(_address(value), key)))
    made.subblocks += [ClusterSubblock(input=ClusterInput(port, targets)) for port, targets in inputs.items()]
    return made


def _address(text: str) -> Any:
    process, _, port = text.partition(".")
    return process, port
