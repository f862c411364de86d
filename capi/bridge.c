// C functions that Go calls.
#define _GNU_SOURCE

#include "bridge.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

void bridge_write(const char *text, size_t length)
{
	fwrite(text, 1, length, stdout);
	fflush(stdout);
}

void *bridge_find(const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name);
	return found ? found : dlsym(dlopen(NULL, RTLD_NOW), name); // search the program itself, so that dlerror names it
}

int bridge_comm_c2f(void *function, const void *comm)
{
	return ((int (*)(void *))function)(*(void *const *)comm);
}

void bridge_comm_f2c(void *function, int number, void *comm)
{
	*(void **)comm = ((void *(*)(int))function)(number);
}

// interpreter is the path of the Python interpreter that the library belongs to, from which it
// finds its modules. If empty, the library finds them without it.
static char interpreter[4096];

// read_line reads a line without its line end.
static void read_line(FILE *file, char *line, int size)
{
	if (!fgets(line, size, file)) line[0] = 0;
	line[strcspn(line, "\n")] = 0;
}

// python returns the library of Python: the program's, or else the one named by
// PENTODE_LIBPYTHON or by the installation.
static void *python(void)
{
	static void *library;
	if (library) return library;
	if (dlsym(RTLD_DEFAULT, "Py_IsInitialized")) return library = dlopen(NULL, RTLD_LAZY);
	const char *name = getenv("PENTODE_LIBPYTHON");
	if (name) return library = dlopen(name, RTLD_LAZY | RTLD_GLOBAL);

	Dl_info self;
	char path[4096], line[4096];
	if (!dladdr((void *)python, &self) || !strrchr(self.dli_fname, '/')) return NULL;
	snprintf(path, sizeof path, "%.*s/pdi/libpython", (int)(strrchr(self.dli_fname, '/') - self.dli_fname), self.dli_fname);
	FILE *file = fopen(path, "r");
	if (!file) return NULL;
	read_line(file, line, sizeof line);
	read_line(file, interpreter, sizeof interpreter);
	fclose(file);
	return library = dlopen(line, RTLD_LAZY | RTLD_GLOBAL);
}

// name_interpreter sets the path of the interpreter that Python assumes.
static void name_interpreter(void *library)
{
	wchar_t *(*decode)(const char *, size_t *) = (wchar_t * (*)(const char *, size_t *)) dlsym(library, "Py_DecodeLocale");
	void (*name)(const wchar_t *) = (void (*)(const wchar_t *))dlsym(library, "Py_SetProgramName");
	if (!interpreter[0] || !decode || !name) return;
	wchar_t *text = decode(interpreter, NULL); // Python keeps this memory
	if (text) name(text);
}

int bridge_python(const char *code)
{
	void *library = python();
	if (!library) return 2;
	int (*is_initialised)(void) = (int (*)(void))dlsym(library, "Py_IsInitialized");
	void (*initialise)(int) = (void (*)(int))dlsym(library, "Py_InitializeEx");
	void *(*save)(void) = (void *(*)(void))dlsym(library, "PyEval_SaveThread");
	int (*ensure)(void) = (int (*)(void))dlsym(library, "PyGILState_Ensure");
	void (*release)(int) = (void (*)(int))dlsym(library, "PyGILState_Release");
	int (*run)(const char *, void *) = (int (*)(const char *, void *))dlsym(library, "PyRun_SimpleStringFlags");
	if (!is_initialised || !initialise || !save || !ensure || !release || !run) return 2;
	if (!is_initialised()) {
		name_interpreter(library);
		initialise(0); // the program keeps its signal handlers
		save();        // so that any thread of the program can call Python next
	}
	int state = ensure();
	struct bridge_call call = bridge_call;
	bridge_call = (struct bridge_call){NULL, NULL};
	int failed = run(code, NULL);
	bridge_call = call;
	release(state);
	return failed ? 1 : 0;
}

static struct yaml_mark mark(const uint32_t at[3])
{
	struct yaml_mark m = {at[0], at[1], at[2]};
	return m;
}

// fill makes one node. libyaml frees every part of a document separately, so each is allocated
// with malloc.
static int fill(struct yaml_node_s *to, const struct bridge_node *from, const int32_t *list, const char *text)
{
	static const char *const tags[] = {NULL, "tag:yaml.org,2002:str", "tag:yaml.org,2002:seq", "tag:yaml.org,2002:map"};
	to->type = from->type;
	to->tag = strdup(tags[from->type]);
	to->start_mark = mark(from->start);
	to->end_mark = mark(from->end);
	size_t count = from->count, room = count ? count : 1;
	switch (from->type) {
	case NODE_SCALAR:
		to->data.scalar.style = from->style;
		to->data.scalar.length = count;
		to->data.scalar.value = malloc(count + 1);
		if (!to->data.scalar.value) return 0;
		memcpy(to->data.scalar.value, text + from->first, count);
		to->data.scalar.value[count] = 0;
		break;
	case NODE_SEQUENCE:
		to->data.sequence.style = from->style;
		to->data.sequence.start = malloc(room * sizeof(int));
		if (!to->data.sequence.start) return 0;
		memcpy(to->data.sequence.start, list + from->first, count * sizeof(int));
		to->data.sequence.top = to->data.sequence.start + count;
		to->data.sequence.end = to->data.sequence.start + room;
		break;
	case NODE_MAPPING:
		to->data.mapping.style = from->style;
		to->data.mapping.start = malloc(room * sizeof(struct yaml_pair));
		if (!to->data.mapping.start) return 0;
		memcpy(to->data.mapping.start, list + from->first, count * sizeof(struct yaml_pair));
		to->data.mapping.top = to->data.mapping.start + count;
		to->data.mapping.end = to->data.mapping.start + room;
		break;
	}
	return to->tag != NULL;
}

struct yaml_document_s *bridge_document(const struct bridge_node *nodes, size_t count, const int32_t *list, const char *text)
{
	struct yaml_document_s *d = calloc(1, sizeof *d);
	if (!d) return NULL;
	d->start = calloc(count ? count : 1, sizeof *d->start);
	if (!d->start) {
		free(d);
		return NULL;
	}
	d->top = d->start + count;
	d->end = d->start + (count ? count : 1);
	d->start_implicit = d->end_implicit = 1;
	for (size_t i = 0; i < count; i++) {
		if (!fill(d->start + i, nodes + i, list, text)) abort(); // out of memory
	}
	if (count) {
		d->start_mark = d->start->start_mark;
		d->end_mark = d->start->end_mark;
	}
	return d;
}
