/* Python from 3.12 on: sys.monitoring calls the agent. If the agent answers DISABLE at
 * a place in the code, it is no longer called there. It does so for functions that no
 * rule can select any more, which then cost nothing until the policy changes. */
#include <signal.h>

#include "python.h"

static object *monitoring, *disable;
static int tool;
static int settled; /* whether a decision about a function on a thread stays valid until the next generation */

static const char *const names[] = {"PY_START", "PY_RESUME", "PY_THROW", "PY_RETURN", "PY_YIELD", "PY_UNWIND", "CALL", "C_RETURN", "C_RAISE"};
enum { START, RESUME, THROW, RETURN, YIELD, UNWIND, CALL, C_RETURN, C_RAISE, KINDS };
static long events[KINDS];

/* From 3.12 on None is never freed and not counted; other objects are. */
static inline object *answer(int disabled)
{
	if (likely(!disabled))
		return python.none;
	python.Py_IncRef(disable);
	return disable;
}

/* moves reports whether constraints are about units other than Python
 * threads and ranks: a thread may change such a unit at any time. */
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

/* apply enables all events that the policy may select now. */
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
	atomic_store(&process->heard, generation);
	if (wanted != heard && !call("set_events", wanted))
		return 0;
	heard = wanted;
	return call("restart_events", -1);
}

/* stale reports whether the policy has changed. */
static inline int stale(void)
{
	return unlikely(atomic_load_explicit(&process->heard, memory_order_relaxed) != atomic_load_explicit(&process->generation, memory_order_relaxed));
}

/* renew_monitoring checks for a new policy where functions are not
 * reported, and enables all events for a thread that is about to start. */
void renew_monitoring(int starts_thread)
{
	struct thread *t = process && (starts_thread || stale()) ? here() : NULL;
	if (t && apply(t) && starts_thread)
		expect_thread();
}

/* in_child enables all events in the child of a fork, which counts anew. */
static object *in_child(object *self, object *const *args, ptrdiff_t count)
{
	(void)self, (void)args, (void)count;
	call("restart_events", -1);
	return answer(0);
}

/* on_wake is called after the collector has sent the
 * signal: the policy has changed, and no event is enabled. */
static object *on_wake(object *self, object *const *args, ptrdiff_t count)
{
	(void)self, (void)args, (void)count;
	renew_monitoring(0);
	return answer(0);
}

/* can_choose reports whether a rule may select a function on this thread, now or later. */
static inline int can_choose(const struct python_function *f, const struct line *l)
{
	return l->mode == MONITORING || (l->mode == TRACING && (l->max == UINT32_MAX || l->traced < l->max) && (!settled || l->allowed[0] & f->events));
}

/* was_spent reports whether no rule can select a function that is not being executed. */
static inline int was_spent(struct thread *t, const struct python_function *f)
{
	return !f->open && (asleep(t, PYTHON) || is_spent(t, f));
}

/* begun begins an execution. It is discarded at once if it is not recorded and not nested in a recorded one. */
static object *begun(object *const *args, ptrdiff_t count, int local)
{
	struct thread *t = here();
	struct python_code *c = t && count ? code_of(t, args[0]) : NULL;
	if (unlikely(!c))
		return answer(0);
	struct python_function *f = c->function;
	if (unlikely(stale() || !t->python.numbered))
		apply(t); /* a thread started by a library may select functions that others have exhausted */
	const struct line *l = begin_function(t, c);
	if (likely(l && can_choose(f, l)) || !local || !(l ? spend(t, f, l) : asleep(t, PYTHON)) || f->open > 1)
		return answer(0);
	end_function(t, f, 0);
	return answer(1);
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
	struct python_code *c = t && count ? code_of(t, args[0]) : NULL;
	if (unlikely(!c))
		return answer(0);
	end_function(t, c->function, raised);
	if (unlikely(stale()))
		apply(t); /* a window may have ended with this execution */
	return answer(local && was_spent(t, c->function));
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
	struct python_code *c = t && count >= 3 ? code_of(t, args[0]) : NULL;
	if (unlikely(!c))
		return answer(0);
	if (is_c(args[2]))
		begin_c(t, c->function, args[2]);
	return answer(!stale() && was_spent(t, c->function));
}

static object *after_c(object *const *args, ptrdiff_t count, int raised)
{
	struct thread *t = here();
	struct python_code *c = t && count >= 3 && is_c(args[2]) ? code_of(t, args[0]) : NULL;
	if (c)
		end_c(t, c->function, args[2], raised);
	return answer(0);
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

/* take_tool takes one of the tool numbers that are not reserved. */
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

static object *builtin_module(const char *name)
{
	object *modules = python.PySys_GetObject("modules");
	return modules ? python.PyDict_GetItemString(modules, name) : NULL;
}

static void drop_all(object *const *held, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (held[i])
			python.Py_DecRef(held[i]);
}

/* follow_forks registers in_child. */
static int follow_forks(void)
{
	static struct method_def definition = {"in_child", in_child, METH_FASTCALL, NULL};
	object *posix = builtin_module("posix"), *held[5] = {python.PyCFunction_NewEx(&definition, NULL, NULL), python.Py_BuildValue("()")};
	if (posix && held[0] && held[1]) {
		held[2] = python.PyObject_GetAttrString(posix, "register_at_fork");
		held[3] = python.Py_BuildValue("{sO}", "after_in_child", held[0]);
	}
	if (held[2] && held[3])
		held[4] = python.PyObject_Call(held[2], held[1], held[3]);
	drop_all(held, 5);
	return held[4] != NULL;
}

/* await_wake registers on_wake, unless this program was started with the signal ignored. The default
 * action of the signal is nothing, so it harms no process that does not expect it. */
static int await_wake(void)
{
	static struct method_def definition = {"on_wake", on_wake, METH_FASTCALL, NULL};
	object *module = builtin_module("_signal"), *held[3] = {python.PyCFunction_NewEx(&definition, NULL, NULL)};
	if (module && held[0])
		held[1] = python.PyObject_CallMethod(module, "getsignal", "i", SIGURG);
	int unused = held[1] && python.PyLong_AsLong(held[1]) == 0; /* SIG_DFL */
	if (unused)
		held[2] = python.PyObject_CallMethod(module, "signal", "iO", SIGURG, held[0]);
	if (!held[2])
		python.PyErr_Clear();
	drop_all(held, 3);
	return !unused || held[2];
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
	if (!register_callbacks() || !follow_forks() || !await_wake() || !apply(t)) {
		python.PyErr_Clear();
		return PYTHON_NO_INTERFACE;
	}
	return PYTHON_TRACED;
}
