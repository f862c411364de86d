/* What a traced program may do to its tracer: faults KIND [COUNT]. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pentode_trace.h"

/* As programs for an installed PInsight declare them. */
#pragma weak pinsight_get_knob_int
#pragma weak pinsight_get_knob_double
#pragma weak pinsight_get_knob_string
int pinsight_get_knob_int(const char *name);
double pinsight_get_knob_double(const char *name);
const char *pinsight_get_knob_string(const char *name);

static void regions(int count)
{
	for (int i = 0; i < count; i++) {
		pentode_region_begin("work");
		pentode_region_end("work");
	}
}

#ifdef MEMORY
/* Allows shared memory for a number of rings, and then no more. */
int posix_fallocate(int f, off_t at, off_t size)
{
	static int claimed;
	(void)f, (void)at, (void)size;
	return claimed++ < MEMORY ? 0 : ENOSPC;
}
#endif

static pthread_barrier_t all_here;

/* together is a thread that stays until all others have started. */
static void *together(void *unused)
{
	(void)unused;
	regions(10);
	pthread_barrier_wait(&all_here);
	return NULL;
}

static void crowd(int count)
{
	pthread_t *threads = calloc(count, sizeof *threads);
	pthread_attr_t small;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 << 10);
	pthread_barrier_init(&all_here, NULL, count);
	for (int i = 0; i < count; i++)
		if (pthread_create(&threads[i], &small, together, NULL))
			exit(4);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

static void *one(void *unused)
{
	(void)unused;
	regions(10);
	return NULL;
}

static void *forever(void *unused)
{
	for (;;)
		one(unused);
}

/* calls begins the region `a` for an a and ends it for an A. */
static void calls(const char *text)
{
	for (; *text; text++) {
		char name[] = {*text | 32, 0};
		if (*text & 32)
			pentode_region_begin(name);
		else
			pentode_region_end(name);
	}
}

/* names begins and ends regions with names of different lengths, which are all at the same address. */
static void names(int longest)
{
	char name[512];
	for (int length = 1; length <= longest; length++) {
		memset(name, 'x', length);
		name[length] = 0;
		pentode_region_begin(name);
		pentode_region_end(name);
	}
}

/* scribble overwrites everything that is shared. */
static void scribble(void)
{
	regions(100);
	int f = open(getenv("PENTODE_TRACE"), O_RDWR);
	size_t size = 70 << 20;
	unsigned char *all = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, f, 0);
	if (all == MAP_FAILED)
		exit(3);
	srand(1);
	for (size_t i = 66 << 20; i < size; i++)
		all[i] = rand();
	uint64_t *head = (uint64_t *)(all + (128 << 10) + 64);
	*head += 4096;
	usleep(50000);
	*head = UINT64_MAX - 7;
	usleep(50000);
	_exit(0);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	int count = argc > 2 ? atoi(argv[2]) : 10;
	if (!strcmp(kind, "kill")) {
		regions(1000);
		raise(SIGKILL);
	} else if (!strcmp(kind, "threads")) {
		for (int i = 0; i < count; i++) {
			pthread_t t;
			if (!pthread_create(&t, NULL, one, NULL))
				pthread_join(t, NULL);
		}
	} else if (!strcmp(kind, "fork")) {
		regions(10);
		if (fork() == 0) {
			regions(10);
			_exit(0);
		}
		wait(NULL);
		regions(10);
	} else if (!strcmp(kind, "exec")) {
		regions(10);
		execl(argv[0], argv[0], "some", "10", (char *)NULL);
	} else if (!strcmp(kind, "crowd")) {
		crowd(count);
	} else if (!strcmp(kind, "forever")) {
		pthread_t t;
		pthread_create(&t, NULL, forever, NULL);
		forever(NULL);
	} else if (!strcmp(kind, "until")) {
		for (int i = 0; i < 300000 && access(argv[2], F_OK); i++) {
			regions(1);
			if (i == 0 && write(1, "begun\n", 6) < 0)
				return 5;
			usleep(1000);
		}
		pentode_region_begin("late");
		pentode_region_end("late");
		puts("done");
	} else if (!strcmp(kind, "steer")) {
		for (int depth = 0; depth < count;) {
			pentode_region_begin("step");
			depth = pentode_knob_int("depth", count);
			pentode_region_end("step");
			printf("%d\n", depth);
		}
	} else if (!strcmp(kind, "headless")) {
		pthread_t t;
		pthread_create(&t, NULL, forever, NULL);
		pthread_exit(NULL);
	} else if (!strcmp(kind, "calls")) {
		calls(argv[2]);
	} else if (!strcmp(kind, "names")) {
		for (int i = 0; i < 3; i++)
			names(count);
	} else if (!strcmp(kind, "scribble")) {
		scribble();
	} else if (!strcmp(kind, "slow")) {
		for (int i = 0; i < 200 || access(argv[2], F_OK); i++) {
			if (i < 200)
				regions(10);
			usleep(5000);
		}
	} else if (!strcmp(kind, "knobs")) {
		printf("%d %g %s\n", pentode_knob_int("threads", 1), pentode_knob_double("factor", 1), pentode_knob_string("name", "none"));
		if (pinsight_get_knob_int)
			printf("%d %g %s\n", pinsight_get_knob_int("threads"), pinsight_get_knob_double("factor"), pinsight_get_knob_string("name"));
	} else {
		regions(count);
	}
	return 0;
}
