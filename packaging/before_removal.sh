#!/bin/sh
# Runs before .deb and .rpm take the package away. Python keeps what it has compiled beside its
# sources, where it may write: of those files no package knows.
set -e
python="${DPKG_ROOT-}/usr/lib/pentode/python"
if [ -d "$python" ]; then
	find "$python" -name __pycache__ -prune -exec rm -rf {} +
fi
