/* What an event costs: bench ROUNDS. It plays the OpenMP runtime, so that
 * nothing but the agent is measured, and prints the nanoseconds of the best of
 * ten for an empty callback, for an event of the agent, and with LTTNG for a
 * tracepoint of two integers. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef LTTNG
#define LTTNG_UST_TRACEPOINT_DEFINE
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#include "bench_lttng.h"
#endif

typedef union { uint64_t value; void *ptr; } data;
typedef void (*function)(void);

static function callbacks[64];

static int set_callback(int event, function f)
{
	callbacks[event] = f;
	return 5;
}

static function lookup(const char *name) { return strcmp(name, "ompt_set_callback") ? NULL : (function)set_callback; }

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static void empty(data *task, int flags, const void *code)
{
	__asm__ volatile("" : : "r"(task), "r"(flags), "r"(code));
}

static double best(void (*volatile f)(data *, int, const void *), long rounds)
{
	double least = 1e18;
	for (int i = 0; i < 10; i++) {
		double begun = now();
		for (long n = 0; n < rounds; n++)
			f(NULL, 2, empty);
		double took = (now() - begun) / rounds;
		least = took < least ? took : least;
	}
	return least;
}

#ifdef LTTNG
static void recorded_by_lttng(data *task, int flags, const void *code)
{
	(void)task;
	lttng_ust_tracepoint(pentode_bench, two, flags, (long)code);
}
#endif

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 10000;
	struct { int (*initialize)(function (*)(const char *), int, data *); } *tool, *(*start)(unsigned, const char *);
	*(void **)&start = dlsym(RTLD_DEFAULT, "ompt_start_tool");
	if (!start || !(tool = start(201811, "bench")) || !tool->initialize(lookup, 0, NULL))
		return 1;
	data parallel = {0}, task = {0};
	void (*parallel_begin)(data *, void *, data *, unsigned, int, const void *) = (void *)callbacks[3];
	void (*implicit_task)(int, data *, data *, unsigned, unsigned, int) = (void *)callbacks[7];
	parallel_begin(NULL, NULL, &parallel, 1, 0, main);
	implicit_task(1, &parallel, &task, 1, 0, 2);
	printf("%.2f %.2f", best(empty, rounds), best((void (*)(data *, int, const void *))callbacks[30], rounds));
#ifdef LTTNG
	printf(" %.2f", best(recorded_by_lttng, rounds));
#endif
	printf("\n");
	return 0;
}
