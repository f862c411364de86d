#!/bin/sh
# Compiles heat.c, or heat.f90 if the argument is `fortran`, and runs it in four processes. PDI is the folder in which libpdi is
# installed; MPICC, MPIFC and MPIRUN name the programs of an MPI other than the default.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
out=${PENTODE_OUT:-.}
mkdir -p "$out"
lib="$PDI/lib"
if [ "${1:-c}" = fortran ]; then
	modules=$(dirname "$(find "$PDI" -name pdi.mod | head -n 1)")
	${MPIFC:-mpif90} -ffree-line-length-none -O2 -J "$out" -I "$modules" -I "$(dirname "$(find "$PDI" -name paraconf.mod | head -n 1)")" "$here/heat.f90" -o "$out/heat" \
		-L "$lib" -lpdi_f90 -lparaconf_f90 -lpdi -lparaconf -Wl,-rpath,"$lib"
else
	${MPICC:-mpicc} -O2 -I "$PDI/include" "$here/heat.c" -o "$out/heat" -L "$lib" -lpdi -lparaconf -Wl,-rpath,"$lib"
fi
cd "$out"
${MPIRUN:-mpirun} -np 4 ./heat "$here/heat.yml"
