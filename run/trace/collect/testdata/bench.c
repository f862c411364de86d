/* The cost of an event: bench ROUNDS [THREADS]. It prints the
 * nanoseconds of processor time, for the best of ten passes and as a
 * mean over the threads, of an empty callback and of an event of the
 * agent; if compiled with LTTNG, of a tracepoint with two integers. */
#define _GNU_SOURCE
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include "runtime.h"
#ifdef LTTNG
#define LTTNG_UST_TRACEPOINT_DEFINE
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#include "bench_lttng.h"
#endif

enum { PASSES = 10, MAX_THREADS = 64, CANCEL = 30 };
typedef void (*callback)(data *, int, const void *);

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

static void empty(data *task, int flags, const void *code)
{
	__asm__ volatile("" : : "r"(task), "r"(flags), "r"(code));
}

/* best pauses between passes, so that the collector can drain the ring. */
static double best(callback volatile f, long rounds)
{
	double least = 1e18;
	for (int i = 0; i < PASSES; i++) {
		double begun = now();
		for (long n = 0; n < rounds; n++)
			f(NULL, 2, empty);
		double took = (now() - begun) / rounds;
		least = took < least ? took : least;
		usleep(20000);
	}
	return least;
}

#ifdef LTTNG
static void recorded_by_lttng(data *task, int flags, const void *code)
{
	(void)task;
	lttng_ust_tracepoint(pentode_bench, two, flags, (long)code);
}
#define MEASURED recorded_by_lttng
#define START_TOOL 1
#else
#define MEASURED (callback)callbacks[CANCEL]
#define START_TOOL start_tool()
#endif

static long rounds;
static int threads;
static data parallel;
static double figures[MAX_THREADS][2];

static void *measure(void *index)
{
	long i = (long)index;
	data task = {0};
	implicit_task(SCOPE_BEGIN, &parallel, &task, threads, i);
	figures[i][0] = best(empty, rounds);
	figures[i][1] = best(MEASURED, rounds);
	implicit_task(SCOPE_END, NULL, &task, threads, i);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t team[MAX_THREADS];
	rounds = argc > 1 ? atol(argv[1]) : 10000;
	threads = argc > 2 ? atoi(argv[2]) : 1;
	if (threads > MAX_THREADS || !START_TOOL)
		return 1;
	parallel_begin(&parallel, threads, main);
	for (long i = 1; i < threads; i++)
		pthread_create(&team[i], NULL, measure, (void *)i);
	measure(NULL);
	double sum[2] = {0};
	for (int i = 0; i < threads; i++) {
		if (i)
			pthread_join(team[i], NULL);
		for (int j = 0; j < 2; j++)
			sum[j] += figures[i][j];
	}
	parallel_end(&parallel, main);
	printf("%.2f %.2f\n", sum[0] / threads, sum[1] / threads);
	return 0;
}
