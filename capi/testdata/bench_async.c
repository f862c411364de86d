// A program that computes for 100 ms and writes 16 MB in each step: bench_async HOW STEPS, with HOW one of
// none, sync and async, prints the nanoseconds of a step, of the calls in it and of a memcpy of the same size
// (medians).
#include "check.h"

#include <time.h>

enum { SIZE = 2 << 20 }; // doubles

static double at(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static double median(double *list, int n)
{
	qsort(list, n, sizeof *list, by_size);
	return list[n / 2];
}

int main(int argc, char **argv)
{
	if (argc != 3) return 2;
	int steps = atoi(argv[2]), writes = strcmp(argv[1], "none");
	char tree[512];
	snprintf(tree, sizeof tree,
	         "logging: error\nmetadata: {step: int}\ndata: {field: {type: array, subtype: double, size: %d}}\n"
	         "plugins: {decl_hdf5: {file: async.h5, %s on_event: step, write: {field: {dataset: 'step ${step}'}}}}\n",
	         SIZE, strcmp(argv[1], "async") ? "" : "async: {},");
	begin(tree);
	double *field = malloc(SIZE * sizeof *field), *copy = malloc(SIZE * sizeof *field);
	double *calls = calloc(steps, sizeof *calls), *copies = calloc(steps, sizeof *copies);
	for (int i = 0; i < SIZE; i++) field[i] = copy[i] = i;
	double start = at(CLOCK_MONOTONIC);
	for (int step = 0; step < steps; step++) {
		double until = at(CLOCK_THREAD_CPUTIME_ID) + 100e6;
		for (int i = 0; at(CLOCK_THREAD_CPUTIME_ID) < until; i = (i + 512) % SIZE)
			for (int k = 0; k < 512; k++) field[i + k] = 0.5 * (field[i + k] + step);
		double from = at(CLOCK_MONOTONIC);
		if (writes) EXPECT(PDI_multi_expose("step", "step", &step, PDI_OUT, "field", field, PDI_OUT, NULL) == PDI_OK);
		calls[step] = at(CLOCK_MONOTONIC) - from;
	}
	EXPECT(PDI_finalize() == PDI_OK);
	double took = at(CLOCK_MONOTONIC) - start;
	for (int i = 0; i < steps; i++) {
		double from = at(CLOCK_MONOTONIC);
		memcpy(copy, field, SIZE * sizeof *field);
		copies[i] = at(CLOCK_MONOTONIC) - from;
		field[i % SIZE] = copy[SIZE - 1]; // uses every element
	}
	printf("%f %f %f\n", took / steps, median(calls, steps), median(copies, steps));
	return 0;
}
