/* Programs of tasks whose graphs are known: graphs KIND. */
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static _Atomic int all_made;
static int place[4];

/* hold keeps the first task of a graph from ending before the last one is made: a task
 * that has ended is none that another can depend on. */
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

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	if (!strcmp(kind, "loops")) {
		loops();
		return 0;
	}
#pragma omp parallel
#pragma omp single
	{
		if (!strcmp(kind, "chain"))
			chain();
		else if (!strcmp(kind, "diamond"))
			diamond();
		else if (!strcmp(kind, "tree"))
			tree(3);
		else if (!strcmp(kind, "at once"))
			at_once();
		else if (!strcmp(kind, "taskloop"))
			shared_loop();
		else
			abort();
	}
	return 0;
}
