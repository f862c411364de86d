/* How the agent gets into Python. The interpreter calls audit hooks, which can be added before
 * it runs, for everything it does, also when it is about to run the program. Python's own start
 * is not changed: neither its paths nor its imports. Until 3.11 a profile function in each
 * thread reports calls; from 3.12 on sys.monitoring does. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "python.h"

enum { OLDEST = 9, FIRST_WITH_MONITORING = 12 };

static int started, traced; /* in this process, or in the process it was forked from */
static int monitors; /* whether sys.monitoring is used */
static object *thread_hook; /* the function that Python's module threading calls in each new thread */
static _Thread_local int setting __attribute__((tls_model("initial-exec"))); /* whether the profile function is being set on this thread */

static int find_functions(void)
{
	int missing = 0;
#define FIND(type, name, parameters) *(void **)&python.name = dlsym(RTLD_DEFAULT, #name);
#define MUST(type, name, parameters) missing += !python.name;
#define FIND_EITHER(type, name, parameters, first, second)       \
	if (!(*(void **)&python.name = dlsym(RTLD_DEFAULT, first)))  \
		*(void **)&python.name = dlsym(RTLD_DEFAULT, second);
#define MUST_EITHER(type, name, parameters, first, second) missing += !python.name;
	PYTHON_NEEDED(FIND)
	PYTHON_NEEDED(MUST)
	PYTHON_RENAMED(FIND_EITHER)
	PYTHON_RENAMED(MUST_EITHER)
	python.none = dlsym(RTLD_DEFAULT, "_Py_NoneStruct");
	python.c_function = dlsym(RTLD_DEFAULT, "PyCFunction_Type");
	python.c_method = dlsym(RTLD_DEFAULT, "PyCMethod_Type");
	python.method_descriptor = dlsym(RTLD_DEFAULT, "PyMethodDescr_Type");
	return !missing && python.none && python.c_function && python.method_descriptor;
}

/* measure_objects asks Python for the size of an empty
 * object, which depends on how Python was built. */
static int measure_objects(void)
{
	object *base = dlsym(RTLD_DEFAULT, "PyBaseObject_Type"), *size = base ? python.PyObject_GetAttrString(base, "__basicsize__") : NULL;
	long bytes = size ? python.PyLong_AsLong(size) : 0;
	if (size)
		python.Py_DecRef(size);
	python.head = bytes;
	return bytes >= 16 && bytes <= 64;
}

static void hook_threads(void);

static int on_profile(object *self, object *frame, int what, object *arg)
{
	(void)self;
	struct thread *t = here();
	if (unlikely(!t))
		return 0;
	switch (what) {
	case PY_CALL:
	case PY_RETURN: {
		object *code = python.PyFrame_GetCode(frame);
		struct python_code *c = code_of(t, code);
		python.Py_DecRef(code);
		if (unlikely(!c))
			break;
		if (unlikely(c->function->starts_thread) && what == PY_CALL)
			hook_threads();
		if (what == PY_CALL)
			begin_function(t, c);
		else
			end_function(t, c->function, arg == NULL);
		break;
	}
	case PY_C_CALL:
		begin_c(t, NULL, arg);
		break;
	case PY_C_RETURN:
	case PY_C_RAISED:
		end_c(t, NULL, arg, what == PY_C_RAISED);
	}
	return 0;
}

/* profile_here sets the profile function of this thread. */
static void profile_here(struct thread *t)
{
	setting = 1;
	python.PyEval_SetProfile(on_profile, NULL);
	setting = 0;
	t->python.profiled = 1;
}

/* on_thread is the profile function of a new thread for
 * its first event, the call of the thread's function. */
static object *on_thread(object *self, object *const *args, ptrdiff_t count)
{
	struct thread *t = here();
	const char *event = count == 3 ? python.PyUnicode_AsUTF8(args[1]) : NULL;
	if (t && event) {
		profile_here(t);
		if (!strcmp(event, "call"))
			on_profile(self, args[0], PY_CALL, NULL);
	}
	python.Py_IncRef(python.none);
	return python.none;
}

/* hook_threads makes the module threading call on_thread
 * in new threads, unless the program has set another hook. */
static void hook_threads(void)
{
	static struct method_def definition = {"pentode", on_thread, METH_FASTCALL, NULL};
	object *modules = python.PySys_GetObject("modules"), *threading = modules ? python.PyDict_GetItemString(modules, "threading") : NULL;
	object *have = threading ? python.PyObject_GetAttrString(threading, "_profile_hook") : NULL;
	if (!thread_hook)
		thread_hook = python.PyCFunction_NewEx(&definition, NULL, NULL);
	if (have && have != python.none && have != thread_hook)
		atomic_fetch_or(&session->python, 1u << PYTHON_TAKEN);
	if (!have || !thread_hook || (have == python.none && python.PyObject_SetAttrString(threading, "_profile_hook", thread_hook)))
		python.PyErr_Clear();
	if (have)
		python.Py_DecRef(have);
}

static uint32_t start(struct thread *t)
{
	int complete = find_functions();
	if (!python.Py_GetVersion)
		return PYTHON_NO_INTERFACE;
	const char *version = python.Py_GetVersion();
	char *dot;
	long major = strtol(version, &dot, 10), minor = *dot ? strtol(dot + 1, NULL, 10) : 0;
	if (major != 3 || minor < OLDEST)
		return PYTHON_TOO_OLD;
	if (strstr(version, "free-threading"))
		return PYTHON_FREE; /* data about functions are protected by the interpreter's lock */
	if (!complete)
		return PYTHON_NO_INTERFACE;
	if (python.PyInterpreterState_GetID(python.PyInterpreterState_Get()) != 0)
		return PYTHON_UNKNOWN; /* an interpreter within another */
	if (!measure_objects() || (python.index = python.code_index(code_gone)) < 0) {
		python.PyErr_Clear();
		return PYTHON_NO_INTERFACE;
	}
	python_thread(t); /* the first thread runs the program */
	if (minor >= FIRST_WITH_MONITORING) {
		monitors = 1;
		return start_monitoring(t);
	}
	profile_here(t);
	return PYTHON_TRACED;
}

static void begin(void)
{
	started = 1;
	struct thread *t = here();
	if (!t || reach(t, PYTHON).mode == OFF)
		return;
	uint32_t state = start(t);
	traced = state == PYTHON_TRACED;
	atomic_fetch_or(&session->python, 1u << state);
}

/* on_audit is called before the interpreter does something, and allows it. */
static int on_audit(const char *event, object *args, void *unused)
{
	(void)args, (void)unused;
	if (!started) {
		if (!strncmp(event, "cpython.run_", 12))
			begin();
	} else if (!traced || !strncmp(event, "cpython.", 8)) {
		; /* tracing was not started, or the interpreter ends */
	} else if (monitors) {
		renew_monitoring(!strncmp(event, "_thread.start", 13));
	} else if (!strcmp(event, "sys.setprofile") && !setting && self && self->python.profiled) {
		self->python.profiled = 0;
		atomic_fetch_or(&session->python, 1u << PYTHON_TAKEN);
	}
	return 0;
}

/* Only programs that are linked to Python are
 * considered; a program that loads Python later is not. */
static __attribute__((constructor)) void listen(void)
{
	int (*add)(audit_hook, void *) = (int (*)(audit_hook, void *))dlsym(RTLD_DEFAULT, "PySys_AddAuditHook");
	if (add && getenv("PENTODE_TRACE"))
		add(on_audit, NULL);
}
