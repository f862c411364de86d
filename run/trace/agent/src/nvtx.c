/* NVTX ranges and marks of a program, recorded as regions named by their messages. NVTX loads
 * the library named by NVTX_INJECTION64_PATH at its first use, so CUPTI is not involved. */
#include <stdlib.h>
#include <string.h>

#include "gpu.h"

enum { CORE = 1, CORE2 = 5, CALLBACKS = 1 }; /* NVTX's numbers of tables and functions */
enum { MARK_EX = 1, MARK = 2, START_EX = 4, START = 5, RANGE_END = 7, PUSH_EX = 8, PUSH = 9, POP = 11 };
enum { DOMAIN_MARK_EX = 1, DOMAIN_START_EX = 2, DOMAIN_END = 3, DOMAIN_PUSH_EX = 4, DOMAIN_POP = 5, DOMAIN_REGISTER = 10 };
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
	l->chosen = t->gpu.ranges[depth].recorded; /* ranges of the same name may be nested */
	if (l->chosen && !asleep(t, CUDA)) {
		freshen(t, l, key);
		if (allows(l, CUDA_nvtx_range_pop))
			RECORD(t, R_region_end, key & ~(0xffull << 56), l->counter - 1);
	}
	monitor_end(t, l, key, t->gpu.ranges[depth].since);
	end_line(t, l, key);
	return depth;
}

/* A range that has started and not ended. Any thread may end it,
 * so all threads share the table; the id contains its index. */
struct started {
	_Atomic uint64_t id; /* FREE, TAKEN, or the id of the range */
	uint64_t since;
	uint32_t execution, recorded;
	char *message;
};
enum { MAX_RANGES = 1 << 16, FREE = 0, TAKEN = 1 };
static struct started ranges[MAX_RANGES];

/* open_range stores a range and returns its id, or 0 if too many are open. */
static uint64_t open_range(const char *message, uint64_t since, uint32_t execution, int recorded)
{
	static _Atomic uint64_t last;
	for (unsigned i = 0; i < MAX_RANGES; i++) {
		uint64_t id = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1 + MAX_RANGES, empty = FREE;
		struct started *r = &ranges[id % MAX_RANGES];
		if (!atomic_compare_exchange_strong(&r->id, &empty, TAKEN))
			continue;
		r->since = since, r->execution = execution, r->recorded = recorded;
		r->message = strdup(message);
		atomic_store_explicit(&r->id, r->message ? id : FREE, memory_order_release);
		return r->message ? id : 0;
	}
	return 0;
}

static uint64_t start(const char *message)
{
	struct thread *t = here();
	if (!t || !message)
		return 0;
	check_pause();
	if (asleep(t, CUDA))
		return 0;
	uint64_t key, id = 0;
	struct line *l = range_line(t, message, &key);
	if (!l)
		return 0;
	begin_line(t, l, key);
	int recorded = decide(t, l, key, CUDA_nvtx_range_push);
	uint64_t since = monitor_begin(l);
	if (recorded || since)
		id = open_range(message, since, l->counter - 1, recorded);
	if (recorded && id)
		RECORD(t, R_range_started, key & ~(0xffull << 56), l->counter - 1, id);
	end_line(t, l, key); /* it counts from now on: another thread may end it */
	return id;
}

static void range_end(uint64_t id)
{
	struct started *r = &ranges[id % MAX_RANGES];
	struct thread *t = here();
	uint64_t have = id, key;
	if (id < MAX_RANGES || !atomic_compare_exchange_strong(&r->id, &have, TAKEN))
		return;
	struct line *l = t && !asleep(t, CUDA) ? range_line(t, r->message, &key) : NULL;
	if (l) {
		freshen(t, l, key);
		if (r->recorded && allows(l, CUDA_nvtx_range_pop))
			RECORD(t, R_range_ended, key & ~(0xffull << 56), r->execution, id);
		monitor_end(t, l, key, r->since);
	}
	free(r->message);
	atomic_store_explicit(&r->id, FREE, memory_order_release);
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

static uint64_t start_ex(const struct attributes *a) { return start(message_of(a)); }
static uint64_t domain_start_ex(void *domain, const struct attributes *a) { (void)domain; return start(message_of(a)); }
static void domain_end(void *domain, uint64_t id) { (void)domain; range_end(id); }
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

/* replace puts our functions into a table of NVTX. */
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
		{START, (function)start}, {START_EX, (function)start_ex}, {RANGE_END, (function)range_end},
	};
	static const struct replacement core2[] = {
		{DOMAIN_MARK_EX, (function)domain_mark_ex}, {DOMAIN_PUSH_EX, (function)domain_push_ex}, {DOMAIN_POP, (function)domain_pop},
		{DOMAIN_START_EX, (function)domain_start_ex}, {DOMAIN_END, (function)domain_end}, {DOMAIN_REGISTER, (function)domain_register},
	};
	replace(c, CORE, core, sizeof core / sizeof *core);
	replace(c, CORE2, core2, sizeof core2 / sizeof *core2);
	return 1;
}
