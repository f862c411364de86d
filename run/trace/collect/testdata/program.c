/* A little of everything that is traced: loops, sections, single,
 * masked, tasks, locks, nested teams, the program's own regions, and,
 * with MPI, some messages: program ROUNDS [MILLISECONDS between them]. */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "pentode_trace.h"
#ifdef WITH_MPI
#include <mpi.h>
#endif

static double values[256];

void loop(void)
{
#pragma omp parallel for
	for (int i = 0; i < 256; i++)
		values[i] += i;
}

void shared(void)
{
#pragma omp parallel
	{
#pragma omp for
		for (int i = 0; i < 64; i++)
			values[i] *= 0.5;
#pragma omp single
		values[0] = 1;
#pragma omp barrier
#pragma omp master
		values[1] = 1;
#pragma omp sections
		{
#pragma omp section
			values[2] = 1;
#pragma omp section
			values[3] = 1;
		}
	}
}

void tasks(void)
{
#pragma omp parallel
#pragma omp single
	{
		for (int i = 0; i < 3; i++)
#pragma omp task
			values[i] += 1;
#pragma omp taskwait
	}
}

void locked(void)
{
	double sum = 0;
#pragma omp parallel reduction(+ : sum)
	{
		sum += 1;
#pragma omp critical
		values[4] += 1;
	}
	values[5] = sum;
}

void nested(void)
{
#pragma omp parallel num_threads(2)
	{
#pragma omp parallel num_threads(2)
		{
#pragma omp atomic
			values[6] += 1;
		}
	}
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 10, wait = argc > 2 ? atoi(argv[2]) : 0;
#ifdef WITH_MPI
	int rank, size, token = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
#endif
	omp_set_max_active_levels(2);
	for (int i = 0; i < rounds; i++) {
		pentode_region_begin("round");
		loop();
		shared();
		if (i % 2)
			tasks();
		pentode_region_begin("inner");
		locked();
		pentode_region_end("inner");
		nested();
#ifdef WITH_MPI
		int next = (rank + 1) % size, last = (rank + size - 1) % size;
		MPI_Request request;
		MPI_Irecv(&token, 1, MPI_INT, last, 7, MPI_COMM_WORLD, &request);
		MPI_Send(&rank, 1, MPI_INT, next, 7, MPI_COMM_WORLD);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		MPI_Allreduce(MPI_IN_PLACE, &token, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
		MPI_Bcast(values, 8, MPI_DOUBLE, 0, MPI_COMM_WORLD);
		MPI_Barrier(MPI_COMM_WORLD);
#endif
		pentode_region_end("round");
		usleep(1000 * wait);
	}
#ifdef WITH_MPI
	MPI_Finalize();
#endif
	return values[6] == 0;
}
