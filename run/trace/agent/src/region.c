/* A program's own regions, and the knobs of the configuration. */
#include <string.h>

#include "stack.h"

enum { REGION_EVENT, MARK_EVENT }; /* the domain's events, numbered as in the catalogue */

/* meet finds the region of a name by its hash, and stores the address of the name for the next time. */
static __attribute__((noinline)) const struct region_name *meet(struct thread *t, const char *name, struct region_name *n)
{
	uint32_t known = t->regions;
	size_t length = strlen(name);
	n->at = NULL; /* it may have no region, or be too long */
	n->hash = name_hash(name);
	if (!(n->line = find_line(t, USER, key_of(USER, n->hash))))
		return NULL;
	if (t->regions != known)
		introduce(t, name, n->hash);
	if (length < sizeof n->text) {
		memcpy(n->text, name, length + 1);
		n->at = name;
	}
	return n;
}

static inline int same(const char *a, const char *b)
{
	for (; *a == *b; a++, b++)
		if (!*a)
			return 1;
	return 0;
}

/* region_of returns the region of a name, or NULL if the thread has too many. */
static inline const struct region_name *region_of(struct thread *t, const char *name)
{
	struct region_name *n = &t->region_names[(uintptr_t)name * 0x9e3779b97f4a7c15ull >> (64 - NAME_BITS)];
	return likely(n->at == name && same(n->text, name)) ? n : meet(t, name, n);
}

/* A recursive function begins its region again before the region has ended, so each
 * traced execution is kept until its own end. An execution counts for the rate when
 * it ends or when the next one begins within it, so that recursion is traced as
 * often as a loop. While a region is open, all begins and ends are counted, even if
 * the domain is asleep: otherwise an end could be attributed to the wrong begin. */
EXPORT void pentode_trace_region_begin(const char *name)
{
	struct thread *t = here();
	if (!t)
		return;
	check_pause();
	if (asleep(t, USER) && !t->open)
		return;
	const struct region_name *n = region_of(t, name);
	if (!n)
		return;
	struct line *l = n->line;
	uint64_t key = key_of(USER, n->hash);
	uint32_t number = l - t->lines, depth = ++t->depths[number];
	t->open++;
	if (asleep(t, USER))
		return;
	if (l->chosen)
		end_line(t, l, key);
	begin_line(t, l, key);
	if (t->opened_count == MAX_OPENED)
		return;
	struct opened o = {.line = number, .depth = depth, .number = l->counter - 1, .traced = heard(t, decide(t, l, key, REGION_EVENT))};
	if (o.traced)
		RECORD_CALLS(t, ((struct origin){__builtin_return_address(0), l->frames}), R_region_begin, n->hash, o.number);
	o.since = monitor_begin(l);
	if (o.traced || o.since)
		t->opened[t->opened_count++] = o;
}

/* close_execution removes the execution of a line at a depth, if
 * it was stored. It is the last one, unless regions overlap. */
static void close_execution(struct thread *t, uint32_t line, uint32_t depth, struct opened *closed)
{
	for (uint32_t i = t->opened_count; i-- > 0;) {
		struct opened *o = &t->opened[i];
		if (o->line != line)
			continue;
		if (o->depth != depth)
			return;
		*closed = *o;
		if (unlikely(i != --t->opened_count))
			memmove(o, o + 1, (t->opened_count - i) * sizeof *o);
		return;
	}
}

EXPORT void pentode_trace_region_end(const char *name)
{
	struct thread *t = self;
	if (!t || !t->open)
		return;
	const struct region_name *n = region_of(t, name);
	if (!n || !t->depths[n->line - t->lines])
		return; /* it began while the domain was asleep, or never */
	struct line *l = n->line;
	uint64_t key = key_of(USER, n->hash);
	struct opened o = {0};
	close_execution(t, l - t->lines, t->depths[l - t->lines]--, &o);
	t->open--;
	if (asleep(t, USER))
		return;
	monitor_end(t, l, key, o.since);
	if (o.traced)
		RECORD(t, R_region_end, n->hash, o.number);
	end_line(t, l, key);
}

/* A mark is a region without a length. Within a region
 * of the same name it counts as a recursive execution. */
EXPORT void pentode_trace_mark(const char *name)
{
	struct thread *t = here();
	if (!t)
		return;
	check_pause();
	if (asleep(t, USER))
		return;
	const struct region_name *n = region_of(t, name);
	if (!n)
		return;
	struct line *l = n->line;
	uint64_t key = key_of(USER, n->hash);
	if (l->chosen)
		end_line(t, l, key);
	begin_line(t, l, key);
	if (heard(t, decide(t, l, key, MARK_EVENT)))
		RECORD_CALLS(t, ((struct origin){__builtin_return_address(0), l->frames}), R_mark, n->hash, l->counter - 1);
	monitor_end(t, l, key, monitor_begin(l));
	end_line(t, l, key);
}

/* knob copies the knob with a name from the policy. */
static int knob(struct thread *t, const char *name, struct knob *out)
{
	if (!t)
		return 0;
	const struct policy *p = read_policy(t);
	int found = 0;
	for (uint32_t i = 0; i < p->knobs.count && !found; i++) {
		const struct knob *k = TABLE(p, knobs, knob) + i;
		if ((found = !strncmp(k->name, name, sizeof k->name)))
			*out = *k;
	}
	stop_reading(t);
	return found;
}

EXPORT int pentode_trace_knob_int(const char *name, int otherwise)
{
	struct knob k;
	return knob(here(), name, &k) ? (int)k.integer : otherwise;
}

EXPORT double pentode_trace_knob_double(const char *name, double otherwise)
{
	struct knob k;
	return knob(here(), name, &k) ? k.number : otherwise;
}

/* The text is valid until the thread's next call. */
EXPORT const char *pentode_trace_knob_string(const char *name, const char *otherwise)
{
	struct thread *t = here();
	struct knob k;
	if (!knob(t, name, &k))
		return otherwise;
	memcpy(t->text, k.text, sizeof t->text);
	return t->text;
}

EXPORT int pinsight_get_knob_int(const char *name) { return pentode_trace_knob_int(name, 0); }
EXPORT double pinsight_get_knob_double(const char *name) { return pentode_trace_knob_double(name, 0); }
EXPORT const char *pinsight_get_knob_string(const char *name) { return pentode_trace_knob_string(name, ""); }
