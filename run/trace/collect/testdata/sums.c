/* MPI calls, each between two readings of the clock: sums FOLDER. Each rank writes to the folder
 * the number of its calls, and the seconds of each. */
#include <mpi.h>
#include <stdio.h>
#include <unistd.h>

enum { ROUNDS = 10, MAX_CALLS = 1000 };
static double seconds[MAX_CALLS];
static int calls;

#define TIMED(call)                               \
	do {                                          \
		double begun = PMPI_Wtime();              \
		call;                                     \
		seconds[calls++] = PMPI_Wtime() - begun;  \
	} while (0)

int main(int argc, char **argv)
{
	int rank, size, token = 0;
	double sum = 0, values[64] = {0};
	MPI_Init(&argc, &argv);
	TIMED(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
	TIMED(MPI_Comm_size(MPI_COMM_WORLD, &size));
	MPI_Comm same;
	TIMED(MPI_Comm_dup(MPI_COMM_WORLD, &same));
	for (int i = 0; i < ROUNDS; i++) {
		int next = (rank + 1) % size, last = (rank + size - 1) % size;
		MPI_Request requests[2];
		if (rank == i % size)
			usleep(5000); /* the others wait for this rank */
		TIMED(MPI_Barrier(same));
		TIMED(MPI_Irecv(&token, 1, MPI_INT, last, 7, same, &requests[0]));
		TIMED(MPI_Isend(&rank, 1, MPI_INT, next, 7, same, &requests[1]));
		TIMED(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
		TIMED(MPI_Sendrecv_replace(values, 64, MPI_DOUBLE, next, 8, last, 8, same, MPI_STATUS_IGNORE));
		TIMED(MPI_Allreduce(&values[0], &sum, 1, MPI_DOUBLE, MPI_SUM, same));
		TIMED(MPI_Ibarrier(same, &requests[0]));
		TIMED(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
	}
	TIMED(MPI_Comm_free(&same));
	char path[4096];
	snprintf(path, sizeof path, "%s/%d", argv[1], rank);
	FILE *out = fopen(path, "w");
	if (!out)
		return 1;
	for (int i = 0; i < calls; i++)
		fprintf(out, "%.9f\n", seconds[i]);
	fclose(out);
	MPI_Finalize();
	return 0;
}
