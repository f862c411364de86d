// Four processes write one file with the store and with parallel libhdf5, alternating: bench_parallel CASE TIMES
// prints for each round the nanoseconds of the store and of libhdf5, and the processor time of all processes, which
// is more reliable on a shared machine.
//
//	one          256 MB in one dimension
//	independent  256 MB in two dimensions; libhdf5 in its independent mode
//	collective   the same, libhdf5 in its collective mode
//	many         1,000 datasets of 400 doubles in one event
//	events       1,000 events of one small dataset; libhdf5 opens the file for each
#include <hdf5.h>
#include <mpi.h>
#include <pdi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MANY = 1000, SMALL = 400, ROWS = 8192, COLUMNS = 4096 };

static int rank, size;
static double *part;
static hsize_t whole[2], count[2], start[2];
static int dimensions;

// tree returns the specification tree of a case.
static char *tree(bool many)
{
	size_t length;
	char *text;
	FILE *out = open_memstream(&text, &length);
	const char *at = dimensions == 1 ? "{size: '$count[0]', start: '$start[0]'}" : "{size: ['$count[0]', '$count[1]'], start: ['$start[0]', '$start[1]']}";
	const char *shape = dimensions == 1 ? "'$count[0]'" : "['$count[0]', '$count[1]']", *all = dimensions == 1 ? "'$whole[0]'" : "['$whole[0]', '$whole[1]']";
	fprintf(out, "logging: off\nmetadata: {step: int, whole: {type: array, subtype: int64, size: 2}, count: {type: array, subtype: int64, size: 2}, start: {type: array, subtype: int64, size: 2}}\n");
	fprintf(out, "data: {part: {type: array, subtype: double, size: %s}}\n", shape);
	fprintf(out, "plugins:\n  mpi:\n  decl_hdf5:\n    file: ours.h5\n    communicator: $MPI_COMM_WORLD\n    on_event: write\n    datasets: {'d.*': {type: array, subtype: double, size: %s}}\n    write:\n      part:\n", all);
	if (!many) fprintf(out, "        - {dataset: 'd${step}', dataset_selection: %s}\n", at);
	for (int i = 0; many && i < MANY; i++) fprintf(out, "        - {dataset: d%d, dataset_selection: %s}\n", i, at);
	fclose(out);
	return text;
}

typedef struct { double wall, processor; } duration;

// now returns the time after all processes have arrived.
static duration now(void)
{
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	double mine = (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e9 + (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e3, all;
	MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return (duration){MPI_Wtime() * 1e9, all};
}

static duration since(duration begin)
{
	duration end = now();
	return (duration){end.wall - begin.wall, end.processor - begin.processor};
}

static duration ours(const char *text, int events)
{
	if (!rank) unlink("ours.h5");
	PC_tree_t tree = PC_parse_string(text);
	PDI_init(tree);
	PDI_expose("whole", whole, PDI_OUT);
	PDI_expose("count", count, PDI_OUT);
	PDI_expose("start", start, PDI_OUT);
	duration begin = now();
	for (int i = 0; i < events; i++) {
		PDI_expose("step", &i, PDI_OUT);
		PDI_multi_expose("write", "part", part, PDI_OUT, NULL);
	}
	duration took = since(begin);
	PDI_finalize();
	PC_tree_destroy(&tree);
	return took;
}

static void put(hid_t file, const char *name, H5FD_mpio_xfer_t mode)
{
	hid_t space = H5Screate_simple(dimensions, whole, NULL), memory = H5Screate_simple(dimensions, count, NULL), list = H5Pcreate(H5P_DATASET_XFER);
	H5Pset_dxpl_mpio(list, mode);
	H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
	hid_t set = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	if (set < 0 || H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, list, part) < 0) MPI_Abort(MPI_COMM_WORLD, 1);
	H5Dclose(set);
	H5Pclose(list);
	H5Sclose(memory);
	H5Sclose(space);
}

static duration theirs(int datasets, int events, H5FD_mpio_xfer_t mode)
{
	char name[32];
	if (!rank) unlink("theirs.h5");
	hid_t access = H5Pcreate(H5P_FILE_ACCESS);
	H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL);
	duration begin = now();
	for (int i = 0; i < events; i++) {
		hid_t file = i ? H5Fopen("theirs.h5", H5F_ACC_RDWR, access) : H5Fcreate("theirs.h5", H5F_ACC_EXCL, H5P_DEFAULT, access);
		for (int j = 0; j < datasets; j++) {
			snprintf(name, sizeof name, "d%d", i + j);
			put(file, name, mode);
		}
		H5Fclose(file);
	}
	duration took = since(begin);
	H5Pclose(access);
	return took;
}

int main(int argc, char **argv)
{
	if (argc != 3) return 2;
	const char *what = argv[1];
	bool many = !strcmp(what, "many"), small = !strcmp(what, "events"), one = !strcmp(what, "one");
	H5FD_mpio_xfer_t mode = strcmp(what, "independent") ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (size != 4) return 2;
	dimensions = one || many || small ? 1 : 2;
	whole[0] = one ? (hsize_t)ROWS * COLUMNS : dimensions == 1 ? SMALL : ROWS;
	whole[1] = COLUMNS;
	count[0] = dimensions == 1 ? whole[0] / 4 : ROWS / 2;
	count[1] = COLUMNS / 2;
	start[0] = dimensions == 1 ? rank * count[0] : rank / 2 * count[0];
	start[1] = rank % 2 * count[1];
	hsize_t n = dimensions == 1 ? count[0] : count[0] * count[1];
	part = malloc(n * sizeof *part);
	for (hsize_t i = 0; i < n; i++) part[i] = i + rank;
	char *text = tree(many);
	int events = small ? MANY : 1;
	for (int i = atoi(argv[2]); i > 0; i--) {
		duration a = ours(text, events), b = theirs(many ? MANY : 1, events, mode);
		if (!rank) printf("%.0f %.0f %.0f %.0f\n", a.wall, b.wall, a.processor, b.processor);
	}
	free(text);
	free(part);
	MPI_Finalize();
	return 0;
}
