/* The cost of an event: calibrate ROUNDS [LIBRARY]. It prints the
 * nanoseconds of processor time for each event, from the best pass: for
 * a region of the program, or for a lock if an OpenMP runtime is given. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "pentode_trace.h"

enum { PASSES = 10 };

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static void (*set_lock)(void *), (*unset_lock)(void *);
static void *lock[8];

/* A lock has three events: it is requested, acquired, and released. */
static void locks(long rounds)
{
	for (long i = 0; i < rounds; i++) {
		set_lock(lock);
		unset_lock(lock);
	}
}

static void regions(long rounds)
{
	for (long i = 0; i < rounds; i++) {
		pentode_region_begin("calibrate");
		pentode_region_end("calibrate");
	}
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1000;
	int events = 2;
	void (*pass)(long) = regions;
	if (argc > 2) {
		void *library = dlopen(argv[2], RTLD_NOW | RTLD_GLOBAL);
		void (*init)(void *) = library ? (void (*)(void *))dlsym(library, "omp_init_lock") : NULL;
		set_lock = library ? (void (*)(void *))dlsym(library, "omp_set_lock") : NULL;
		unset_lock = library ? (void (*)(void *))dlsym(library, "omp_unset_lock") : NULL;
		if (!init || !set_lock || !unset_lock)
			return 1;
		init(lock);
		events = 3;
		pass = locks;
	}
	double least = 1e18;
	for (int i = 0; i < PASSES; i++) {
		double begun = now();
		pass(rounds);
		double took = (now() - begun) / rounds / events;
		least = took < least ? took : least;
		usleep(5000); /* meanwhile the collector drains the ring */
	}
	printf("%.3f\n", least);
	return 0;
}
