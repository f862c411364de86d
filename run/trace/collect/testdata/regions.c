/* The cost of a small parallel region: regions. It prints the
 * nanoseconds of processor time from the best of ten passes of 20,000
 * regions. With EMPTY_TOOL it has a tool that registers no callback. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#ifdef EMPTY_TOOL
static int initialize(void *lookup, int device, void *tool)
{
	(void)lookup, (void)device, (void)tool;
	return 1;
}

static void finalize(void *tool) { (void)tool; }

void *ompt_start_tool(unsigned version, const char *runtime)
{
	static struct { int (*initialize)(void *, int, void *); void (*finalize)(void *); uint64_t data; } tool = {initialize, finalize, 0};
	(void)version, (void)runtime;
	return &tool;
}
#endif

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(void)
{
	enum { REGIONS = 20000 };
	static volatile int sink;
	double least = 1e18;
	for (int i = 0; i < 10; i++) {
		double begun = now();
		for (int n = 0; n < REGIONS; n++)
#pragma omp parallel
			sink++;
		double took = (now() - begun) / REGIONS;
		least = took < least ? took : least;
	}
	printf("%.2f\n", least);
	return 0;
}
