#!/bin/sh
# Builds ./@NAME@. FC chooses another compiler, FFLAGS its flags.
set -eu
cd "$(dirname "$0")"
compiler=${FC:-gfortran}
if ! command -v "$compiler" >/dev/null; then
	echo "build.sh: the compiler \`$compiler\` is not installed; install it, or name another one: FC=COMPILER sh build.sh" >&2
	exit 1
fi
"$compiler" ${FFLAGS:--O2 -g} @NAME@.f90 -o @NAME@
