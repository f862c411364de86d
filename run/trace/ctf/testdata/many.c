// Two threads that each hit LTTng's tracepoints as often as the argument says.
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "many.h"
#include <pthread.h>
#include <stdlib.h>

static int rounds;

static void *work(void *unused)
{
	short list[] = {-1, 2, 3, 4, 5};
	for (int i = 0; i < rounds; i++) {
		lttng_ust_tracepoint(many, work_begin, i);
		lttng_ust_tracepoint(many, types, i - 3, i % 2 ? "hello" : "two words", i * 0.5, list, 1 + i % 5);
		lttng_ust_tracepoint(many, work_end, i);
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t other;
	rounds = argc > 1 ? atoi(argv[1]) : 1;
	if (pthread_create(&other, NULL, work, NULL))
		return 1;
	work(NULL);
	return pthread_join(other, NULL);
}
