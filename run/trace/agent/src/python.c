/* Functions of Python, as the interpreter reports them. An execution is from a call to the
 * return, or of a generator or coroutine from where it goes on to where it waits, so that
 * executions of a thread lie in each other. What is called in C belongs to the function around. */
#include "python.h"

struct python_api python;

static _Atomic uint32_t threads; /* that run Python */

uint32_t python_threads(void) { return atomic_load_explicit(&threads, memory_order_relaxed); }

/* A child has the thread that forked, and numbers anew. */
static void after_fork(void) { atomic_store(&threads, 0); }

extern int pthread_atfork(void (*)(void), void (*)(void), void (*)(void));
static __attribute__((constructor)) void prepare(void) { pthread_atfork(NULL, NULL, after_fork); }

/* python_thread is the number of a thread among those that run Python. */
uint32_t python_thread(struct thread *t)
{
	if (unlikely(!t->python.numbered)) {
		t->python.numbered = 1 + atomic_fetch_add(&threads, 1);
		set_id(t, session->python_thread, t->python.numbered - 1);
	}
	return t->python.numbered - 1;
}

/* introduce_function tells the collector what is behind the hash of a function, once for each
 * thread. */
static void introduce_function(struct thread *t, const struct function *f, uint32_t line)
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

static inline struct line *line_of(struct thread *t, struct function *f, uint64_t key)
{
	struct line *l = find_line(t, PYTHON, key);
	if (likely(l != NULL))
		t->names[l - t->lines] = (uintptr_t)&f->place;
	return l;
}

/* decide_function is which events are recorded of an execution: that is decided when it begins. */
static inline uint32_t decide_function(struct thread *t, struct line *l, uint64_t key, uint32_t events)
{
	uint32_t bits = 0;
	if (unlikely(t->audit)) {
		for (unsigned e = 0; e < PYTHON_EVENTS; e++)
			if (events >> e & 1)
				bits |= (uint32_t)decide(t, l, key, e) << e;
		return bits;
	}
	if (due(l))
		bits = l->allowed[0] & events;
	l->chosen |= bits != 0;
	return bits;
}

/* begin_function returns the line of the function on this thread, or NULL where nothing is
 * counted. Like a region that the program marks, a function that calls itself counts for the
 * rate when the next execution begins within it. */
struct line *begin_function(struct thread *t, struct function *f)
{
	struct python_thread *p = &t->python;
	check_pause();
	uint32_t number = python_thread(t);
	if (unlikely(p->depth == MAX_PYTHON_DEPTH)) {
		p->beyond++;
		return NULL;
	}
	struct python_call *c = &p->calls[p->depth++];
	c->function = f, c->line = NULL, c->bits = 0, c->since = 0;
	atomic_fetch_add_explicit(&f->open, 1, memory_order_relaxed);
	if (asleep(t, PYTHON))
		return NULL;
	uint64_t key = key_of(PYTHON, f->region);
	struct line *l = line_of(t, f, key);
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

/* end_function ends the innermost execution of a function. One that was not heard of when it
 * began has none; those within it whose ends were not heard of end with it. */
void end_function(struct thread *t, struct function *f, int raised)
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
		atomic_fetch_sub_explicit(&p->calls[--p->depth].function->open, 1, memory_order_relaxed);
	struct python_call *c = &p->calls[--p->depth];
	atomic_fetch_sub_explicit(&f->open, 1, memory_order_relaxed);
	struct line *l = c->line;
	if (!l || asleep(t, PYTHON))
		return;
	uint64_t key = key_of(PYTHON, f->region);
	monitor_end(t, l, key, c->since);
	if (c->bits >> PYTHON_RETURN & 1)
		RECORD(t, R_function_end, f->region, c->number, python_thread(t), raised);
	end_line(t, l, key);
}

/* around is the execution that something in C is called by, if this event of it is recorded. A
 * caller that is not the innermost function was not heard of when it began. */
static inline const struct python_call *around(struct thread *t, const struct function *caller, unsigned event)
{
	const struct python_thread *p = &t->python;
	const struct python_call *c = p->depth ? &p->calls[p->depth - 1] : NULL;
	return c && (!caller || c->function == caller) && !p->beyond && c->bits >> event & 1 && !asleep(t, PYTHON) ? c : NULL;
}

void begin_c(struct thread *t, const struct function *caller, object *callable)
{
	const struct python_call *c = around(t, caller, PYTHON_C_START);
	if (!c)
		return;
	uint64_t callee = callee_of(t, callable);
	RECORD(t, R_c_call_begin, c->function->region, c->number, callee, python_thread(t));
}

void end_c(struct thread *t, const struct function *caller, object *callable, int raised)
{
	const struct python_call *c = around(t, caller, PYTHON_C_RETURN);
	if (!c)
		return;
	uint64_t callee = callee_of(t, callable);
	RECORD(t, R_c_call_end, c->function->region, c->number, callee, python_thread(t), raised);
}
