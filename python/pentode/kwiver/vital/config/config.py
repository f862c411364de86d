"""Settings: strings by keys, whose parts are separated by colons."""

import os
import re
from typing import Any, Dict, Iterable, Iterator, List, Optional, Set

ConfigKeys = list


class Config:
    """The settings of a process."""

    block_sep = ":"
    global_value = "_global"

    def __init__(self, values: Optional[Dict[str, str]] = None, name: str = ""):
        self.values: Dict[str, str] = dict(values or {})
        self.name = name
        self._read_only: Set[str] = set()

    def has_value(self, key: str) -> bool:
        return key in self.values

    def get_value(self, key: str, default: Any = None) -> Any:
        if key in self.values:
            return self.values[key]
        if default is None:
            raise ValueError("setting `%s` is missing" % key)
        return default

    def set_value(self, key: str, value: Any, description: str = "") -> None:
        if key in self._read_only:
            raise ValueError("the setting `%s` is read-only" % key)
        self.values[key] = str(value)

    def unset_value(self, key: str) -> None:
        del self.values[key]

    def is_read_only(self, key: str) -> bool:
        return key in self._read_only

    def mark_read_only(self, key: str) -> None:
        self._read_only.add(key)

    def merge_config(self, other: "Config") -> None:
        self.values.update(other.values)

    def available_values(self) -> List[str]:
        return list(self.values)

    def subblock(self, key: str) -> "Config":
        start = key + self.block_sep
        return Config({k[len(start) :]: v for k, v in self.values.items() if k.startswith(start)}, key)

    subblock_view = subblock

    def __len__(self) -> int:
        return len(self.values)

    def __contains__(self, key: str) -> bool:
        return key in self.values

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)

    __getitem__ = get_value
    __setitem__ = set_value
    __delitem__ = unset_value


def empty_config(name: str = "") -> Config:
    """Return an empty configuration."""
    return Config(name=name)


def read_config_file(path: str, search_paths: Iterable[str] = ()) -> Config:
    """Read the settings of a file: lines `KEY = VALUE`, blocks, and included files."""
    config = Config()
    _Reader(config, list(search_paths)).file(str(path))
    return config


_LINE = re.compile(r"(relativepath\s+)?([^\s=\[:]+(?::[^\s=\[:]+)*)\s*(?:\[[^\]]*\])?\s*(:?=)\s*(.*)")
_MACRO = re.compile(r"\$(CONFIG|ENV|LOCAL)\{([^}]*)\}")


class _Reader:
    """A reader of settings files into one configuration."""

    def __init__(self, config: Config, search: List[str]):
        self.config, self.search = config, search
        self.blocks: List[str] = []
        self.under: List[str] = []  # the files that include this one

    def file(self, path: str) -> None:
        if path in self.under:
            raise ValueError("`%s` includes itself" % path)
        self.under.append(path)
        local: Dict[str, str] = {}
        depth = len(self.blocks)
        with open(path, encoding="utf-8") as f:
            for number, line in enumerate(f, 1):
                line = line.split("#")[0].strip()
                if line and not self._line(line, path, local):
                    raise ValueError("%s:%d: expected KEY = VALUE, a block or an include, not `%s`" % (path, number, line))
        if len(self.blocks) != depth:
            raise ValueError("`%s` ends inside block `%s`" % (path, self.blocks[-1]))
        self.under.pop()

    def _line(self, line: str, path: str, local: Dict[str, str]) -> bool:
        word, _, rest = line.partition(" ")
        if word == "block" and rest:
            self.blocks.append(rest.strip())
        elif line == "endblock":
            if not self.blocks:
                return False
            self.blocks.pop()
        elif word == "include" and rest:
            self.file(self._find(self._expand(rest.strip(), local), path))
        else:
            found = _LINE.fullmatch(line)
            if found is None:
                return False
            relative, key, sign, value = found.groups()
            value = self._expand(value, local)
            if relative:
                value = os.path.join(os.path.dirname(os.path.abspath(path)), value)
            if sign == ":=":
                local[key] = value
            else:
                self.config.set_value(":".join(self.blocks + [key]), value)
        return True

    def _expand(self, text: str, local: Dict[str, str]) -> str:
        values = {"CONFIG": self.config.values, "ENV": os.environ, "LOCAL": local}
        return _MACRO.sub(lambda m: values[m[1]].get(m[2], ""), text)  # type: ignore[attr-defined]

    def _find(self, name: str, beside: str) -> str:
        for folder in [os.path.dirname(beside), *self.search]:
            if os.path.exists(os.path.join(folder, name)):
                return os.path.join(folder, name)
        raise ValueError("`%s` includes `%s`, which does not exist" % (beside, name))
