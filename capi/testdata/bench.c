// Measures one kind of call: bench NAME TIMES prints the nanoseconds of one call.
#include "check.h"

#include <time.h>

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

// many returns a tree with 10,000 three-dimensional arrays.
static char *many(void)
{
	enum { count = 10000, width = 96 };
	char *text = malloc((size_t)count * width + 256), *at = text;
	at += sprintf(at, "logging: off\nmetadata: {nx: int, ny: int, nz: int}\ndata:\n");
	for (int i = 0; i < count; i++) at += sprintf(at, "  field%d: {type: array, subtype: double, size: [$nx, '$ny + 1', $nz]}\n", i);
	return text;
}

int main(int argc, char **argv)
{
	if (argc != 3) return 2;
	const char *what = argv[1];
	long times = atol(argv[2]);
	double begin_at, took;
	if (!strcmp(what, "init")) {
		char *text = many();
		PDI_errhandler(PDI_NULL_HANDLER);
		begin_at = now();
		for (long i = 0; i < times; i++) begin(text);
		took = now() - begin_at;
		free(text);
	} else if (!strcmp(what, "write")) {
		enum { n = 8 << 20 };
		double *a = malloc(n * sizeof *a);
		for (int i = 0; i < n; i++) a[i] = i;
		begin("logging: error\n"
		      "data: {a: {type: array, subtype: double, size: 8388608}}\n"
		      "plugins: {decl_hdf5: {file: bench.h5, collision_policy: replace, on_event: save, write: [a]}}\n");
		begin_at = now();
		for (long i = 0; i < times; i++) EXPECT(PDI_multi_expose("save", "a", a, PDI_OUT, NULL) == PDI_OK);
		took = now() - begin_at;
		free(a);
	} else {
		int d = 1, m = 2;
		begin("logging: error\nmetadata: {m: int}\ndata: {d: int}");
		begin_at = now();
		if (!strcmp(what, "share")) {
			for (long i = 0; i < times; i++) {
				PDI_share("d", &d, PDI_OUT);
				PDI_reclaim("d");
			}
		} else if (!strcmp(what, "expose")) {
			for (long i = 0; i < times; i++) PDI_expose("m", &m, PDI_OUT);
		} else if (!strcmp(what, "event")) {
			for (long i = 0; i < times; i++) PDI_event("e");
		} else {
			return 2;
		}
		took = now() - begin_at;
	}
	PDI_finalize();
	printf("%f\n", took / times);
	return 0;
}
