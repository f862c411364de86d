"""Pipelines and clusters made from files."""

import re
from typing import Any, Optional

from ...vital.config import Config
from ..pipeline import process_factory
from ..pipeline.pipeline import Pipeline
from ..pipeline.process_cluster import PythonProcessCluster
from . import load


def bake_pipe_file(path: str) -> Pipeline:
    """Return the pipeline in a file."""
    return bake_pipe_blocks(load.load_pipe_file(path))


def bake_pipe(stream: Any) -> Pipeline:
    return bake_pipe_blocks(load.load_pipe(stream))


def bake_pipe_blocks(blocks: load.PipeBlocks) -> Pipeline:
    made = Pipeline(extract_configuration(blocks))
    for block in blocks:
        if block.process is not None:
            made.add_process(process_factory.create_process(block.process.type, block.process.name, _config(block.process)))
    for block in blocks:
        if block.connect is not None:
            made.connect(*block.connect.from_, *block.connect.to)
    return made


def extract_configuration(blocks: Any) -> Config:
    """Return all settings of blocks; settings of a process are below its name."""
    made = Config()
    for block in blocks:
        if block.process is not None:
            below, values = [block.process.name], block.process.config_values
        elif block.config is not None:
            below, values = block.config.key, block.config.values
        else:
            continue
        for v in values:
            made.set_value(":".join([*below, *v.key]), v.value)
    return made


def _config(block: load.ProcessBlock) -> Config:
    return Config({":".join(v.key): v.value for v in block.config_values})


class ClusterInfo:
    """A description of a cluster, which can create it."""

    def __init__(self, blocks: load.ClusterDefineBlocks):
        self._blocks = blocks
        self._about: Optional[load.ClusterBlock] = next((b.cluster for b in blocks if b.cluster is not None), None)
        if self._about is None:
            raise RuntimeError("the blocks declare no cluster")

    def type(self) -> str:
        return self._about.type  # type: ignore[union-attr]

    def description(self) -> str:
        return self._about.description  # type: ignore[union-attr]

    def create(self, config: Optional[Config] = None) -> PythonProcessCluster:
        """Make the cluster; `config` overrides the settings in its file."""
        return _Baked(self._about, self._blocks, config if config is not None else Config())


class _Baked(PythonProcessCluster):
    """A cluster from a file."""

    def __init__(self, about: Any, blocks: Any, config: Config):
        PythonProcessCluster.__init__(self, config)
        for sub in about.subblocks:
            if sub.config is not None:
                value = sub.config.config_value
                self.declare_configuration_key(":".join(value.key), value.value, sub.config.description)
        for b in blocks:
            if b.process is not None:
                self._follow(about.type, b.process)
                self.add_process(b.process.name, b.process.type, _config(b.process))
        for sub in about.subblocks:
            if sub.input is not None:
                self.declare_input_port(sub.input.from_, self.type_any, (), sub.input.description)
                for target in sub.input.targets:
                    self.map_input(sub.input.from_, target.process, target.port)
            elif sub.output is not None:
                self.declare_output_port(sub.output.to, self.type_any, (), sub.output.description)
                self.map_output(sub.output.to, *sub.output.from_)
        for b in blocks:
            if b.connect is not None:
                self.connect(*b.connect.from_, *b.connect.to)

    def _follow(self, own: str, block: load.ProcessBlock) -> None:
        """Map the keys of the cluster that a process refers to as `$CONFIG{cluster:key}`."""
        for v in block.config_values:
            named = re.fullmatch(r"\$CONFIG\{%s:([^}]*)\}" % re.escape(own), v.source)
            if named:
                self.map_config(named[1], block.name, ":".join(v.key))


def bake_cluster_file(path: str) -> ClusterInfo:
    """Return the cluster in a file."""
    return bake_cluster_blocks(load.load_cluster_file(path))


def bake_cluster(stream: Any) -> ClusterInfo:
    return bake_cluster_blocks(load.load_cluster(stream))


def bake_cluster_blocks(blocks: load.ClusterDefineBlocks) -> ClusterInfo:
    return ClusterInfo(blocks)


def register_cluster(info: ClusterInfo) -> None:
    """Register a cluster as a process type."""
    process_factory.add_process(info.type(), info.description(), info.create)
