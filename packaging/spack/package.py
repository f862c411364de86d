# Not tested with a release yet.
from spack.package import *


class Pentode(Package):
    """Workbench for the configuration of a scientific run: checks, formats,
    explains and runs COIL, Paradyn, sprokit, PDI and PInsight files."""

    homepage = "https://github.com/pentode-dev/pentode"
    git = "https://github.com/pentode-dev/pentode.git"

    license("Apache-2.0")

    version("0.1.0", tag="v0.1.0")

    variant("capi", default=True, description="Libraries for C, C++, Fortran and Python programs that use PDI")

    depends_on("go@1.26:", type="build")
    depends_on("c", type="build", when="+capi")
    depends_on("fortran", type="build", when="+capi")

    def install(self, spec, prefix):
        go = which("go", required=True)
        go("build", "-trimpath", "-ldflags=-s -w", "-o", join_path(prefix.bin, "pentode"), "./cmd/pentode")
        install_tree("python/pentode", join_path(prefix.lib, "pentode", "python", "pentode"))
        if spec.satisfies("+capi"):
            go("run", "./capi/install", prefix)
