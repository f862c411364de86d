// Processes write one file together. The argument says what goes wrong; "plain" is nothing.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "check.h"

enum { ROWS = 64, COLUMNS = 4096, STEPS = 3 }; // of a block: 2 MiB

static double block[ROWS][COLUMNS], back[ROWS][COLUMNS];

static double value(int step, int row, int column)
{
	return step * 1e8 + row * 1e4 + column;
}

// written is the number of bytes that this process has written to files.
static long written(void)
{
	long bytes = -1;
	char line[128];
	FILE *file = fopen("/proc/self/io", "r");
	while (file && fgets(line, sizeof line, file)) sscanf(line, "wchar: %ld", &bytes);
	if (file) fclose(file);
	return bytes;
}

static PDI_status_t step(int n)
{
	PDI_expose("step", &n, PDI_OUT);
	return PDI_multi_expose("write", "block", block, PDI_OUT, NULL);
}

int main(int argc, char *argv[])
{
	const char *way = argc > 1 ? argv[1] : "plain";
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	EXPECT(size == 4);
	char tree[4096];
	snprintf(tree, sizeof tree,
		"logging: {level: error}\n"
		"metadata: {step: int, at: {type: array, subtype: int, size: 2}, comm: MPI_Comm}\n"
		"data: {block: {type: array, subtype: double, size: [64, 4096]}, back: {type: array, subtype: double, size: [64, 4096]}}\n"
		"plugins:\n"
		"  mpi:\n"
		"  decl_hdf5:\n"
		"    - file: field.h5\n"
		"      communicator: $comm\n"
		"      on_event: write\n"
		"%s"
		"      datasets:\n"
		"        plain: {type: array, subtype: double, size: [3, 128, 8192]}\n"
		"        tiles: {type: array, subtype: double, size: [3, 128, 8192], +decl_hdf5.chunking: [1, 50, 3000]}\n"
		"        packed: {type: array, subtype: double, size: [3, 128, 8192], +decl_hdf5.chunking: [1, 50, 3000]}\n"
		"      write:\n"
		"        block:\n"
		"          - {dataset: %s, dataset_selection: {size: [1, 64, 4096], start: [$step, '64 * $at[0]', '4096 * $at[1]']}}\n"
		"          - {dataset: tiles, dataset_selection: {size: [1, 64, 4096], start: [$step, '64 * $at[0]', '4096 * $at[1]']}}\n"
		"          - {dataset: packed, deflate: 1, dataset_selection: {size: [1, 64, 4096], start: [$step, '64 * $at[0]', '4096 * $at[1]']}}\n"
		"        step: {dataset: 'last/${step}'}\n"
		"    - file: field.h5\n"
		"      communicator: $comm\n"
		"      on_event: read\n"
		"      read: {back: {dataset: packed, dataset_selection: {size: [1, 64, 4096], start: [$step, '64 * $at[0]', '4096 * $at[1]']}}}\n",
		strcmp(way, "skip") ? "" : "      timeout: 0.5\n", !strcmp(way, "trees") && rank == 2 ? "tiles" : "plain");
	begin(tree);
	MPI_Comm comm = MPI_COMM_WORLD, half;
	if (!strcmp(way, "null")) comm = MPI_COMM_NULL;
	if (!strcmp(way, "inter")) {
		MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
		MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank / 2 ? 0 : 2, 7, &comm);
	}
	int at[2] = {rank / 2, rank % 2};
	EXPECT(PDI_expose("comm", &comm, PDI_OUT) == PDI_OK);
	EXPECT(PDI_expose("at", at, PDI_OUT) == PDI_OK);
	for (int n = 0; n < STEPS; n++) {
		for (int i = 0; i < ROWS; i++)
			for (int j = 0; j < COLUMNS; j++) block[i][j] = value(n, ROWS * at[0] + i, COLUMNS * at[1] + j);
		if (n > 0 && rank == 2 && !strcmp(way, "skip")) break;
		if (n == 1 && rank == 2) {
			if (!strcmp(way, "killed")) raise(SIGKILL);
			if (!strcmp(way, "full")) { // no file may be longer than what is there
				signal(SIGXFSZ, SIG_IGN);
				setrlimit(RLIMIT_FSIZE, &(struct rlimit){4096, RLIM_INFINITY});
			}
		}
		long before = written();
		PDI_status_t status = step(n);
		before = written() - before;
		if (status) {
			printf("rank %d, step %d: %s\n", rank, n, PDI_errmsg());
			continue;
		}
		// Two datasets of which each process writes its own block; the third is packed by all.
		EXPECT(before > 2 * (long)sizeof block && before < 4 * (long)sizeof block);
		EXPECT(PDI_multi_expose("read", "back", back, PDI_IN, NULL) == PDI_OK);
		EXPECT(!memcmp(block, back, sizeof block));
	}
	fflush(stdout);
	MPI_Barrier(MPI_COMM_WORLD);
	EXPECT(PDI_finalize() == PDI_OK);
	MPI_Finalize();
	return 0;
}
