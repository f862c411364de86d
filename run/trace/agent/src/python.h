/* Declarations shared by the sources for Python. */
#ifndef PENTODE_PYTHON_H
#define PENTODE_PYTHON_H

#include "decide.h"
#include "python_api.h"

/* The numbers of the domain's events in the catalogue. */
enum { PYTHON_START, PYTHON_RETURN, PYTHON_C_START, PYTHON_C_RETURN, PYTHON_IMPORT, PYTHON_EVENTS };

/* A function. Several code objects may be the same function: recompiling it gives an equal one.
 * The function stays when its code objects are gone. */
struct python_function {
	struct python_function *next;
	struct place place;
	uint64_t region, path; /* hashes: of everything that identifies it, and of the file */
	const char *qualname, *file;
	uint32_t line, events; /* events: the events that it can have */
	int starts_thread; /* whether it is the function with which programs start threads */
	uint32_t open; /* executions on all threads; changes under the interpreter's lock */
	_Atomic uint64_t spent; /* a generation of the policy, and in the lower bits the number of threads on which no rule can select it */
};

extern HIDDEN struct python_api python;

extern HIDDEN uint64_t codes_gone; /* freed code objects that had a function; under the interpreter's lock */
HIDDEN void code_gone(void *function);
HIDDEN struct python_code *meet_code(object *code, struct python_code *);
HIDDEN uint64_t callee_of(struct thread *, object *callable);

static inline const void *type_of(const object *o) { return *(const void *const *)((const char *)o + python.head - sizeof(void *)); }

/* is_c reports whether a callable is written in C. */
static inline int is_c(const object *callable)
{
	const void *type = type_of(callable);
	return type == python.c_function || type == python.method_descriptor || type == python.c_method;
}

/* code_of returns what is known about a code object being executed, or NULL. */
static inline struct python_code *code_of(struct thread *t, object *code)
{
	struct python_code *c = &t->python.codes[(uintptr_t)code * 0x9e3779b97f4a7c15ull >> (64 - CODE_BITS)];
	return likely(c->code == code && c->gone == codes_gone) ? c : meet_code(code, c);
}

HIDDEN uint32_t python_thread(struct thread *);
HIDDEN void expect_thread(void);
HIDDEN int spend(struct thread *, struct python_function *, const struct line *);
HIDDEN int is_spent(const struct thread *, const struct python_function *);
HIDDEN struct line *begin_function(struct thread *, struct python_code *);
HIDDEN void end_function(struct thread *, struct python_function *, int raised);
/* caller is the function that calls a C function, or NULL if it is certainly the innermost one. */
HIDDEN void begin_c(struct thread *, const struct python_function *caller, object *callable);
HIDDEN void end_c(struct thread *, const struct python_function *caller, object *callable, int raised);

HIDDEN uint32_t start_monitoring(struct thread *);
HIDDEN void renew_monitoring(int starts_thread);

#endif
