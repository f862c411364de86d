// A program that hands a field to a pipeline at each step: `handoff TREE STEPS MICROSECONDS`. It prints the value
// set in the pipeline, and at each step a line with the step's number. With RANKS it is an MPI program, and the
// field of a rank is that many steps ahead.
#include "check.h"

#include <unistd.h>
#ifdef RANKS
#include <mpi.h>
#endif

int main(int argc, char **argv)
{
	EXPECT(argc == 4);
	int n = 32, steps = atoi(argv[2]), rank = 0;
#ifdef RANKS
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#endif
	double dt = 1, *field = malloc(n * n * sizeof *field), *set;
	PDI_errhandler(PDI_NULL_HANDLER);
	PC_tree_t tree = PC_parse_path(argv[1]);
	PDI_status_t status = PDI_init(tree);
	if (status) {
		puts(PDI_errmsg());
		return 1;
	}
	EXPECT(PDI_expose("n", &n, PDI_OUT) == PDI_OK);
	EXPECT(PDI_access("dt", (void **)&set, PDI_IN) != PDI_OK || (dt = *set, PDI_release("dt")) == PDI_OK);
	for (int i = 0; i < steps; i++) {
		for (int k = 0; k < n * n; k++)
			field[k] = dt * (k % n + i + rank);
		status = PDI_multi_expose("step", "i", &i, PDI_OUT, "field", field, PDI_OUT, NULL);
		if (status) {
			puts(PDI_errmsg());
			return 2;
		}
		if (PDI_access("dt", (void **)&set, PDI_IN) == PDI_OK) {
			dt = *set;
			PDI_release("dt");
		}
		printf("%d %g\n", i, dt);
		fflush(stdout);
		usleep(atoi(argv[3]));
	}
	EXPECT(PDI_finalize() == PDI_OK);
	puts("finalized");
#ifdef RANKS
	MPI_Finalize();
#endif
	return 0;
}
