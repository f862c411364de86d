/* answers PROGRAM FILE: programs that look at the clock before and after each begin and end of a
 * region, and write into the file what they saw:
 *
 *	REGION THREAD BEFORE_BEGIN BEHIND_BEGIN BEFORE_END BEHIND_END
 *
 * in nanoseconds, so that what a report says of them can be neither less nor more. Of a call that may be
 * traced they look at the clock around it only. */
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#ifdef WITH_MPI
#include <mpi.h>
#endif
#include "pentode_trace.h"

static struct {
	const char *region;
	int thread;
	long at[4];
} marks[4096];
static atomic_int marked;

static long now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000L + t.tv_nsec;
}

static int in(const char *region)
{
	int i = atomic_fetch_add(&marked, 1);
	marks[i].region = region;
	marks[i].thread = omp_get_thread_num();
	marks[i].at[0] = now();
	pentode_region_begin(region);
	marks[i].at[1] = now();
	return i;
}

static void out(int i)
{
	marks[i].at[2] = now();
	pentode_region_end(marks[i].region);
	marks[i].at[3] = now();
}

#define CALL(name, call)                          \
	do {                                          \
		int i_ = atomic_fetch_add(&marked, 1);    \
		marks[i_].region = "call:" name;          \
		marks[i_].thread = omp_get_thread_num();  \
		marks[i_].at[0] = now();                  \
		call;                                     \
		marks[i_].at[3] = now();                  \
		marks[i_].at[1] = marks[i_].at[2] = marks[i_].at[3]; \
	} while (0)

static void leaf(const char *region, int us)
{
	int i = in(region);
	usleep(us);
	out(i);
}

static void flat(void)
{
	for (int i = 0; i < 100; i++)
		leaf("flat", i % 10 ? 10 : 500);
}

static void nested(void)
{
	for (int i = 0; i < 10; i++) {
		int outer = in("outer");
		leaf("inner", 100);
		leaf("other", 50);
		int middle = in("middle");
		leaf("inner", 200);
		out(middle);
		out(outer);
	}
}

static void descend(int depth)
{
	int i = in("descend");
	usleep(100);
	if (depth > 0)
		descend(depth - 1);
	out(i);
}

static void recursion(void)
{
	for (int i = 0; i < 5; i++)
		descend(3);
}

static void even(void)
{
#pragma omp parallel
	for (int i = 0; i < 10; i++)
		leaf("even", 100);
}

static void uneven(void)
{
#pragma omp parallel
	for (int i = 0; i < 5; i++)
		leaf("uneven", omp_get_thread_num() == 1 ? 4000 : 100);
}

static void barrier(void)
{
	for (int i = 0; i < 5; i++) {
#pragma omp parallel
		{
			leaf("before", omp_get_thread_num() == 0 ? 1000 : 10);
#pragma omp barrier
			leaf("behind", 10);
		}
	}
}

static void locked(void)
{
	omp_lock_t lock;
	omp_init_lock(&lock);
#pragma omp parallel
	for (int i = 0; i < 5; i++) {
		int around = in("around");
		CALL("omp_set_lock", omp_set_lock(&lock));
		leaf("held", 200);
		omp_unset_lock(&lock);
		out(around);
	}
	omp_destroy_lock(&lock);
}

static void tasks(void)
{
#pragma omp parallel
#pragma omp single
	for (int i = 0; i < 20; i++) {
#pragma omp task
		leaf("task", 50);
	}
}

static void sections(void)
{
	for (int i = 0; i < 5; i++) {
#pragma omp parallel sections
		{
#pragma omp section
			leaf("left", 300);
#pragma omp section
			leaf("right", 100);
		}
	}
}

#ifdef WITH_MPI
static int rank;

/* messages has known bytes from each rank to the next. */
static void messages(void)
{
	int size;
	char bytes[4096] = {0};
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < 8; i++) {
		int whole = in("exchange");
		int next = (rank + 1) % size, last = (rank + size - 1) % size;
		if (rank == 0)
			usleep(500);
		CALL("MPI_Sendrecv", MPI_Sendrecv(bytes, 1024 * (rank + 1), MPI_CHAR, next, 1, bytes + 2048, 2048, MPI_CHAR, last, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
		out(whole);
	}
}

static void hybrid(void)
{
	for (int i = 0; i < 4; i++) {
#pragma omp parallel
		leaf("work", 100 * (1 + omp_get_thread_num()));
		int whole = in("sum");
		int one = 1, sum;
		CALL("MPI_Allreduce", MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
		out(whole);
	}
}
#endif

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} programs[] = {
		{"flat", flat}, {"nested", nested}, {"recursion", recursion}, {"even", even}, {"uneven", uneven},
		{"barrier", barrier}, {"locked", locked}, {"tasks", tasks}, {"sections", sections},
#ifdef WITH_MPI
		{"messages", messages}, {"hybrid", hybrid},
#endif
	};
	char path[4096];
	snprintf(path, sizeof path, "%s", argv[2]);
#ifdef WITH_MPI
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	snprintf(path, sizeof path, "%s.%d", argv[2], rank);
#endif
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
		if (strcmp(programs[i].name, argv[1]) == 0)
			programs[i].run();
	FILE *file = fopen(path, "w");
	if (!file)
		return 1;
	for (int i = 0; i < marked; i++)
		fprintf(file, "%s %d %ld %ld %ld %ld\n", marks[i].region, marks[i].thread, marks[i].at[0], marks[i].at[1], marks[i].at[2], marks[i].at[3]);
	fclose(file);
#ifdef WITH_MPI
	MPI_Finalize();
#endif
	return 0;
}
