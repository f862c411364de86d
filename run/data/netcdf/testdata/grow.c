// Extends a file as programs on libnetcdf do, defines it anew, and writes a part of it to another file.
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>

#define OK(call)                                                             \
	do {                                                                     \
		int status = (call);                                                 \
		if (status) {                                                        \
			fprintf(stderr, "%s: %s\n", #call, nc_strerror(status));         \
			exit(1);                                                         \
		}                                                                    \
	} while (0)

int main(int argc, char *argv[])
{
	int file, group, v, added, dims[2], part, copied[2];
	if (argc != 3) return 2;
	OK(nc_open(argv[1], NC_WRITE, &file));
	OK(nc_inq_ncid(file, "g", &group));
	OK(nc_inq_varid(group, "v", &v));
	OK(nc_put_vara_int(group, v, (size_t[]){2, 0}, (size_t[]){1, 3}, (int[]){7, 8, 9}));
	OK(nc_redef(file));
	OK(nc_rename_var(group, v, "renamed"));
	OK(nc_put_att_text(group, v, "note", 5, "hello"));
	OK(nc_del_att(group, v, "old"));
	OK(nc_inq_vardimid(group, v, dims));
	OK(nc_def_var(group, "added", NC_DOUBLE, 1, dims, &added));
	OK(nc_enddef(file));
	OK(nc_put_vara_double(group, added, (size_t[]){0}, (size_t[]){3}, (double[]){0.5, 1.5, 2.5}));
	OK(nc_create(argv[2], NC_NETCDF4, &part));
	OK(nc_def_dim(part, "t", NC_UNLIMITED, &copied[0]));
	OK(nc_def_dim(part, "x", 3, &copied[1]));
	OK(nc_copy_var(group, v, part));
	OK(nc_close(part));
	OK(nc_close(file));
	return 0;
}
