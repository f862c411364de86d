/* The names of functions. Details are stored with the code object. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "python.h"

struct python_api python;

enum { BUCKETS = 4096 };

static struct python_function *functions[BUCKETS];
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

/* A child is not in the executions that its parent is in. */
static void after_fork(void)
{
	pthread_mutex_init(&adding, NULL);
	for (int i = 0; i < BUCKETS; i++)
		for (struct python_function *f = functions[i]; f; f = f->next)
			f->open = 0, f->spent = 0;
}

static __attribute__((constructor)) void prepare(void) { pthread_atfork(NULL, NULL, after_fork); }

/* attribute returns a text that is valid as long as *held. */
static const char *attribute(object *of, const char *name, object **held)
{
	const char *text = NULL;
	if ((*held = python.PyObject_GetAttrString(of, name)))
		text = python.PyUnicode_AsUTF8(*held);
	if (!text)
		python.PyErr_Clear();
	return text;
}

static void drop(object *held)
{
	if (held)
		python.Py_DecRef(held);
}

/* module_name returns the module whose globals the innermost frame has. Code executed separately
 * has none, and modules have no names any more when the interpreter ends. In processes started
 * by multiprocessing, the program's name is __mp_main__. */
static const char *module_name(void)
{
	object *globals = python.PyEval_GetGlobals(), *name = globals ? python.PyDict_GetItemString(globals, "__name__") : NULL;
	const char *text = name ? python.PyUnicode_AsUTF8(name) : NULL;
	if (!text)
		python.PyErr_Clear();
	return !text ? "<none>" : strcmp(text, "__mp_main__") ? text : "__main__";
}

static struct python_function *add(const char *qualname, const char *file, uint32_t line)
{
	char *text;
	if (asprintf(&text, "%s:%u:%s", file, line, qualname) < 0)
		return NULL;
	uint64_t region = name_hash(text);
	struct python_function **at = &functions[region % BUCKETS], *f;
	for (f = *at; f && f->region != region; f = f->next)
		;
	if (f || !(f = calloc(1, sizeof *f))) {
		free(text);
		return f;
	}
	const char *slash = strrchr(file, '/');
	f->region = region, f->place.name = name_hash(qualname), f->path = name_hash(file);
	f->file = text, f->qualname = text + strlen(text) - strlen(qualname), f->line = line;
	text[strlen(file)] = 0;
	f->place.base = slash ? text + (slash + 1 - file) : text;
	f->place.module = strdup(module_name());
	f->events = (1u << PYTHON_IMPORT) - 1;
	if (!strcmp(qualname, "<module>"))
		f->events |= 1u << PYTHON_IMPORT;
	const char *dot = strrchr(f->qualname, '.');
	f->starts_thread = !strcmp(f->place.module, "threading") && !strcmp(dot ? dot + 1 : f->qualname, "start");
	f->next = *at;
	*at = f;
	return f;
}

uint64_t codes_gone;

void code_gone(void *function)
{
	(void)function;
	codes_gone++;
}

/* read_code reads a code object that was not executed before.
 * Until 3.10 it only has its own name, without the enclosing ones. */
static struct python_function *read_code(object *code)
{
	object *qualname_held, *plain_held = NULL, *file_held, *line_held;
	const char *qualname = attribute(code, "co_qualname", &qualname_held);
	if (!qualname)
		qualname = attribute(code, "co_name", &plain_held);
	const char *file = attribute(code, "co_filename", &file_held);
	line_held = python.PyObject_GetAttrString(code, "co_firstlineno");
	long line = line_held ? python.PyLong_AsLong(line_held) : 0;
	struct python_function *f = NULL;
	if (qualname && file) {
		pthread_mutex_lock(&adding);
		f = add(qualname, file, line > 0 ? line : 0);
		pthread_mutex_unlock(&adding);
	}
	if (f && python.code_set(code, python.index, f))
		f = NULL; /* there would be no notice when it is freed */
	if (!line_held || !f)
		python.PyErr_Clear();
	drop(qualname_held), drop(plain_held), drop(file_held), drop(line_held);
	return f;
}

/* meet_code makes a code object known by its address. */
struct python_code *meet_code(object *code, struct python_code *c)
{
	void *f = NULL;
	python.code_get(code, python.index, &f);
	if (!f && !(f = read_code(code)))
		return NULL;
	*c = (struct python_code){.code = code, .gone = codes_gone, .function = f};
	return c;
}

/* callee_of returns the hash of the name of a C function, after introducing it to the collector.
 * The function is identified by its definition and, for a method, its type. */
uint64_t callee_of(struct thread *t, object *callable)
{
	const void *const *own = (const void *const *)((const char *)callable + python.head);
	const void *type = own[0], *definition = own[3]; /* of a descriptor */
	if (type_of(callable) != python.method_descriptor) {
		definition = own[0];
		type = own[1] ? type_of(own[1]) : NULL;
	}
	const void *name = *(const void *const *)definition;
	struct c_callee *c = &t->python.callees[((uintptr_t)definition * 0x9e3779b97f4a7c15ull) >> 56];
	if (unlikely(c->definition != definition || c->type != type || c->name != name)) {
		object *held;
		const char *text = attribute(callable, "__qualname__", &held);
		uint64_t hash = name_hash(text ? text : name);
		c->definition = NULL;
		if (introduce(t, text ? text : name, hash))
			*c = (struct c_callee){definition, type, name, hash};
		drop(held);
		return hash;
	}
	return c->hash;
}
