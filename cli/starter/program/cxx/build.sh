#!/bin/sh
# Builds ./@NAME@. CXX chooses another compiler, CXXFLAGS its flags.
set -eu
cd "$(dirname "$0")"
compiler=${CXX:-c++}
if ! command -v "$compiler" >/dev/null; then
	echo "build.sh: the compiler \`$compiler\` is not installed; install it, or name another one: CXX=COMPILER sh build.sh" >&2
	exit 1
fi
"$compiler" ${CXXFLAGS:--O2 -g} @NAME@.cxx -o @NAME@
