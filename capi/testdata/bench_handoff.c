// The cost of handing data to a pipeline. `bench_handoff field N` prints the nanoseconds for a field of 1 MB and for copying it, `bench_handoff
// number N` for a number at an event, `bench_handoff wake N` for a number that wakes the pipeline, and `bench_handoff work N` for a program with N
// events of 64 kB that computes for about 2 s, without a pipeline and with one.
#include "check.h"

#include <time.h>

// now returns the time of this thread, which excludes other work of the machine; with the policy `latest` there is no waiting.
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static double *field, *copy, sum;
static size_t bytes;

static void compute(long rounds)
{
	for (long k = 0; k < rounds; k++)
		sum += field[k % 1000] * 0.5;
}

static void store(const char *plugins)
{
	char tree[400];
	snprintf(tree, sizeof tree, "logging: error\ndata: {field: {type: array, subtype: double, size: %zu}}\nplugins: %s\n", bytes / sizeof(double), plugins);
	begin(tree);
}

static void hand(int i)
{
	field[0] = i;
	EXPECT(PDI_multi_expose("step", "field", field, PDI_OUT, NULL) == PDI_OK);
}

// work is a program with n events.
static double work(int n, long rounds, const char *plugins)
{
	store(plugins);
	double began = now();
	for (int i = 0; i < n; i++) {
		compute(rounds);
		hand(i);
	}
	double took = now() - began;
	PDI_finalize();
	return took;
}

static int by_time(const void *a, const void *b)
{
	return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

int main(int argc, char **argv)
{
	EXPECT(argc == 3);
	const char *what = argv[1], *flow = "{flow: {pipeline: bench.pipe, on_event: {step: [field]}}}";
	int n = atoi(argv[2]);
	bytes = !strcmp(what, "work") ? 64 << 10 : !strcmp(what, "field") ? 1 << 20 : sizeof(double);
	field = calloc(1, 1 << 20);
	copy = calloc(1, 1 << 20);
	if (!strcmp(what, "work")) {
		double began = now();
		compute(10000000);
		long rounds = 1e7 * 2e9 / n / (now() - began);
		double none = work(n, rounds, "{}"), with = work(n, rounds, flow);
		printf("%.0f %.0f\n", with / n, none / n);
		return sum == 12345;
	}
	store(flow);
	double giving = 0, copying = 0;
	for (int i = 0; i < n + 20; i++) { // the first rounds allocate the pages
		double at = now(), middle;
		if (i % 2) { // alternating: the first call finds the field outside of the cache
			hand(i);
			middle = now();
			memcpy(copy, field, bytes);
		} else {
			memcpy(copy, field, bytes);
			middle = now();
			hand(i);
		}
		double first = middle - at, second = now() - middle;
		if (i >= 20) {
			giving += i % 2 ? first : second;
			copying += i % 2 ? second : first;
		}
		sum += copy[0];
	}
	if (!strcmp(what, "wake")) { // the pipeline falls asleep again while the program computes; the clock's time is not part of the call
		double *took = malloc(n * sizeof *took);
		for (int i = 0; i < n; i++) {
			compute(300000);
			double at = now(), middle = now();
			hand(i);
			took[i] = now() - middle - (middle - at);
		}
		qsort(took, n, sizeof *took, by_time);
		giving = took[n / 2] * n; // a call during which another program used the processor suffers from cold caches
		free(took);
	} else if (bytes == sizeof(double)) { // reading the clock would cost more than the call
		double began = now();
		for (int i = 0; i < n; i++)
			hand(i);
		giving = now() - began;
	}
	printf("%.0f %.0f\n", giving / n, copying / n);
	PDI_finalize();
	return sum == 12345;
}
