/* Programs with known events, durations and task graphs: graphs KIND. For each execution of a
 * region it prints the name, and the nanoseconds within it and around it. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pentode_trace.h"

static _Atomic int all_made;
static int place[4];

/* hold keeps the first task of a graph from ending before the last
 * one is made: other tasks cannot depend on a task that has ended. */
static void hold(void)
{
	while (!all_made)
		;
}

static void chain(void)
{
	for (int i = 0; i < 5; i++) {
#pragma omp task depend(inout : place[0]) firstprivate(i)
		if (i == 0)
			hold();
	}
	all_made = 1;
}

static void diamond(void)
{
#pragma omp task depend(out : place[0])
	hold();
#pragma omp task depend(in : place[0]) depend(out : place[1])
	__asm__ volatile("");
#pragma omp task depend(in : place[0]) depend(out : place[2])
	__asm__ volatile("");
#pragma omp task depend(in : place[1], place[2])
	__asm__ volatile("");
	all_made = 1;
}

static void tree(int depth)
{
	if (!depth)
		return;
#pragma omp task
	tree(depth - 1);
#pragma omp task
	tree(depth - 1);
#pragma omp taskwait
}

static void at_once(void)
{
	for (int i = 0; i < 3; i++)
#pragma omp task if (0)
		__asm__ volatile("");
}

static void shared_loop(void)
{
#pragma omp taskloop num_tasks(4)
	for (int i = 0; i < 8; i++)
		__asm__ volatile("");
}

static void loops(void)
{
#pragma omp parallel
	for (int round = 0; round < 3; round++) {
#pragma omp for nowait
		for (int i = 0; i < 8; i++)
			__asm__ volatile("");
#pragma omp for
		for (int i = 0; i < 8; i++)
			__asm__ volatile("");
#pragma omp master
		__asm__ volatile("");
	}
}

static void sections(void)
{
#pragma omp parallel sections
	{
#pragma omp section
		__asm__ volatile("");
#pragma omp section
		__asm__ volatile("");
	}
}

static void critical(void)
{
#pragma omp parallel
	for (int i = 0; i < 5; i++)
#pragma omp critical
		place[0]++;
}

static void nested(void)
{
	omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
#pragma omp parallel num_threads(2)
	__asm__ volatile("");
}

static long long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* timed does work in a region. */
static void timed(const char *name, void (*work)(void))
{
	long long before = now();
	pentode_region_begin(name);
	long long begun = now();
	work();
	long long done = now();
	pentode_region_end(name);
	printf("%s %lld %lld\n", name, done - begun, now() - before);
}

static void recursion(void)
{
	pentode_mark("deeper");
	if (place[0]++ < 3)
		timed("f", recursion);
}

static void nothing(void) {}

static void *thread(void *name)
{
	for (int i = 0; i < 5; i++)
		timed(name, nothing);
	return NULL;
}

static void threads(void)
{
	static char *const names[] = {"a", "b", "c", "d"};
	pthread_t all[4];
	for (int i = 0; i < 4; i++)
		if (pthread_create(&all[i], NULL, thread, names[i]))
			abort();
	for (int i = 0; i < 4; i++)
		pthread_join(all[i], NULL);
}

/* in_a_team lets one thread of a team do work. */
static void (*alone)(void);
static void in_a_team(void)
{
#pragma omp parallel
#pragma omp single
	alone();
}

static void whole_tree(void) { tree(3); }

int main(int argc, char **argv)
{
	static const struct { const char *kind; int team; void (*work)(void); } kinds[] = {
		{"chain", 1, chain}, {"diamond", 1, diamond}, {"tree", 1, whole_tree}, {"at_once", 1, at_once}, {"taskloop", 1, shared_loop},
		{"loops", 0, loops}, {"sections", 0, sections}, {"critical", 0, critical}, {"nested", 0, nested},
		{"recursion", 0, recursion}, {"threads", 0, threads},
	};
	for (size_t i = 0; argc > 1 && i < sizeof kinds / sizeof *kinds; i++)
		if (!strcmp(argv[1], kinds[i].kind)) {
			alone = kinds[i].work;
			timed(argv[1], kinds[i].team ? in_a_team : alone);
			return 0;
		}
	abort();
}
