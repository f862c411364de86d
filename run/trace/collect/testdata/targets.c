/* A runtime with a device: targets COUNT. Each target region copies
 * 800 bytes to the device, and runs a kernel of 4 teams there. */
#include "runtime.h"

enum { DEVICE = 3, HOST = 0, TO_DEVICE = 2 };

static void move(int endpoint, data *target, const void *code)
{
	uint64_t operation = 0;
	CALL(34, (int, data *, data *, uint64_t *, int, void *, int, void *, int, size_t, const void *), endpoint, NULL, target, &operation, TO_DEVICE, (void *)16, HOST, (void *)32, DEVICE, 800, code);
}

static void kernel(int endpoint, data *target)
{
	uint64_t operation = 0;
	CALL(35, (int, data *, uint64_t *, unsigned), endpoint, target, &operation, 4);
}

static void region(int endpoint, data *task, data *target, const void *code)
{
	CALL(33, (int, int, int, data *, data *, data *, const void *), 1, endpoint, DEVICE, task, NULL, target, code);
}

int main(int argc, char **argv)
{
	if (!start_tool())
		return 1;
	size_t sizes[] = {300, 500};
	data task = {0};
	implicit_task(SCOPE_BEGIN, NULL, &task, 1, 0);
	CALL(12, (int, const char *, void *, function (*)(const char *), const char *), DEVICE, "gpu of a test", NULL, lookup, NULL);
	CALL(14, (int, const char *, int64_t, void *, size_t, void *, void *, uint64_t), DEVICE, NULL, 0, NULL, 4096, NULL, NULL, 7);
	for (int i = argc > 1 ? atoi(argv[1]) : 2; i > 0; i--) {
		data target = {0};
		region(SCOPE_BEGIN, &task, &target, main);
		CALL(36, (data *, unsigned, void **, void **, size_t *, unsigned *, const void *), &target, 2, NULL, NULL, sizes, NULL, main);
		move(SCOPE_BEGIN, &target, main);
		move(SCOPE_END, &target, NULL);
		kernel(SCOPE_BEGIN, &target);
		kernel(SCOPE_END, &target);
		region(SCOPE_END, &task, &target, main);
	}
	CALL(15, (int, uint64_t), DEVICE, 7);
	CALL(13, (int), DEVICE);
	return 0;
}
