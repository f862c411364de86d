#!/bin/sh
# Runs before .deb and .rpm take the package away. Python keeps what it has compiled beside its
# sources, if it may write there: no package knows about those files.
set -e
python="${DPKG_ROOT-}/usr/lib/pentode/python"
if [ -d "$python" ]; then
	find "$python" -name __pycache__ -prune -exec rm -rf {} +
fi
