#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "decide.h"

struct line *find_line(struct thread *t, unsigned domain, uint64_t key)
{
	uint32_t i = (key * 0x9e3779b97f4a7c15ull) >> 48;
	for (;; i++) {
		uint32_t *at = &t->index[i & (2 * MAX_REGIONS - 1)];
		if (*at == 0) {
			if (t->regions == MAX_REGIONS)
				return NULL;
			t->keys[t->regions] = key;
			struct line *l = &t->lines[t->regions];
			l->domain = domain;
			*at = ++t->regions;
			return l;
		}
		if (t->keys[*at - 1] == key)
			return &t->lines[*at - 1];
	}
}

/* name_hash returns the hash that identifies a name: FNV-1a in 56 bits. */
uint64_t name_hash(const char *name)
{
	uint64_t h = 0xcbf29ce484222325ull;
	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 0x100000001b3ull;
	return h & ~(0xffull << 56);
}

static int contains(const struct interval *spans, uint32_t count, uint32_t id)
{
	uint32_t low = 0, high = count; /* the first span that begins after id */
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (spans[middle].low <= id)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 && id <= spans[low - 1].high;
}

static int holds(const struct policy *p, uint32_t where, const uint32_t *ids)
{
	const struct where *w = TABLE(p, wheres, where) + where;
	for (uint32_t i = 0; i < w->count; i++) {
		const struct test *test = TABLE(p, tests, test) + w->first + i;
		if (!contains(TABLE(p, spans, interval) + test->first, test->count, ids[test->kind]))
			return 0;
	}
	return 1;
}

static void apply(const struct policy *p, uint32_t change, uint64_t *events)
{
	const struct change *c = TABLE(p, changes, change) + change;
	for (int i = 0; i < WORDS; i++)
		events[i] = (events[i] & ~c->named[i]) | c->value[i];
}

static const struct entry *by_address(const struct policy *p, uint64_t address)
{
	if (!p->slots.count || !address)
		return NULL;
	const uint32_t *slots = (const uint32_t *)((const char *)p + p->slots.at);
	for (uint32_t i = (address * 0x9e3779b97f4a7c15ull) >> 32;; i++) {
		uint32_t entry = slots[i & (p->slots.count - 1)];
		if (!entry)
			return NULL;
		const struct entry *e = TABLE(p, entries, entry) + entry - 1;
		if (e->address == address)
			return e;
	}
}

/* met notes that a region matches an entry, and returns the entry's rule. */
static const struct rule *met(const struct policy *p, const struct entry *e, unsigned domain)
{
	_Atomic uint32_t *at = (_Atomic uint32_t *)((char *)(uintptr_t)p + p->met.at) + (e - TABLE(p, entries, entry));
	atomic_store_explicit(at, 1, memory_order_relaxed);
	return TABLE(p, rules, rule) + e->rules[domain];
}

/* in_file reports whether the file of a function begins with the text that a section requires. */
static int in_file(const struct place *f, const struct name *n)
{
	uint64_t h = 0xcbf29ce484222325ull;
	for (uint32_t i = 0; i < n->length; i++) {
		if (!f->base[i])
			return 0;
		h = (h ^ (unsigned char)f->base[i]) * 0x100000001b3ull;
	}
	return !n->length || (h & ~(0xffull << 56)) == n->file;
}

