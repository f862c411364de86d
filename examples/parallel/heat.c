// Heat spreads on a plate whose upper edge is hot. Each process has some rows of it, and one row of each neighbour.
#include <mpi.h>
#include <pdi.h>
#include <string.h>

enum { ROWS = 16, COLUMNS = 48, STEPS = 100 };

int main(int argc, char *argv[])
{
	MPI_Init(&argc, &argv);
	int rank, size;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	PC_tree_t tree = PC_parse_path(argc > 1 ? argv[1] : "heat.yml");
	PDI_init(tree);

	int rows = ROWS, columns = COLUMNS, first = rank * ROWS, height = size * ROWS;
	PDI_expose("rows", &rows, PDI_OUT);
	PDI_expose("columns", &columns, PDI_OUT);
	PDI_expose("first", &first, PDI_OUT);
	PDI_expose("height", &height, PDI_OUT);

	double plate[ROWS + 2][COLUMNS] = {{0}}, next[ROWS + 2][COLUMNS] = {{0}};
	int above = rank > 0 ? rank - 1 : MPI_PROC_NULL, below = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
	if (rank == 0)
		for (int j = 0; j < COLUMNS; j++) plate[0][j] = next[0][j] = 100;
	for (int step = 0; step <= STEPS; step++) {
		if (step % 10 == 0) {
			PDI_expose("step", &step, PDI_OUT);
			PDI_multi_expose("save", "plate", plate, PDI_OUT, NULL);
		}
		MPI_Sendrecv(plate[1], COLUMNS, MPI_DOUBLE, above, 0, plate[ROWS + 1], COLUMNS, MPI_DOUBLE, below, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Sendrecv(plate[ROWS], COLUMNS, MPI_DOUBLE, below, 1, plate[0], COLUMNS, MPI_DOUBLE, above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (int i = 1; i <= ROWS; i++)
			for (int j = 1; j < COLUMNS - 1; j++) next[i][j] = 0.25 * (plate[i - 1][j] + plate[i + 1][j] + plate[i][j - 1] + plate[i][j + 1]);
		memcpy(plate[1], next[1], sizeof plate[0] * ROWS);
	}
	PDI_finalize();
	PC_tree_destroy(&tree);
	MPI_Finalize();
	return 0;
}
