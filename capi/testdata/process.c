// Things that a C program may do around the library: trap floating-point exceptions, fork, and
// close the library.
#define _GNU_SOURCE
#include "check.h"

#include <dlfcn.h>
#include <fenv.h>
#include <sys/wait.h>
#include <unistd.h>

static int called;
static pid_t thread;

// step is called by the tree and calls the store again.
void step(void)
{
	int *n;
	EXPECT(gettid() == thread); // MPI and Python depend on this
	EXPECT(fegetexcept() == (FE_DIVBYZERO | FE_INVALID)); // the program's own traps
	EXPECT(PDI_access("count", (void **)&n, PDI_INOUT) == PDI_OK);
	*n += 1;
	EXPECT(PDI_release("count") == PDI_OK);
	EXPECT(PDI_event("inner") == PDI_OK);
	called++;
}

int main(void)
{
	thread = gettid();
	EXPECT(!setenv("PENTODE_SKIP_PLUGINS", "deisa", 1)); // read when it is needed
	begin("logging: error\n"
	      "metadata: {zero: double, n: int}\n"
	      "data: {total: int, a: {type: array, subtype: int, size: '$n / 1.5'}, none: {type: array, subtype: int, size: '1 / $zero'}}\n"
	      "plugins: {deisa: {}, user_code: {on_event: {go: {step: {count: $total}}}}}\n");
	feenableexcept(FE_DIVBYZERO | FE_INVALID);
	double zero = 0;
	int total = 0, n = 3, a[2] = {0};
	EXPECT(PDI_expose("zero", &zero, PDI_OUT) == PDI_OK);
	EXPECT(PDI_expose("n", &n, PDI_OUT) == PDI_OK);
	EXPECT(PDI_expose("a", a, PDI_OUT) == PDI_OK);
	PDI_expose("none", a, PDI_OUT); // divides by zero: with traps it would make Go panic
	EXPECT(!strstr(PDI_errmsg(), "this library has a fault"));
	EXPECT(fegetexcept() == (FE_DIVBYZERO | FE_INVALID));
	EXPECT(PDI_share("total", &total, PDI_INOUT) == PDI_OK);
	EXPECT(PDI_event("go") == PDI_OK && PDI_event("go") == PDI_OK);
	EXPECT(PDI_reclaim("total") == PDI_OK);
	EXPECT(called == 2 && total == 2);
	fedisableexcept(FE_ALL_EXCEPT);

	pid_t child = fork();
	if (!child) {
		EXPECT(PDI_event("child") == PDI_ERR_SYSTEM);
		EXPECT(strstr(PDI_errmsg(), "forked"));
		PC_errhandler(PC_NULL_HANDLER);
		EXPECT(PC_status(PC_parse_string("a: b")) == PC_INVALID_FORMAT && strstr(PC_errmsg(), "forked"));
		_exit(0);
	}
	int status = -1;
	EXPECT(waitpid(child, &status, 0) == child && status == 0);
	EXPECT(PDI_event("parent") == PDI_OK);

	void *library = dlopen("libpdi.so.1", RTLD_NOW);
	EXPECT(library && !dlclose(library) && !dlclose(library));
	EXPECT(PDI_event("still there") == PDI_OK);
	EXPECT(PDI_finalize() == PDI_OK);

	PC_tree_t tree = PC_parse_string("plugins: {user_code: {on_event: {go: {no_such_function: {}}}}}");
	EXPECT(PDI_init(tree) == PDI_ERR_SYSTEM);
	PC_tree_destroy(&tree);
	tree = PC_parse_string("plugins: {flowvr: {}}");
	EXPECT(PDI_init(tree) == PDI_ERR_PLUGIN);
	PC_tree_destroy(&tree);
	return 0;
}
