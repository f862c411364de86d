// A thread of the library writes while the program overwrites its memory and forks.
#define _GNU_SOURCE
#include "check.h"

#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 100000, STEPS = 24 };

// child forks. The child has no store, and ends or executes another program.
static void child(int step)
{
	pid_t pid = fork();
	if (!pid) {
		alarm(60); // kills a child that hangs
		EXPECT(PDI_event("step") == PDI_ERR_SYSTEM && strstr(PDI_errmsg(), "forked"));
		if (step % 2) exit(0); // with everything that libraries do at exit
		execlp("true", "true", NULL);
		_exit(98);
	}
	int status = -1;
	EXPECT(waitpid(pid, &status, 0) == pid && status == 0);
}

int main(void)
{
	begin("logging: error\n"
	      "metadata: {step: int}\n"
	      "data: {field: {type: array, subtype: int, size: 100000}}\n"
	      "plugins:\n"
	      "  decl_hdf5:\n"
	      "    - {file: a.h5, async: {buffers: 3, memory: 10MB}, on_event: step, write: {field: {dataset: 'steps/${step}', deflate: 1}}}\n"
	      "    - {file: a.h5, on_event: look, read: {field: {dataset: 'steps/${step}'}}}\n"
	      "    - {file: none/b.h5, async: {}, on_event: none, write: [field]}\n"
	      "    - {file: none/b.h5, on_event: look at none, read: [field]}\n");
	static int field[SIZE];
	for (int step = 0; step < STEPS; step++) {
		for (int i = 0; i < SIZE; i++) field[i] = step + i;
		EXPECT(PDI_multi_expose("step", "step", &step, PDI_OUT, "field", field, PDI_OUT, NULL) == PDI_OK);
		memset(field, 255, sizeof field);
		child(step);
	}
	for (int step = 0; step < STEPS; step++) {
		EXPECT(PDI_multi_expose("look", "step", &step, PDI_OUT, "field", field, PDI_IN, NULL) == PDI_OK);
		for (int i = 0; i < SIZE; i++) EXPECT(field[i] == step + i);
	}

	// The error of a step is returned by the next call on its file, and at the end.
	EXPECT(PDI_multi_expose("none", "field", field, PDI_OUT, NULL) == PDI_OK);
	EXPECT(PDI_multi_expose("look at none", "field", field, PDI_IN, NULL) == PDI_ERR_SYSTEM); // waits for the step
	EXPECT(PDI_multi_expose("none", "field", field, PDI_OUT, NULL) == PDI_ERR_SYSTEM && strstr(PDI_errmsg(), "none/b.h5"));
	child(0);
	EXPECT(PDI_finalize() == PDI_ERR_SYSTEM && strstr(PDI_errmsg(), "none/b.h5"));
	return 0;
}
