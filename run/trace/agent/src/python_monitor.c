/* Python from 3.12 on: sys.monitoring calls the agent, and no longer does for a place in the code
 * to which it answers DISABLE. That is the answer for functions that no rule can choose any more,
 * which then cost nothing until the policy changes. */
#include <string.h>

#include "python.h"

static object *monitoring, *disable;
static int tool;
static _Atomic uint64_t applied; /* the generation of the policy that is heard for */
static int settled; /* what the policy says of a function on a thread stays so until the next generation */

static const char *const names[] = {"PY_START", "PY_RESUME", "PY_THROW", "PY_RETURN", "PY_YIELD", "PY_UNWIND", "CALL", "C_RETURN", "C_RAISE"};
enum { START, RESUME, THROW, RETURN, YIELD, UNWIND, CALL, C_RETURN, C_RAISE, KINDS };
static long events[KINDS];

static object *answer(object *o)
{
	python.Py_IncRef(o);
	return o;
}

/* moves reports whether constraints ask for units other than threads of Python and ranks: a
 * thread may be another one of them without a word. */
static int moves(const struct policy *p, uint32_t where)
{
	const struct where *w = TABLE(p, wheres, where) + where;
	for (uint32_t i = 0; i < w->count; i++) {
		uint32_t kind = (TABLE(p, tests, test) + w->first + i)->kind;
		if (kind != session->python_thread && kind != session->rank)
			return 1;
	}
	return 0;
}

static int is_settled(struct thread *t)
{
	const struct policy *p = read_policy(t);
	const struct domain *d = &p->domains[PYTHON];
	const struct rule *rules = TABLE(p, rules, rule);
	int found = moves(p, d->limits) || moves(p, rules[d->fallback].where);
	for (uint32_t i = 0; i < d->sections; i++)
		found |= moves(p, (TABLE(p, sections, section) + d->first_section + i)->where);
	for (uint32_t i = 0; i < p->entries.count; i++)
		found |= moves(p, rules[(TABLE(p, entries, entry) + i)->rules[PYTHON]].where);
	stop_reading(t);
	return !found;
}

static int call(const char *name, long events)
{
	object *o = events < 0 ? python.PyObject_CallMethod(monitoring, name, NULL) : python.PyObject_CallMethod(monitoring, name, "il", tool, events);
	if (o)
		python.Py_DecRef(o);
	else
		python.PyErr_Clear();
	return o != NULL;
}

/* apply hears everything again that the policy may choose now. */
static int apply(struct thread *t)
{
	static long heard = -1;
	if (python.PyInterpreterState_GetID(python.PyInterpreterState_Get()) != 0)
		return 0;
	uint64_t generation = atomic_load(&process->generation);
	struct reach r = reach(t, PYTHON);
	long wanted = events[START] | events[RESUME] | events[THROW] | events[RETURN] | events[YIELD] | events[UNWIND];
	if (r.mode == TRACING && r.events[0] & (1ull << PYTHON_C_START | 1ull << PYTHON_C_RETURN))
		wanted |= events[CALL] | events[C_RETURN] | events[C_RAISE];
	settled = is_settled(t);
	atomic_store(&applied, generation);
	int ok = wanted == heard || call("set_events", wanted);
	heard = wanted;
	return ok && call("restart_events", -1);
}

/* stale reports whether the policy has changed. */
static inline int stale(void)
{
	return unlikely(atomic_load_explicit(&applied, memory_order_relaxed) != atomic_load_explicit(&process->generation, memory_order_relaxed));
}

/* renew_monitoring looks for a new policy where no function is heard of. */
void renew_monitoring(void)
{
	struct thread *t = process && stale() ? here() : NULL;
	if (t)
		apply(t);
}

/* is_spent reports whether no rule can choose a function any more, on any thread that has run
 * Python. l is its line on this one, NULL where the domain is asleep. */
static int is_spent(struct thread *t, struct function *f, const struct line *l)
{
	if (l && (l->mode == MONITORING || (l->mode == TRACING && (l->max == UINT32_MAX || l->traced < l->max) && (!settled || l->allowed[0] & f->events))))
		return 0;
	if (!l)
		return asleep(t, PYTHON);
	struct python_thread *p = &t->python;
	uint64_t generation = t->seen;
	if (unlikely(p->spent_at != generation)) {
		memset(p->spent, 0, sizeof p->spent);
		p->spent_at = generation;
	}
	if (unlikely(atomic_load(&f->spent_at) != generation)) {
		atomic_store(&f->spent, 0);
		atomic_store(&f->spent_at, generation);
	}
	uint32_t line = l - t->lines;
	if (!(p->spent[line / 64] >> line % 64 & 1)) {
		p->spent[line / 64] |= 1ull << line % 64;
		atomic_fetch_add(&f->spent, 1);
	}
	return atomic_load(&f->spent) >= python_threads();
}

/* was_spent is the same question about a function that did not begin here. */
static int was_spent(struct thread *t, const struct function *f)
{
	return !atomic_load(&f->open) && (asleep(t, PYTHON) || (atomic_load(&f->spent_at) == t->seen && atomic_load(&f->spent) >= python_threads()));
}

