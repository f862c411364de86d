/* Python functions, as the interpreter reports them. An execution lasts from a call to the return; for a
 * generator or coroutine, it lasts from each resumption to the next wait, so that executions of a thread
 * are nested. C calls belong to the enclosing function. */
#include <string.h>

#include "python.h"

static _Atomic uint32_t numbered, running; /* the number of threads that have run Python; the number of threads that run it or are about to */
static uint32_t expected; /* the threads counted in running that have not begun; it changes under the interpreter's lock */

/* A child has only the thread that forked, and numbers threads anew. */
static void after_fork(void)
{
	atomic_store(&numbered, 0);
	atomic_store(&running, 0);
	expected = 0;
}

extern int pthread_atfork(void (*)(void), void (*)(void), void (*)(void));
static __attribute__((constructor)) void prepare(void) { pthread_atfork(NULL, NULL, after_fork); }

/* A function is spent on a thread if no rule can select it there any more. The number of these threads is kept
 * for one generation of the policy. A function that the policy does not select is spent on all threads, also on
 * those that never execute it. */
enum { ALL_THREADS = 1 << 30 };

static inline uint64_t spent_at(uint64_t generation, uint32_t threads) { return generation << 32 | threads; }

static inline int counts_for(uint64_t spent, uint64_t generation) { return spent >> 32 == (uint32_t)generation; }

/* is_spent reports whether no rule can select a function any more, on any thread that runs Python. */
int is_spent(const struct thread *t, const struct python_function *f)
{
	uint64_t spent = atomic_load(&f->spent);
	return counts_for(spent, t->seen) && (uint32_t)spent >= atomic_load(&running);
}

/* spend notes that no rule can select a function on this thread until
 * the policy changes, and reports whether this is so on all threads. */
int spend(struct thread *t, struct python_function *f, const struct line *l)
{
	struct python_thread *p = &t->python;
	if (unlikely(p->spent_at != t->seen)) {
		memset(p->spent, 0, sizeof p->spent);
		p->spent_at = t->seen;
	}
	uint32_t line = l - t->lines;
	uint64_t *word = &p->spent[line / 64], bit = 1ull << line % 64, have = atomic_load(&f->spent);
	if (!(*word & bit)) {
		uint32_t threads = asks_for(t, l, key_of(PYTHON, f->region)) ? 1 : ALL_THREADS;
		*word |= bit;
		while (!(counts_for(have, t->seen) && (uint32_t)have >= ALL_THREADS)
			&& !atomic_compare_exchange_weak(&f->spent, &have, counts_for(have, t->seen) ? have + threads : spent_at(t->seen, threads)))
			;
	}
	return is_spent(t, f);
}

/* leave withdraws a thread's notes when it ends, so that the others
 * no longer wait for it. The interpreter's lock is not held here. */
static void leave(struct thread *t)
{
	const struct python_thread *p = &t->python;
	for (uint32_t i = 0; i < t->regions; i++) {
		if (!(p->spent[i / 64] >> i % 64 & 1))
			continue;
		struct python_function *f = (struct python_function *)(t->names[i] - offsetof(struct python_function, place));
		uint64_t have = atomic_load(&f->spent);
		while (counts_for(have, p->spent_at) && (uint32_t)have < ALL_THREADS && !atomic_compare_exchange_weak(&f->spent, &have, have - 1))
			;
	}
	atomic_fetch_sub(&running, 1);
}

/* expect_thread counts a thread that is about to start: it may select functions that others have exhausted. */
void expect_thread(void)
{
	expected++;
	atomic_fetch_add(&running, 1);
}

/* python_thread returns the number of a thread among those that run Python. */
uint32_t python_thread(struct thread *t)
{
	if (unlikely(!t->python.numbered)) {
		t->python.numbered = 1 + atomic_fetch_add(&numbered, 1);
		if (expected)
			expected--;
		else
			atomic_fetch_add(&running, 1);
		t->leave = leave;
		set_id(t, session->python_thread, t->python.numbered - 1);
	}
	return t->python.numbered - 1;
}

/* introduce_function tells the collector the details
 * of the function with a hash, once for each thread. */
static void introduce_function(struct thread *t, const struct python_function *f, uint32_t line)
{
	uint64_t *word = &t->python.introduced[line / 64], bit = 1ull << line % 64;
	if (likely(*word & bit))
		return;
	if (!introduce(t, f->qualname, f->region) || !introduce(t, f->file, f->path))
		return;
	struct record *r = reserve(t, R_function, 2, f->region, 0);
	if (!r)
		return;
	payload_of(r)[0] = f->path;
	payload_of(r)[1] = f->line;
	commit(t, r);
	*word |= bit;
}

