// A wave on a string: each step is computed by all threads and shown to PDI.
#include <math.h>
#include <pdi.h>
#include <stdlib.h>

static void step(int n, double *u, const double *now, const double *before)
{
#pragma omp parallel for
	for (int i = 1; i < n - 1; i++)
		u[i] = 2 * now[i] - before[i] + 0.25 * (now[i + 1] - 2 * now[i] + now[i - 1]);
}

int main(int argc, char **argv)
{
	if (argc != 2) return 2;
	PC_tree_t tree = PC_parse_path(argv[1]);
	PDI_init(PC_get(tree, ".pdi"));
	long n = 0;
	PC_int(PC_get(tree, ".cells"), &n);
	int cells = n;
	double *u[3];
	for (int k = 0; k < 3; k++) u[k] = calloc(cells, sizeof(double));
	for (int i = 0; i < cells; i++) u[0][i] = u[1][i] = sin(3.141592653589793 * i / (cells - 1));
	u[0][cells - 1] = u[1][cells - 1] = 0;
	PDI_expose("cells", &cells, PDI_OUT);
	for (int i = 0; i < 5; i++) {
		step(cells, u[2], u[1], u[0]);
		PDI_multi_expose("step", "i", &i, PDI_OUT, "u", u[2], PDI_OUT, NULL);
		double *oldest = u[0];
		u[0] = u[1], u[1] = u[2], u[2] = oldest;
	}
	PDI_finalize();
	return 0;
}
