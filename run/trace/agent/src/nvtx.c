/* Ranges and marks that a program makes with NVTX, as regions of its own by their messages.
 * NVTX loads what NVTX_INJECTION64_PATH names at its first use, so CUPTI has no part in it. */
#include <stdlib.h>
#include <string.h>

#include "gpu.h"

enum { CORE = 1, CORE2 = 5, CALLBACKS = 1 }; /* what NVTX is asked for */
enum { MARK_EX = 1, MARK = 2, PUSH_EX = 8, PUSH = 9, POP = 11 };
enum { DOMAIN_MARK_EX = 1, DOMAIN_PUSH_EX = 4, DOMAIN_POP = 5, DOMAIN_REGISTER = 10 };
enum { ASCII = 1, REGISTERED = 3 };

struct attributes {
	uint16_t version, size;
	uint32_t category;
	int32_t color_type;
	uint32_t color;
	int32_t payload_type, reserved;
	uint64_t payload;
	int32_t message_type;
	const char *message;
};

static const char *message_of(const struct attributes *a)
{
	return a && (a->message_type == ASCII || a->message_type == REGISTERED) ? a->message : NULL;
}

static struct line *range_line(struct thread *t, const char *message, uint64_t *key)
{
	uint64_t h = name_hash(message);
	*key = key_of(CUDA, h);
	return named_line(t, message, h);
}

static int push(const char *message)
{
	struct thread *t = here();
	if (!t)
		return -1;
	struct gpu *g = &t->gpu;
	uint32_t depth = g->depth++;
	if (depth >= sizeof g->ranges / sizeof *g->ranges)
		return depth;
	g->ranges[depth].line = NULL;
	check_pause();
	if (asleep(t, CUDA) || !message)
		return depth;
	uint64_t key;
	struct line *l = range_line(t, message, &key);
	if (!l)
		return depth;
	begin_line(t, l, key);
	int recorded = decide(t, l, key, CUDA_nvtx_range_push);
	g->ranges[depth] = (struct gpu_call){l, key, monitor_begin(l), recorded};
	if (recorded)
		RECORD(t, R_region_begin, key & ~(0xffull << 56), l->counter - 1);
	return depth;
}

static int pop(void)
{
	struct thread *t = self;
	if (!t || !t->gpu.depth)
		return -1;
	uint32_t depth = --t->gpu.depth;
	if (depth >= sizeof t->gpu.ranges / sizeof *t->gpu.ranges || !t->gpu.ranges[depth].line)
		return depth;
	struct line *l = t->gpu.ranges[depth].line;
	uint64_t key = t->gpu.ranges[depth].key;
	l->chosen = t->gpu.ranges[depth].recorded; /* a range may lie in one of the same name */
	if (l->chosen && !asleep(t, CUDA)) {
		freshen(t, l, key);
		if (allows(l, CUDA_nvtx_range_pop))
			RECORD(t, R_region_end, key & ~(0xffull << 56), l->counter - 1);
	}
	monitor_end(t, l, key, t->gpu.ranges[depth].since);
	end_line(t, l, key);
	return depth;
}

static void mark(const char *message)
{
	struct thread *t = here();
	if (!t || !message)
		return;
	check_pause();
	if (asleep(t, CUDA))
		return;
	uint64_t key;
	struct line *l = range_line(t, message, &key);
	if (!l)
		return;
	begin_line(t, l, key);
	if (decide(t, l, key, CUDA_nvtx_mark))
		RECORD(t, R_mark, key & ~(0xffull << 56), l->counter - 1);
	end_line(t, l, key);
}

static int push_ex(const struct attributes *a) { return push(message_of(a)); }
static void mark_ex(const struct attributes *a) { mark(message_of(a)); }
static int domain_push_ex(void *domain, const struct attributes *a) { (void)domain; return push(message_of(a)); }
static int domain_pop(void *domain) { (void)domain; return pop(); }
static void domain_mark_ex(void *domain, const struct attributes *a) { (void)domain; mark(message_of(a)); }
static void *domain_register(void *domain, const char *text) { (void)domain; return text ? strdup(text) : NULL; }

typedef void (*function)(void);
struct callbacks {
	size_t size;
	int (*module)(int module, function ***table, unsigned *size);
};

struct replacement { unsigned id; function call; };

/* replace puts functions of ours into a table of NVTX. */
static void replace(const struct callbacks *c, int module, const struct replacement *list, size_t count)
{
	function **table = NULL;
	unsigned size = 0;
	if (!c->module(module, &table, &size) || !table)
		return;
	for (size_t i = 0; i < count; i++)
		if (list[i].id < size && table[list[i].id])
			*table[list[i].id] = list[i].call;
}

EXPORT int InitializeInjectionNvtx2(const void *(*find)(uint32_t))
{
	const struct callbacks *c = find ? find(CALLBACKS) : NULL;
	if (!here() || !c || c->size < sizeof *c)
		return 0;
	static const struct replacement core[] = {
		{MARK, (function)mark}, {MARK_EX, (function)mark_ex}, {PUSH, (function)push}, {PUSH_EX, (function)push_ex}, {POP, (function)pop},
	};
	static const struct replacement core2[] = {
		{DOMAIN_MARK_EX, (function)domain_mark_ex}, {DOMAIN_PUSH_EX, (function)domain_push_ex}, {DOMAIN_POP, (function)domain_pop},
		{DOMAIN_REGISTER, (function)domain_register},
	};
	replace(c, CORE, core, sizeof core / sizeof *core);
	replace(c, CORE2, core2, sizeof core2 / sizeof *core2);
	return 1;
}
