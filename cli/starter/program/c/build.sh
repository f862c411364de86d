#!/bin/sh
# Builds ./@NAME@. CC chooses another compiler, CFLAGS its flags.
set -eu
cd "$(dirname "$0")"
compiler=${CC:-cc}
if ! command -v "$compiler" >/dev/null; then
	echo "build.sh: the compiler \`$compiler\` is not installed; install it, or name another one: CC=COMPILER sh build.sh" >&2
	exit 1
fi
"$compiler" ${CFLAGS:--O2 -g} @NAME@.c -o @NAME@ -lm
