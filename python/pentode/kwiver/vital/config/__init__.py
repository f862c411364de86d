"""Settings: strings by keys, whose parts are separated by colons."""

from .config import Config, ConfigKeys, empty_config, read_config_file

__all__ = ["Config", "ConfigKeys", "empty_config", "read_config_file"]
