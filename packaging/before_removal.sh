#!/bin/sh
# Runs before .deb and .rpm remove the package. It deletes the compiled modules that Python may have
# written beside the sources, which do not belong to the package.
set -e
python="${DPKG_ROOT-}/usr/lib/pentode/python"
if [ -d "$python" ]; then
	find "$python" -name __pycache__ -prune -exec rm -rf {} +
fi