static inline struct line *line_of(struct thread *t, struct python_code *code, uint64_t key)
{
	if (unlikely(!code->line) && (code->line = find_line(t, PYTHON, key)))
		t->names[code->line - t->lines] = (uintptr_t)&code->function->place;
	return code->line;
}

/* decide_function decides, when an execution begins, which of its events are recorded. */
static inline uint32_t decide_function(struct thread *t, struct line *l, uint64_t key, uint32_t events)
{
	uint32_t bits = 0;
	if (unlikely(t->audit)) {
		for (unsigned e = 0; e < PYTHON_EVENTS; e++)
			if (events >> e & 1)
				bits |= (uint32_t)decide(t, l, key, e) << e;
		return bits;
	}
	if (taken(t, l))
		bits = l->allowed[0] & events;
	l->chosen |= bits != 0;
	return bits;
}

/* begin_function returns the line of the function on this thread, or NULL
 * if nothing is counted. Like a region marked by the program, a recursive
 * function counts for the rate when the next execution begins within it. */
struct line *begin_function(struct thread *t, struct python_code *code)
{
	struct python_thread *p = &t->python;
	struct python_function *f = code->function;
	check_pause();
	uint32_t number = python_thread(t);
	if (unlikely(p->depth == MAX_PYTHON_DEPTH)) {
		p->beyond++;
		return NULL;
	}
	struct python_call *c = &p->calls[p->depth++];
	c->function = f, c->line = NULL, c->bits = 0, c->since = 0;
	f->open++;
	if (asleep(t, PYTHON))
		return NULL;
	uint64_t key = key_of(PYTHON, f->region);
	struct line *l = line_of(t, code, key);
	if (!l)
		return NULL;
	if (l->chosen)
		end_line(t, l, key);
	begin_line(t, l, key);
	c->line = l;
	c->number = l->counter - 1;
	c->bits = decide_function(t, l, key, f->events);
	c->since = monitor_begin(l);
	if (likely(!c->bits && !c->since))
		return l;
	introduce_function(t, f, l - t->lines);
	if (c->bits >> PYTHON_IMPORT & 1)
		RECORD(t, R_import, f->region, c->number, number);
	if (c->bits >> PYTHON_START & 1)
		RECORD(t, R_function_begin, f->region, c->number, number);
	return l;
}

/* end_function ends the innermost execution of a function, and executions within it whose ends were
 * not reported. It does nothing if the begin was not reported. */
void end_function(struct thread *t, struct python_function *f, int raised)
{
	struct python_thread *p = &t->python;
	if (unlikely(p->beyond)) {
		p->beyond--;
		return;
	}
	uint32_t at = p->depth;
	while (at && p->calls[at - 1].function != f)
		at--;
	if (unlikely(!at))
		return;
	while (unlikely(p->depth > at))
		p->calls[--p->depth].function->open--;
	struct python_call *c = &p->calls[--p->depth];
	f->open--;
	struct line *l = c->line;
	if (!l || asleep(t, PYTHON))
		return;
	uint64_t key = key_of(PYTHON, f->region);
	monitor_end(t, l, key, c->since);
	if (c->bits >> PYTHON_RETURN & 1)
		RECORD(t, R_function_end, f->region, c->number, python_thread(t), raised);
	end_line(t, l, key);
}

/* around returns the execution that calls a C function, if this event of it is recorded. If the caller
 * is not the innermost function, its begin was not reported. */
static inline const struct python_call *around(struct thread *t, const struct python_function *caller, unsigned event)
{
	const struct python_thread *p = &t->python;
	const struct python_call *c = p->depth ? &p->calls[p->depth - 1] : NULL;
	return c && (!caller || c->function == caller) && !p->beyond && c->bits >> event & 1 && !asleep(t, PYTHON) ? c : NULL;
}

void begin_c(struct thread *t, const struct python_function *caller, object *callable)
{
	const struct python_call *c = around(t, caller, PYTHON_C_START);
	if (!c)
		return;
	uint64_t callee = callee_of(t, callable);
	RECORD(t, R_c_call_begin, c->function->region, c->number, callee, python_thread(t));
}

void end_c(struct thread *t, const struct python_function *caller, object *callable, int raised)
{
	const struct python_call *c = around(t, caller, PYTHON_C_RETURN);
	if (!c)
		return;
	uint64_t callee = callee_of(t, callable);
	RECORD(t, R_c_call_end, c->function->region, c->number, callee, python_thread(t), raised);
}
