"""Graphs of pipelines."""

import os
from typing import Any

from .... import embed


def export_dot(stream: Any, pipe: Any, graph_name: str) -> None:
    """Write the graph of a pipeline in Graphviz's dot format to a stream or a descriptor."""
    drawn = embed.ask("graph", "--format", "dot", "--lang", "sprokit", "--filename", graph_name + ".pipe", "-", text=pipe.text())
    if isinstance(stream, int):
        os.write(stream, drawn.encode())
    else:
        stream.write(drawn)
