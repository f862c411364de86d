/* Calls are found by the unwinder of the compiler's runtime, which reads what every program has
 * for its exceptions: frame pointers would not lead through libraries, which are built without.
 * It is looked for when it is first needed, so that other programs do not load it. It takes as
 * many steps as there are frames to record, and at most a few more before the first. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "module.h"
#include "stack.h"

enum { GO_ON = 0, END_OF_STACK = 5, MAX_SKIPPED = 32 };

typedef int (*each)(void *context, void *data);
static int (*backtrace_of)(each, void *);
static uintptr_t (*address_of)(void *context);

static void find_unwinder(void)
{
	void *library = dlopen("libgcc_s.so.1", RTLD_NOW);
	if (!library)
		library = dlopen("libunwind.so.1", RTLD_NOW); /* LLVM's */
	if (library) {
		address_of = (uintptr_t (*)(void *))dlsym(library, "_Unwind_GetIP");
		backtrace_of = (int (*)(each, void *))dlsym(library, "_Unwind_Backtrace");
	}
}

struct walk {
	const void *from;
	unsigned count, max, skipped;
	const void *found[MAX_FRAMES];
};

/* step goes one call up. The calls within the tracer and the runtime, before the one that the
 * region was begun by, are passed over. */
static int step(void *context, void *data)
{
	struct walk *w = data;
	const void *at = (const void *)address_of(context);
	if (!at)
		return END_OF_STACK;
	if (!w->count && at != w->from)
		return ++w->skipped < MAX_SKIPPED ? GO_ON : END_OF_STACK;
	w->found[w->count++] = at;
	return w->count < w->max ? GO_ON : END_OF_STACK;
}

/* record_calls records an event with the calls behind its payload, the innermost first. The time
 * is that after they were found. */
void record_calls(struct thread *t, unsigned type, unsigned count, const uint64_t *payload, uint64_t address, uint32_t number, struct origin o)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct walk w = {.from = o.from, .max = o.frames < MAX_FRAMES ? o.frames : MAX_FRAMES};
	uint64_t frames[MAX_FRAMES];
	pthread_once(&once, find_unwinder);
	if (backtrace_of && address_of)
		backtrace_of(step, &w);
	for (unsigned i = 0; i < w.count; i++)
		frames[i] = relative(w.found[i]); /* may wait for the names of a library */
	struct record *r = reserve(t, type, count + w.count, address, number);
	if (!r)
		return;
	memcpy(payload_of(r), payload, 8 * count);
	memcpy(payload_of(r) + count, frames, 8 * w.count);
	commit(t, r);
}
