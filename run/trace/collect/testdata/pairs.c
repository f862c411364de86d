/* The cost of a program's own region: pairs ROUNDS [clock]. It prints the nanoseconds of processor
 * time for a begin and an end, from the best of ten passes; with `clock`, only for the two
 * readings of the clock that a monitored region takes. */
#define _GNU_SOURCE
#include <stdint.h>
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

static uint64_t ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t count;
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
	return count;
#else
	return now();
#endif
}

static volatile uint64_t total;

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1000000;
	int alone = argc > 2;
	double least = 1e18;
	for (int pass = 0; pass < 10; pass++) {
		double begun = now();
		for (long i = 0; alone && i < rounds; i++) {
			uint64_t since = ticks();
			total += ticks() - since;
		}
		for (long i = 0; !alone && i < rounds; i++) {
			pentode_region_begin("step");
			pentode_region_end("step");
		}
		double took = (now() - begun) / rounds;
		least = took < least ? took : least;
	}
	printf("%.2f\n", least);
	return 0;
}
