/* What a region of one's own costs: pairs ROUNDS. It prints the nanoseconds of processor time
 * for a begin and an end, for the best of ten passes. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "pentode_trace.h"

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1000000;
	double least = 1e18;
	for (int pass = 0; pass < 10; pass++) {
		double begun = now();
		for (long i = 0; i < rounds; i++) {
			pentode_region_begin("step");
			pentode_region_end("step");
		}
		double took = (now() - begun) / rounds;
		least = took < least ? took : least;
	}
	printf("%.2f\n", least);
	return 0;
}
