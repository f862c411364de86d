/* A program's own regions, and the knobs of the configuration. */
#include <string.h>

#include "decide.h"

EXPORT void pentode_trace_region_begin(const char *name)
{
	struct thread *t = here();
	if (!t)
		return;
	check_pause();
	if (asleep(t, USER))
		return;
	uint64_t h = name_hash(name), key = key_of(USER, h);
	uint32_t known = t->regions;
	struct line *l = find_line(t, USER, key);
	if (!l)
		return;
	if (t->regions != known)
		introduce(t, name, h);
	begin_line(t, l, key);
	if (decide(t, l, key, 0))
		RECORD(t, R_region_begin, h, l->counter - 1);
}

EXPORT void pentode_trace_region_end(const char *name)
{
	struct thread *t = self;
	if (!t || asleep(t, USER))
		return;
	uint64_t h = name_hash(name), key = key_of(USER, h);
	struct line *l = find_line(t, USER, key);
	if (!l)
		return;
	if (l->chosen)
		RECORD(t, R_region_end, h, l->counter - 1);
	end_line(t, l, key);
}

/* knob copies the knob of a name out of the policy. */
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

/* The text is good until the thread's next question. */
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
