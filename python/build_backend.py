"""A PEP 517 build backend that needs only the standard library, so that `pip install ./python` works on machines without a
package index."""

import base64
import gzip
import hashlib
import io
import pathlib
import re
import tarfile
import zipfile
from typing import Any, Dict, Optional

HERE = pathlib.Path(__file__).parent
NAME = "pentode"
VERSION = re.search(r'^__version__ = "(.+)"$', (HERE / NAME / "__init__.py").read_text(), re.M).group(1)
DIST_INFO = f"{NAME}-{VERSION}.dist-info"

METADATA = f"""Metadata-Version: 2.1
Name: {NAME}
Version: {VERSION}
Summary: Processes of pipelines, written in Python
Home-page: https://github.com/pentode-dev/pentode
License: Apache-2.0
License-File: LICENSE
Classifier: License :: OSI Approved :: Apache Software License
Classifier: Programming Language :: Python :: 3
Classifier: Typing :: Typed
Requires-Python: >=3.9
Provides-Extra: arrays
Requires-Dist: numpy; extra == 'arrays'
Description-Content-Type: text/markdown

{(HERE / "README.md").read_text()}"""

WHEEL = """Wheel-Version: 1.0
Generator: pentode
Root-Is-Purelib: true
Tag: py3-none-any
"""


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Optional[str] = None) -> str:
    """Write the wheel into a folder and return its name."""
    files = {**package(), **info()}
    record = [f"{name},sha256={digest(data)},{len(data)}" for name, data in files.items()]
    files[f"{DIST_INFO}/RECORD"] = "\n".join([*record, f"{DIST_INFO}/RECORD,,", ""]).encode()
    wheel = f"{NAME}-{VERSION}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, "w") as archive:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name)  # its date is always 1980, so that the same files make the same wheel
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, data, zipfile.ZIP_DEFLATED)
    return wheel


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Write the source archive into a folder and return its name."""
    files = {**package(), "PKG-INFO": METADATA.encode()}
    for path in [*HERE.glob("*.py"), *HERE.glob("tests/*.py"), *(HERE / name for name in ("LICENSE", "README.md", "pyproject.toml"))]:
        files[path.relative_to(HERE).as_posix()] = path.read_bytes()
    sdist = f"{NAME}-{VERSION}.tar.gz"
    path = pathlib.Path(sdist_directory) / sdist
    with open(path, "wb") as out, gzip.GzipFile("", "wb", fileobj=out, mtime=0) as packed, tarfile.open(mode="w", fileobj=packed) as archive:
        for name, data in sorted(files.items()):
            entry = tarfile.TarInfo(f"{NAME}-{VERSION}/{name}")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    return sdist


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Any = None) -> str:
    """Write the metadata folder of the wheel and return its name."""
    (pathlib.Path(metadata_directory) / DIST_INFO).mkdir()
    for name, data in info().items():
        (pathlib.Path(metadata_directory) / name).write_bytes(data)
    return DIST_INFO


def package() -> Dict[str, bytes]:
    """Return the files of the package by name."""
    paths = [*HERE.glob(NAME + "/**/*.py"), HERE / NAME / "py.typed"]
    return {path.relative_to(HERE).as_posix(): path.read_bytes() for path in sorted(paths)}


def info() -> Dict[str, bytes]:
    """Return the metadata files of a wheel by name."""
    return {
        f"{DIST_INFO}/METADATA": METADATA.encode(),
        f"{DIST_INFO}/WHEEL": WHEEL.encode(),
        f"{DIST_INFO}/LICENSE": (HERE / "LICENSE").read_bytes(),
    }


def digest(data: bytes) -> str:
    """Return the checksum of a file in the form that wheels use."""
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
