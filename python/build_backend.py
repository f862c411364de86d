"""Builds the package for pip, with nothing but the standard library, so that
`pip install ./python` works on machines without a package index."""

import base64
import hashlib
import pathlib
import zipfile

NAME, VERSION = "pentode", "0.1.0"

METADATA = """Metadata-Version: 2.1
Name: %s
Version: %s
Summary: Processes of pipelines, written in Python
Requires-Python: >=3.9
Provides-Extra: arrays
Requires-Dist: numpy; extra == 'arrays'
""" % (NAME, VERSION)

WHEEL = """Wheel-Version: 1.0
Generator: build_wheel
Root-Is-Purelib: true
Tag: py3-none-any
"""


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Writes the wheel; pip calls it."""
    here = pathlib.Path(__file__).parent
    info = "%s-%s.dist-info/" % (NAME, VERSION)
    files = {str(p.relative_to(here)): p.read_bytes() for p in sorted(here.glob(NAME + "/**/*.py"))}
    files[info + "METADATA"] = METADATA.encode()
    files[info + "WHEEL"] = WHEEL.encode()
    record = ["%s,sha256=%s,%d" % (name, digest(data), len(data)) for name, data in files.items()]
    files[info + "RECORD"] = "\n".join(record + [info + "RECORD,,", ""]).encode()
    wheel = "%s-%s-py3-none-any.whl" % (NAME, VERSION)
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return wheel


def digest(data):
    """The checksum of a file, as wheels write it."""
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