/* begun begins an execution. One that is recorded nowhere and in no other is forgotten at once. */
static object *begun(object *const *args, ptrdiff_t count, int local)
{
	struct thread *t = here();
	struct function *f = t && count ? function_of(args[0]) : NULL;
	if (!f)
		return answer(python.none);
	if (stale() || unlikely(f->starts_thread || !t->python.numbered))
		apply(t); /* a new thread may choose what the others have exhausted */
	const struct line *l = begin_function(t, f);
	if (!local || f->starts_thread || !is_spent(t, f, l) || atomic_load(&f->open) > 1)
		return answer(python.none);
	end_function(t, f, 0);
	return answer(disable);
}

static object *on_start(object *self, object *const *args, ptrdiff_t count)
{
	(void)self;
	return begun(args, count, 1);
}

static object *on_throw(object *self, object *const *args, ptrdiff_t count)
{
	(void)self;
	return begun(args, count, 0);
}

static object *ended(object *const *args, ptrdiff_t count, int local, int raised)
{
	struct thread *t = here();
	struct function *f = t && count ? function_of(args[0]) : NULL;
	if (!f)
		return answer(python.none);
	end_function(t, f, raised);
	return answer(local && !stale() && was_spent(t, f) ? disable : python.none);
}

static object *on_return(object *self, object *const *args, ptrdiff_t count)
{
	(void)self;
	return ended(args, count, 1, 0);
}

static object *on_unwind(object *self, object *const *args, ptrdiff_t count)
{
	(void)self;
	return ended(args, count, 0, 1);
}

static object *on_call(object *self, object *const *args, ptrdiff_t count)
{
	(void)self;
	struct thread *t = here();
	if (!t || count < 3)
		return answer(python.none);
	const struct function *f = function_of(args[0]);
	if (f && is_c(args[2]))
		begin_c(t, f, args[2]);
	return answer(f && !stale() && was_spent(t, f) ? disable : python.none);
}

static object *after_c(object *const *args, ptrdiff_t count, int raised)
{
	struct thread *t = here();
	const struct function *f = t && count >= 3 && is_c(args[2]) ? function_of(args[0]) : NULL;
	if (f)
		end_c(t, f, args[2], raised);
	return answer(python.none);
}

static object *on_c_return(object *self, object *const *args, ptrdiff_t count)
{
	(void)self;
	return after_c(args, count, 0);
}

static object *on_c_raise(object *self, object *const *args, ptrdiff_t count)
{
	(void)self;
	return after_c(args, count, 1);
}

/* take_tool takes one of the numbers that are not kept for others. */
static int take_tool(void)
{
	for (tool = 3; tool <= 4; tool++) {
		object *o = python.PyObject_CallMethod(monitoring, "use_tool_id", "is", tool, "pentode");
		if (o) {
			python.Py_DecRef(o);
			return 1;
		}
		python.PyErr_Clear();
	}
	return 0;
}

static int register_callbacks(void)
{
	static struct method_def definitions[KINDS] = {
		[START] = {"on_start", on_start, METH_FASTCALL, NULL}, [RESUME] = {"on_resume", on_start, METH_FASTCALL, NULL},
		[THROW] = {"on_throw", on_throw, METH_FASTCALL, NULL}, [RETURN] = {"on_return", on_return, METH_FASTCALL, NULL},
		[YIELD] = {"on_yield", on_return, METH_FASTCALL, NULL}, [UNWIND] = {"on_unwind", on_unwind, METH_FASTCALL, NULL},
		[CALL] = {"on_call", on_call, METH_FASTCALL, NULL}, [C_RETURN] = {"on_c_return", on_c_return, METH_FASTCALL, NULL},
		[C_RAISE] = {"on_c_raise", on_c_raise, METH_FASTCALL, NULL},
	};
	object *list = python.PyObject_GetAttrString(monitoring, "events");
	int ok = list != NULL;
	for (int i = 0; ok && i < KINDS; i++) {
		object *number = python.PyObject_GetAttrString(list, names[i]), *function = python.PyCFunction_NewEx(&definitions[i], NULL, NULL);
		events[i] = number ? python.PyLong_AsLong(number) : -1;
		object *o = number && function ? python.PyObject_CallMethod(monitoring, "register_callback", "ilO", tool, events[i], function) : NULL;
		ok = o != NULL;
		for (object **held = (object *[]){number, function, o, NULL}; *held; held++)
			python.Py_DecRef(*held);
	}
	if (list)
		python.Py_DecRef(list);
	return ok;
}

uint32_t start_monitoring(struct thread *t)
{
	monitoring = python.PySys_GetObject("monitoring");
	if (!monitoring || !(disable = python.PyObject_GetAttrString(monitoring, "DISABLE"))) {
		python.PyErr_Clear();
		return PYTHON_NO_INTERFACE;
	}
	python.Py_IncRef(monitoring);
	if (!take_tool())
		return PYTHON_TAKEN;
	if (!register_callbacks() || !apply(t)) {
		python.PyErr_Clear();
		return PYTHON_NO_INTERFACE;
	}
	return PYTHON_TRACED;
}
