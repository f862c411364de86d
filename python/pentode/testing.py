"""A way to test a class without a pipeline."""

import logging
from types import GeneratorType
from typing import Any, Dict, List, Optional, Sequence

from . import kwiver
from .process import EMPTY, Complete


def feed(
    cls: Any, inputs: Optional[Dict[str, Sequence[Any]]] = None, limit: int = 1000, **config: Any
) -> Dict[str, List[Any]]:
    """Run one process on given data and return its output data, by port.

    `inputs` holds the data of each input port; the process ends at the end of
    the shortest list. A source ends by itself, or after `limit` steps.
    Settings are keyword arguments::

        assert feed(Scale, {"number": [1, 2]}, factor=3) == {"product": [3, 6]}
    """
    settings = {name: str(value) for name, value in config.items()}
    hello = {"process": cls.__name__, "type": cls.__name__, "config": settings}
    process = kwiver.adapt(cls, hello)()
    process.log = logging.getLogger(cls.__name__)
    inputs = inputs or {}
    by_name = {p.name: p.attribute for p in process.inputs()}
    by_attribute = {p.attribute: p.name for p in process.outputs()}
    for name in inputs:
        if name not in by_name:
            raise ValueError("`%s` has no input port `%s`" % (cls.__name__, name))
    process._connected = frozenset(by_name[n] for n in inputs) | frozenset(by_attribute)
    process.configure(settings)
    process.setup()
    columns = {by_name[name]: list(data) for name, data in inputs.items()}
    steps = min(map(len, columns.values())) if columns else limit
    out: Dict[str, List[Any]] = {name: [] for name in by_attribute.values()}
    attributes = list(by_attribute)

    def collect(result: Any, finished: bool = False) -> None:
        if isinstance(result, GeneratorType):
            out[by_attribute[attributes[0]]].extend(result)
        elif finished or result is None and (process._pushed or getattr(process, "pushes_itself", False)):
            pass
        elif len(attributes) == 1:
            out[by_attribute[attributes[0]]].append(EMPTY if result is None else result)
        else:
            values = result if isinstance(result, dict) else dict(zip(attributes, result or ()))
            for attribute, name in by_attribute.items():
                value = values.get(attribute)
                out[name].append(EMPTY if value is None else value)
        for attribute, value in process._pushed:
            out[by_attribute[attribute]].append(value)
        process._pushed.clear()

    for i in range(steps):
        row = [columns[a][i] if a in columns else None for a in process.parameters()]
        try:
            collect(process.step(*row))
        except Complete:
            collect(None, True)
            break
        if process._ending:
            break
    process.finish()
    collect(None, True)
    return out
