// The membrane of `pentode init --name --lang c`, its rows shared by the ranks of an MPI program.
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { size = 32, frames = 16, every = 4 };

static int rank, ranks, rows; // the rows of this rank lie between two of its neighbours

// border exchanges the outer rows with the neighbours.
static void border(double field[][size])
{
	int above = rank ? rank - 1 : MPI_PROC_NULL, below = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
	MPI_Sendrecv(field[1], size, MPI_DOUBLE, above, 0, field[rows + 1], size, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(field[rows], size, MPI_DOUBLE, below, 1, field[0], size, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void step(double next[][size], double now[][size], double before[][size])
{
#pragma omp parallel for
	for (int r = 1; r <= rows; r++) {
		int row = rank * rows + r - 1;
		if (row == 0 || row == size - 1)
			continue;
		for (int c = 1; c < size - 1; c++)
			next[r][c] = 2 * now[r][c] - before[r][c]
				+ 0.25 * (now[r - 1][c] + now[r + 1][c] + now[r][c - 1] + now[r][c + 1] - 4 * now[r][c]);
	}
}

static void print(int frame, double field[size][size])
{
	printf("{\"frame\": %d, \"field\": [", frame);
	for (int r = 0; r < size; r++) {
		printf(r ? ", [" : "[");
		for (int c = 0; c < size; c++)
			printf(c ? ", %.6f" : "%.6f", field[r][c]);
		printf("]");
	}
	printf("]}\n");
	fflush(stdout);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	rows = size / ranks;
	double(*u[3])[size], whole[size][size];
	for (int k = 0; k < 3; k++)
		u[k] = calloc(rows + 2, sizeof *u[k]);
	for (int r = 1; r <= rows; r++)
		for (int c = 1; c < size - 1; c++) {
			int row = rank * rows + r - 1;
			if (row > 0 && row < size - 1)
				u[0][r][c] = u[1][r][c] = exp(-((row - 10) * (row - 10) + (c - 14) * (c - 14)) / 6.0);
		}
	int now = 1;
	for (int i = 0; i < frames * every; i++) {
		border(u[now]);
		if (i % every == 0) {
			MPI_Gather(u[now][1], rows * size, MPI_DOUBLE, whole, rows * size, MPI_DOUBLE, 0, MPI_COMM_WORLD);
			if (rank == 0)
				print(i / every, whole);
		}
		step(u[(now + 1) % 3], u[now], u[(now + 2) % 3]);
		now = (now + 1) % 3;
	}
	MPI_Finalize();
	return 0;
}