/* matches does the same as the Go function matches in modules.go. */
static int matches(const char *pattern, const char *name)
{
	const char *star = NULL, *from = name;
	while (*name) {
		if (*pattern == '*') {
			star = pattern++;
			from = name;
		} else if (*pattern == '?' || *pattern == *name) {
			pattern++, name++;
		} else if (star) {
			pattern = star + 1;
			name = ++from;
		} else {
			return 0;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

/* in_modules reports whether the policy traces a
 * module. Without patterns, all modules are traced. */
static int in_modules(const struct place *f, const struct policy *p)
{
	const char *at = (const char *)p + p->modules.at, *end = at + p->modules.count;
	if (at == end)
		return 1;
	for (; at < end; at += strlen(at) + 1)
		if (matches(at, f->module))
			return 1;
	return 0;
}

/* by_name reports whether the regions of a domain are identified by name. */
static int by_name(unsigned domain) { return domain == USER || domain == CUDA || domain == PYTHON; }

static int called_so(const uint64_t *names, uint32_t count, uint64_t hash)
{
	for (uint32_t i = 0; i < count; i++)
		if (names[i] == hash)
			return 1;
	return 0;
}

/* rule_of returns the rule for a region: by its address, else
 * by the function it lies in or its name, else the rule of its
 * domain. *named reports whether a section names the region. */
static const struct rule *rule_of(const struct policy *p, const struct thread *t, const struct line *l, uint64_t key, int *named)
{
	unsigned domain = l->domain;
	const struct rule *rules = TABLE(p, rules, rule);
	const struct entry *entries = TABLE(p, entries, entry), *e;
	uint64_t address = key & ~(0xffull << 56), name = by_name(domain) ? address : t->names[l - t->lines];
	const uint64_t *names = &name;
	uint32_t count = name != 0;
	const struct place *f = domain == PYTHON ? (const struct place *)t->names[l - t->lines] : NULL;
	*named = 1;
	if (f)
		name = f->name;
	if (domain == CUDA && t->names[l - t->lines]) {
		const struct called *called = (const struct called *)t->names[l - t->lines];
		names = called->names, count = called->count;
	}
	if (!by_name(domain) && (e = by_address(p, address)))
		return met(p, e, domain);
	for (uint32_t i = 0; count && i < p->names.count; i++) {
		const struct name *n = TABLE(p, names, name) + i;
		e = entries + n->entry;
		if (called_so(names, count, n->hash) && (e->domain == DOMAINS || e->domain == domain) && (!f || in_file(f, n)))
			return met(p, e, domain);
	}
	for (uint32_t i = 0; !by_name(domain) && i < p->ranges.count; i++) {
		const struct range *r = TABLE(p, ranges, range) + i;
		e = entries + r->entry;
		if (address > r->low && address <= r->high && (e->domain == DOMAINS || e->domain == domain))
			return met(p, e, domain);
	}
	*named = 0;
	return rules + p->domains[domain].fallback;
}

static void restamp(struct thread *t)
{
	if (++t->stamp)
		return;
	for (uint32_t i = 0; i < t->regions; i++)
		t->lines[i].stamp = 0;
	for (int d = 0; d < DOMAINS; d++)
		t->views[d].stamp = 0;
	t->stamp = 1;
}

static unsigned mode_of(uint64_t modes, unsigned domain) { return modes >> MODE_BITS * domain & MODE_MASK; }

/* modes returns the modes of the process under this policy. The
 * first thread that meets a new policy sets its initial modes. */
static uint64_t modes(const struct policy *p, uint64_t epoch)
{
	uint64_t have = atomic_load(&process->modes), start = epoch << EPOCH_AT;
	int closed = atomic_load(&session->closed); /* nothing is traced any more */
	for (int d = 0; d < DOMAINS; d++)
		start |= (uint64_t)(closed ? OFF : p->domains[d].mode) << MODE_BITS * d;
	if (closed)
		return start;
	while (have >> EPOCH_AT != (uint32_t)epoch) {
		/* If another thread already has a newer policy, its modes stay. */
		if ((int32_t)((uint32_t)(have >> EPOCH_AT) - (uint32_t)epoch) > 0 || atomic_compare_exchange_strong(&process->modes, &have, start))
			return start;
	}
	return have;
}

static const uint64_t *view(struct thread *t, const struct policy *p, unsigned domain)
{
	const struct domain *d = &p->domains[domain];
	if (t->views[domain].stamp != t->stamp) {
		t->views[domain].stamp = t->stamp;
		memcpy(t->views[domain].events, d->base, sizeof d->base);
		for (uint32_t i = 0; i < d->sections; i++) {
			const struct section *s = TABLE(p, sections, section) + d->first_section + i;
			if (holds(p, s->where, t->ids))
				apply(p, s->change, t->views[domain].events);
		}
	}
	return t->views[domain].events;
}

/* renew copies the policy's decisions about a region on this thread into its line. */
void renew(struct thread *t, struct line *l, uint64_t key)
{
	uint64_t generation = atomic_load(&process->generation);
	const struct policy *p = read_policy(t);
	uint64_t epoch = p->epoch;
	uint64_t now = modes(p, epoch);
	if (t->seen != generation || t->epoch != epoch) {
		t->seen = generation;
		t->epoch = epoch;
		t->quiet = 0;
		for (int d = 0; d < DOMAINS; d++)
			t->quiet |= mode_of(now, d) < MONITORING ? 1u << d : 0;
		restamp(t);
		set_id(t, session->rank, atomic_load(&process->rank));
	}
	unsigned domain = l->domain;
	int named;
	const struct rule *r = rule_of(p, t, l, key, &named);
	int outside = domain == PYTHON && !named && !in_modules((const struct place *)t->names[l - t->lines], p);
	l->stamp = t->stamp;
	l->start = r->start, l->max = r->max, l->every = r->every;
	l->mode = mode_of(now, domain);
	l->ends = r->end != 0 && r->max != UINT32_MAX;
	l->frames = r->backtrace < MAX_FRAMES ? r->backtrace : MAX_FRAMES;
	uint32_t window = atomic_load(&process->window);
	if (t->window != window) {
		for (uint32_t i = 0; i < t->regions; i++)
			if (t->lines[i].max != UINT32_MAX)
				t->lines[i].traced = 0;
		t->window = window;
	}
	memset(l->allowed, 0, sizeof l->allowed);
	if (l->mode == TRACING && !outside && holds(p, p->domains[domain].limits, t->ids) && holds(p, r->where, t->ids)) {
		memcpy(l->allowed, view(t, p, domain), sizeof l->allowed);
		apply(p, r->change, l->allowed);
	}
	stop_reading(t);
}

/* asks_for reports whether a section or a module of the policy selects
 * a Python function. If not, the function is not traced on any unit. */
int asks_for(struct thread *t, const struct line *l, uint64_t key)
{
	const struct policy *p = read_policy(t);
	int named;
	rule_of(p, t, l, key, &named);
	int asks = named || in_modules((const struct place *)t->names[l - t->lines], p);
	stop_reading(t);
	return asks;
}

/* asked_of_devices returns device_activity: the value set by a window end, else the policy's value. */
static uint32_t asked_of_devices(const struct policy *p, unsigned domain)
{
	uint64_t set = atomic_load(&process->activity);
	uint32_t number = (uint32_t)set & ~ACTIVITY_CHANGED;
	uint32_t activity = number && number <= p->ends.count && set >> ACTIVITY_EPOCH_AT == p->epoch ? (TABLE(p, ends, window_end) + number - 1)->activity[domain] : 0;
	return activity ? activity - 1 : p->domains[domain].activity;
}

struct reach reach(struct thread *t, unsigned domain)
{
	const struct policy *p = read_policy(t);
	const struct domain *d = &p->domains[domain];
	const struct change *changes = TABLE(p, changes, change);
	const struct rule *rules = TABLE(p, rules, rule);
	struct reach r = {.mode = mode_of(modes(p, p->epoch), domain), .activity = asked_of_devices(p, domain), .sites = d->sites};
	for (int w = 0; w < WORDS; w++) {
		r.events[w] = d->base[w] | changes[rules[d->fallback].change].value[w];
		for (uint32_t i = 0; i < d->sections; i++)
			r.events[w] |= changes[(TABLE(p, sections, section) + d->first_section + i)->change].value[w];
		for (uint32_t i = 0; i < p->entries.count; i++)
			r.events[w] |= changes[rules[(TABLE(p, entries, entry) + i)->rules[domain]].change].value[w];
	}
	stop_reading(t);
	return r;
}

void set_id(struct thread *t, unsigned kind, uint32_t id)
{
	if (kind >= MAX_KINDS || t->ids[kind] == id)
		return;
	t->ids[kind] = id;
	if (t->audit)
		RECORD(t, R_audit, 0, 0, UNIT | (uint64_t)kind << 16, id, 0);
	restamp(t);
}

int names_address(struct thread *t, uint64_t address)
{
	const struct policy *p = read_policy(t);
	int found = by_address(p, address) != NULL;
	stop_reading(t);
	return found;
}

/* end_activity sets device_activity to the value of a window end,
 * unless another end has set it already. It reports whether it did. */
static int end_activity(const struct window_end *e, uint32_t number, uint32_t epoch)
{
	uint64_t have = atomic_load(&process->activity), want = (uint64_t)epoch << ACTIVITY_EPOCH_AT | ACTIVITY_CHANGED | number;
	return e->activity[CUDA] && (have >> ACTIVITY_EPOCH_AT != epoch || !(have & ACTIVITY_CHANGED)) && atomic_compare_exchange_strong(&process->activity, &have, want);
}

/* end_window is called when a region has been traced as often as allowed:
 * modes are set at once, while scripts are left to the collector. After
 * one end has changed a domain, later ends do not, until windows begin anew. */
void end_window(struct thread *t, struct line *l, uint64_t key)
{
	const struct policy *p = read_policy(t);
	uint64_t epoch = p->epoch;
	int named;
	uint32_t number = rule_of(p, t, l, key, &named)->end;
	if (!number)
		goto done;
	const struct window_end *e = TABLE(p, ends, window_end) + number - 1;
	if (e->all)
		for (uint32_t i = 0; i < t->regions; i++) {
			struct line *other = &t->lines[i];
			if (other->counter && other->max != UINT32_MAX && other->traced < other->max)
				goto done;
		}
	if (e->introspect) {
		uint32_t none = 0;
		if (atomic_compare_exchange_strong(&process->ended, &none, number) && e->introspect == 2)
			atomic_store(&process->paused, 1);
		goto done;
	}
	uint64_t have = modes(p, epoch), want;
	if (have >> EPOCH_AT != (uint32_t)epoch)
		goto done;
	int changed = end_activity(e, number, epoch);
	do {
		want = have;
		for (int d = 0; d < DOMAINS; d++)
			if (e->modes[d] && !(have >> (CHANGED_AT + d) & 1) && e->modes[d] != mode_of(have, d))
				want = (want & ~((uint64_t)MODE_MASK << MODE_BITS * d)) | (uint64_t)e->modes[d] << MODE_BITS * d | 1ull << (CHANGED_AT + d);
	} while (have >> EPOCH_AT == (uint32_t)epoch && want != have && !atomic_compare_exchange_strong(&process->modes, &have, want));
	if (changed || (have >> EPOCH_AT == (uint32_t)epoch && want != have))
		atomic_fetch_add(&process->generation, 1);
done:
	stop_reading(t);
}

/* pause_here waits while the collector demands it, but only as long as the collector is alive. */
void pause_here(void)
{
	uint64_t beat = 0;
	int quiet = 0;
	while (atomic_load_explicit(&process->paused, memory_order_relaxed) && collector_lives(&beat, &quiet))
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

enum { MAX_WAITED = 64 };

/* cross ends a stretch, which is a short measuring interval, for a thread. It reports how many executions began in it, and
 * the processor time that the thread spent. In a stretch that is a gap, executions that begin are not recorded: if they take
 * longer in other stretches, the difference is the cost of recording. The thread ends each stretch at the same point of its
 * loop, so that whole iterations are compared. If it does not soon reach that point, it reports no time. None of this may
 * depend on which stretch is the gap. */
void cross(struct thread *t, const struct line *l, uint32_t stretch)
{
	if (t->in_gap && stretch & 1) { /* the thread slept from one gap to the next */
		t->stretch = stretch;
		t->anchor = NULL;
		return;
	}
	int there = t->anchor == l;
	if (!there && t->anchor && t->waited++ < MAX_WAITED)
		return;
	struct timespec spent;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
	uint64_t now = spent.tv_sec * 1000000000ull + spent.tv_nsec;
	unsigned type = stretch & 1 ? R_gap_begin : t->in_gap ? R_gap_end : R_gap_beside;
	RECORD(t, type, 0, 0, t->stretch, t->begun - t->begun_before, there ? now - t->spent_before : 0);
	t->stretch = stretch;
	t->in_gap = stretch & 1;
	t->waited = 0;
	t->anchor = l;
	t->begun_before = t->begun;
	t->spent_before = now;
}

void audit_step(struct thread *t, enum step step, unsigned domain, unsigned event, int decision, int chosen, struct line *l, uint64_t key, uint64_t execution)
{
	uint64_t what = step | domain << 8 | event << 16 | (uint64_t)decision << 24 | (uint64_t)chosen << 25 | (uint64_t)l->mode << 32;
	RECORD(t, R_audit, key & ~(0xffull << 56), l->counter, what, execution, t->epoch);
}
