// Package netcdf writes and reads netCDF-4 files: HDF5 files in which dimensions have names that
// variables share.
//
// A dimension is a dataset too, its scale, and variables refer to it:
//
//	dimension x ──▶ dataset `x`, a scale    CLASS, NAME, _Netcdf4Dimid
//	                    │ REFERENCE_LIST           ▲ DIMENSION_LIST
//	                    ▼                          │
//	variable v(x) ──▶ dataset `v`           _Netcdf4Coordinates: the numbers of its dimensions
//	variable x(x) ──▶ the scale itself, which then holds the coordinates
//	variable x(y) ──▶ dataset `_nc4_non_coord_x`, where a dimension has its name
//
// A scale without coordinates has no elements. When its variable comes, the scale is described anew
// and stays the same object, so that nothing that refers to it changes. So all that holds for hdf5
// when a program is killed holds here: an object is the old or the new one.
//
// A dimension without limit is as long as the longest of its variables; shorter ones are read with
// fill values at their end. Classic files (CDF-1, CDF-2, CDF-5) are not HDF5, and not supported.
package netcdf
