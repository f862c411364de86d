# Source this file so that programs find the data store and Python finds its module.
if [ -n "$BASH_VERSION" ]; then
	PDI_DIR="${BASH_SOURCE[0]}"
elif [ -n "$ZSH_VERSION" ]; then
	PDI_DIR="$(eval 'echo "${(%):-%x}"')"
elif [ -n "$PDI_ENV" ]; then # the shell does not know this file's path: pdirun sets it
	PDI_DIR="$PDI_ENV"
else
	echo "env.sh: this shell does not tell where the file is: set PDI_ENV to its path first" >&2
fi
if [ -n "$PDI_DIR" ]; then
	PDI_DIR="$(cd "$(dirname "$PDI_DIR")/../.." && pwd)"
	export PDI_DIR
	export PATH="$PDI_DIR/bin${PATH:+:$PATH}"
	export LD_LIBRARY_PATH="$PDI_DIR/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
	export PYTHONPATH="$PDI_DIR/lib/python3/dist-packages${PYTHONPATH:+:$PYTHONPATH}"
	export CMAKE_PREFIX_PATH="$PDI_DIR${CMAKE_PREFIX_PATH:+:$CMAKE_PREFIX_PATH}"
	export PKG_CONFIG_PATH="$PDI_DIR/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}"
fi
