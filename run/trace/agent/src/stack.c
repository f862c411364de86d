/* Calls are found by the unwinder of the compiler's runtime, which uses the tables that every program has for exceptions: frame pointers would not
 * lead through libraries, which are built without them. The unwinder is loaded when it is first needed, so that other programs do not load it. It
 * takes as many steps as there are calls to record, and at most a few more before the first. */
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

struct climber {
	int (*taken)(void *, const void *);
	void *data;
};

static int step(void *context, void *climber)
{
	const struct climber *c = climber;
	const void *at = (const void *)address_of(context);
	return at && c->taken(c->data, at) ? GO_ON : END_OF_STACK;
}

void climb(int (*taken)(void *, const void *), void *data)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, find_unwinder);
	if (backtrace_of && address_of)
		backtrace_of(step, &(struct climber){taken, data});
}

struct calls {
	const void *from;
	unsigned count, max, skipped;
	const void *found[MAX_FRAMES];
};

/* take_call skips the calls within the tracer and
 * the runtime, up to the call that began the region. */
static int take_call(void *calls, const void *at)
{
	struct calls *c = calls;
	if (!c->count && at != c->from)
		return ++c->skipped < MAX_SKIPPED;
	c->found[c->count++] = at;
	return c->count < c->max;
}

/* record_calls records an event with the calls after its payload, the innermost first. The time
 * of the event is taken after the calls were found. */
void record_calls(struct thread *t, unsigned type, unsigned count, const uint64_t *payload, uint64_t address, uint32_t number, struct origin o)
{
	struct calls c = {.from = o.from, .max = o.frames < MAX_FRAMES ? o.frames : MAX_FRAMES};
	uint64_t frames[MAX_FRAMES];
	climb(take_call, &c);
	for (unsigned i = 0; i < c.count; i++)
		frames[i] = relative(c.found[i]); /* may wait for the names of a library */
	struct record *r = reserve(t, type, count + c.count, address, number);
	if (!r)
		return;
	memcpy(payload_of(r), payload, 8 * count);
	memcpy(payload_of(r) + count, frames, 8 * c.count);
	commit(t, r);
}
