// Processes write one file together in several ways, one after the other: each argument is a way, and the file
// is named after it. In the ways "plain" and "async" nothing fails; in the others a process fails.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

enum { ROWS = 64, COLUMNS = 1024, STEPS = 3 }; // of a block: 512 KiB

static double block[ROWS][COLUMNS], back[ROWS][COLUMNS];
static int rank, at[2];

static double value(int step, int row, int column)
{
	return step * 1e8 + row * 1e4 + column;
}

// written returns the number of bytes that this process has written to files.
static long written(void)
{
	long bytes = -1;
	char line[128];
	FILE *file = fopen("/proc/self/io", "r");
	while (file && fgets(line, sizeof line, file)) sscanf(line, "wchar: %ld", &bytes);
	if (file) fclose(file);
	return bytes;
}

static int is(const char *way, const char *name) { return !strcmp(way, name); }

static void tree_of(const char *way, char *text, size_t size)
{
	int async = !strncmp(way, "async", 5);
	char timeout[32] = "";
	if (is(way, "skip") || is(way, "late") || is(way, "async-skip"))
		snprintf(timeout, sizeof timeout, "timeout: %s", getenv("PATIENCE"));
	snprintf(text, size,
		"logging: {level: error}\n"
		"metadata: {step: int, at: {type: array, subtype: int, size: 2}, comm: MPI_Comm}\n"
		"data: {block: {type: array, subtype: double, size: [64, 1024]}, back: {type: array, subtype: double, size: [64, 1024]}}\n"
		"plugins:\n"
		"  mpi:\n"
		"  decl_hdf5:\n"
		"    - file: %s.h5\n"
		"      communicator: $comm\n"
		"      on_event: write\n"
		"      %s\n"
		"      %s\n"
		"      datasets:\n"
		"        plain: {type: array, subtype: double, size: [3, 128, 2048]}\n"
		"        tiles: {type: array, subtype: double, size: [3, 128, 2048], +decl_hdf5.chunking: [1, 50, 750]}\n"
		"        packed: {type: array, subtype: double, size: [3, 128, 2048], +decl_hdf5.chunking: [1, 50, 750]}\n"
		"      write:\n"
		"        block:\n"
		"          - {dataset: %s, dataset_selection: {size: [1, 64, 1024], start: [$step, '64 * $at[0]', '1024 * $at[1]']}}\n"
		"          - {dataset: tiles, dataset_selection: {size: [1, 64, 1024], start: [$step, '64 * $at[0]', '1024 * $at[1]']}}\n"
		"          - {dataset: packed, %s dataset_selection: {size: [1, 64, 1024], start: [$step, '64 * $at[0]', '1024 * $at[1]']}}\n"
		"        step: {dataset: 'last/${step}'}\n"
		"    - file: %s.h5\n"
		"      communicator: $comm\n"
		"      on_event: read\n"
		"      read: {back: {dataset: packed, dataset_selection: {size: [1, 64, 1024], start: [$step, '64 * $at[0]', '1024 * $at[1]']}}}\n",
		way, timeout, async ? "async: {}" : "", is(way, "trees") && rank == 2 ? "tiles" : "plain", async ? "" : "deflate: 1,", way);
}

// limit sets the largest size of files for this process, to simulate a full disk.
static void limit(rlim_t bytes)
{
	signal(SIGXFSZ, SIG_IGN);
	EXPECT(!setrlimit(RLIMIT_FSIZE, &(struct rlimit){bytes, RLIM_INFINITY}));
}

// child forks, and the child executes another program.
static void child(void)
{
	pid_t pid = fork();
	if (!pid) {
		execlp("true", "true", NULL);
		_exit(98);
	}
	int status = -1;
	EXPECT(waitpid(pid, &status, 0) == pid && status == 0);
}

static void go(const char *way)
{
	char tree[4096];
	tree_of(way, tree, sizeof tree);
	begin(tree);
	MPI_Comm comm = MPI_COMM_WORLD, half;
	if (is(way, "null")) comm = MPI_COMM_NULL;
	if (is(way, "late")) MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	if (is(way, "inter")) {
		MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
		MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank / 2 ? 0 : 2, 7, &comm);
	}
	EXPECT(PDI_expose("comm", &comm, PDI_OUT) == PDI_OK);
	EXPECT(PDI_expose("at", at, PDI_OUT) == PDI_OK);
	for (int n = 0; n < STEPS; n++) {
		for (int i = 0; i < ROWS; i++)
			for (int j = 0; j < COLUMNS; j++) block[i][j] = value(n, ROWS * at[0] + i, COLUMNS * at[1] + j);
		if (rank == 2) {
			if (is(way, "late") || (n > 0 && (is(way, "skip") || is(way, "async-skip")))) break;
			if (n == 1 && is(way, "killed")) raise(SIGKILL);
			if (n == 1 && (is(way, "full") || is(way, "async-full"))) limit(4096); // less than the size of the file
		}
		EXPECT(PDI_expose("step", &n, PDI_OUT) == PDI_OK);
		long before = written();
		PDI_status_t status = PDI_multi_expose("write", "block", block, PDI_OUT, NULL);
		before = written() - before;
		if (status) printf("%s, rank %d, step %d: %s\n", way, rank, n, PDI_errmsg());
		if (is(way, "plain")) {
			// Each process writes its own block of two datasets; all processes compress parts of the third.
			EXPECT(before > 2 * (long)sizeof block && before < 4 * (long)sizeof block);
			EXPECT(PDI_multi_expose("read", "back", back, PDI_IN, NULL) == PDI_OK);
			EXPECT(!memcmp(block, back, sizeof block));
		}
		if (is(way, "async")) {
			memset(block, 255, sizeof block);
			child();
			if (n == 1) {
				EXPECT(PDI_multi_expose("read", "back", back, PDI_IN, NULL) == PDI_OK);
				EXPECT(back[1][2] == value(n, ROWS * at[0] + 1, COLUMNS * at[1] + 2));
			}
		}
		if (is(way, "async-full") && n == 0) // completes the step
			EXPECT(PDI_multi_expose("read", "back", back, PDI_IN, NULL) == PDI_OK);
		if (is(way, "async-killed") && n == 1) {
			MPI_Barrier(MPI_COMM_WORLD);
			if (rank == 2) raise(SIGKILL); // its thread may be writing
		}
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (is(way, "async-unfinished")) MPI_Finalize();
	if (PDI_finalize()) printf("%s, rank %d, at the end: %s\n", way, rank, PDI_errmsg());
	fflush(stdout);
	if (rank == 2) limit(RLIM_INFINITY);
	if (!is(way, "async-unfinished")) MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char *argv[])
{
	int size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	EXPECT(size == 4);
	at[0] = rank / 2;
	at[1] = rank % 2;
	for (int i = 1; i < argc; i++) go(argv[i]);
	int ended;
	MPI_Finalized(&ended);
	if (!ended) MPI_Finalize();
	return 0;
}
