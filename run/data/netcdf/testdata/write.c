/* Writes 64 MB with libnetcdf for each path that it reads from standard input, and prints how many nanoseconds it took:
 * as one variable in one piece, or as 16 records of a dimension without limit. */
#include <netcdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { rows = 2048, columns = 4096, records = 16 };

static void check(int status)
{
	if (status != NC_NOERR) {
		fprintf(stderr, "%s\n", nc_strerror(status));
		exit(1);
	}
}

int main(int argc, char **argv)
{
	int grows = argc > 1 && strcmp(argv[1], "records") == 0;
	double *field = malloc(sizeof(double) * rows * columns);
	for (size_t i = 0; i < (size_t)rows * columns; i++)
		field[i] = i;
	char path[4096];
	while (fgets(path, sizeof path, stdin)) {
		path[strcspn(path, "\n")] = 0;
		struct timespec from, to;
		clock_gettime(CLOCK_MONOTONIC, &from);
		int id, dims[2], var;
		check(nc_create(path, NC_NETCDF4 | NC_CLOBBER, &id));
		check(nc_def_dim(id, "y", grows ? NC_UNLIMITED : rows, &dims[0]));
		check(nc_def_dim(id, "x", grows ? rows * columns / records : columns, &dims[1]));
		check(nc_def_var(id, "field", NC_DOUBLE, 2, dims, &var));
		check(nc_enddef(id));
		if (grows)
			for (size_t i = 0; i < records; i++) {
				size_t start[] = {i, 0}, count[] = {1, rows * columns / records};
				check(nc_put_vara_double(id, var, start, count, field + i * count[1]));
			}
		else
			check(nc_put_var_double(id, var, field));
		check(nc_close(id));
		clock_gettime(CLOCK_MONOTONIC, &to);
		printf("%lld\n", (to.tv_sec - from.tv_sec) * 1000000000LL + to.tv_nsec - from.tv_nsec);
		fflush(stdout);
	}
	return 0;
}
