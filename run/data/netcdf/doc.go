// Package netcdf writes and reads netCDF-4 files: HDF5 files with named dimensions that variables share.
//
// A dimension is a dataset too, called its scale, and variables refer to it:
//
//	dimension x ──▶ dataset `x`, a scale    CLASS, NAME, _Netcdf4Dimid
//	                    │ REFERENCE_LIST           ▲ DIMENSION_LIST
//	                    ▼                          │
//	variable v(x) ──▶ dataset `v`           _Netcdf4Coordinates: the numbers of its dimensions
//	variable x(x) ──▶ the scale itself, which then contains the coordinates
//	variable x(y) ──▶ dataset `_nc4_non_coord_x`, if a dimension has its name
//
// A scale without coordinates has no elements. When its variable is defined, the scale is redefined
// but stays the same object, so references to it stay valid. The guarantees of package hdf5 for
// killed programs apply here too: each object is either the old or the new one.
//
// An unlimited dimension is as long as the longest of its variables; shorter ones are read with
// fill values at their end. Classic files (CDF-1, CDF-2, CDF-5) are not HDF5 and are not supported.
package netcdf
