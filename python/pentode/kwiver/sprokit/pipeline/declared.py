"""The process types that the program `pentode` declares."""

import functools
import json
from typing import Any, Dict, List

from .... import embed
from .process import ConfInfo, PortInfo, PythonProcess


@functools.lru_cache(None)
def _declarations() -> Dict[str, Dict[str, Any]]:
    return {t["type"]: t for t in json.loads(embed.ask("types", "list", "--format", "json"))}


def types() -> List[str]:
    """Return the names of the types; none if the program is not installed."""
    try:
        return list(_declarations())
    except RuntimeError:
        return []


def declaration(type: str) -> Dict[str, Any]:
    """Return the program's declaration of a type."""
    found = _declarations().get(type)
    if found is None:
        raise RuntimeError("process type `%s` is unknown, both here and in the program `pentode`" % type)
    return found


class Declared(PythonProcess):
    """A stand-in for a process that runs in the program `pentode`."""

    def __init__(self, type: str, conf: Any):
        PythonProcess.__init__(self, conf)
        declared = declaration(type)
        for name, *about in declared.get("in", ()):
            self.declare_input_port(name, self._info(*about))
        for name, *about in declared.get("out", ()):
            self.declare_output_port(name, self._info(*about))
        for key, _, default, doc, *rest in declared.get("config", ()):
            self.declare_configuration_key(key, ConfInfo(default, doc, True in rest))

    def _info(self, type: str, flags: str, doc: str, *rest: str) -> PortInfo:
        return PortInfo(type, [self.flag_required] if "required" in flags else [], doc)
