/* A test program that plays the OpenMP runtime, so that
 * only the agent is measured or checked: start_tool asks
 * the agent for its callbacks, as a runtime does. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef union { uint64_t value; void *ptr; } data;
typedef void (*function)(void);

enum { SCOPE_BEGIN = 1, SCOPE_END = 2, IMPLICIT = 2 };

static function callbacks[64];

static int set_callback(int event, function f)
{
	__atomic_store_n(&callbacks[event], f, __ATOMIC_RELEASE);
	return 5;
}

/* The parallel regions that a thread is in, the innermost last. */
static __thread struct { data *parallel[16]; int depth; } nest;

static int parallel_info(int level, data **parallel, int *size)
{
	if (level >= nest.depth)
		return 0;
	*parallel = nest.parallel[nest.depth - 1 - level];
	*size = 0;
	return 2;
}

static function lookup(const char *name)
{
	if (!strcmp(name, "ompt_set_callback"))
		return (function)set_callback;
	return strcmp(name, "ompt_get_parallel_info") ? NULL : (function)parallel_info;
}

static int start_tool(void)
{
	struct { int (*initialize)(function (*)(const char *), int, data *); } *tool, *(*start)(unsigned, const char *);
	*(void **)&start = dlsym(RTLD_DEFAULT, "ompt_start_tool");
	return start && (tool = start(201811, "a test")) && tool->initialize(lookup, 0, NULL);
}

/* CALL calls back, if the agent has enabled the event. */
#define CALL(event, types, ...)                                                    \
	do {                                                                           \
		void (*call_) types = (void (*) types)__atomic_load_n(&callbacks[event], __ATOMIC_ACQUIRE); \
		if (call_)                                                                 \
			call_(__VA_ARGS__);                                                    \
	} while (0)

static inline void parallel_begin(data *parallel, unsigned size, const void *code)
{
	CALL(3, (data *, void *, data *, unsigned, int, const void *), NULL, NULL, parallel, size, 0, code);
}

static inline void parallel_end(data *parallel, const void *code)
{
	CALL(4, (data *, data *, int, const void *), parallel, NULL, 0, code);
}

static inline void implicit_task(int endpoint, data *parallel, data *task, unsigned size, unsigned index)
{
	if (endpoint == SCOPE_BEGIN)
		nest.parallel[nest.depth++] = parallel;
	else
		nest.depth--;
	CALL(7, (int, data *, data *, unsigned, unsigned, int), endpoint, parallel, task, size, index, IMPLICIT);
}
