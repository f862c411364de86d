// Writes 64 MB with libhdf5, as bench.c does with the store: bench_hdf5 TIMES prints the nanoseconds for
// one file.
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(int argc, char **argv)
{
	if (argc != 2) return 2;
	long times = atol(argv[1]);
	hsize_t n = 8 << 20;
	double *a = malloc(n * sizeof *a);
	for (hsize_t i = 0; i < n; i++) a[i] = i;
	double begin = now();
	for (long i = 0; i < times; i++) {
		hid_t file = H5Fcreate("bench.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
		hid_t space = H5Screate_simple(1, &n, NULL);
		hid_t set = H5Dcreate2(file, "a", H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
		if (set < 0 || H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, a) < 0) return 1;
		H5Dclose(set);
		H5Sclose(space);
		H5Fclose(file);
	}
	printf("%f\n", (now() - begin) / times);
	free(a);
	return 0;
}
