"""Settings: texts by keys, whose parts are separated by colons."""

from typing import Any, Dict, Iterator, List, Optional, Set

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
            raise ValueError("there is no setting `%s`" % key)
        return default

    def set_value(self, key: str, value: Any) -> None:
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
    """Settings without any."""
    return Config(name=name)
