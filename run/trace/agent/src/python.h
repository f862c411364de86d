/* What the sources for Python share. */
#ifndef PENTODE_PYTHON_H
#define PENTODE_PYTHON_H

#include "decide.h"
#include "python_api.h"

/* As the catalogue counts the events of the domain. */
enum { PYTHON_START, PYTHON_RETURN, PYTHON_C_START, PYTHON_C_RETURN, PYTHON_IMPORT, PYTHON_EVENTS };

/* A function, which several code objects may be: one that is compiled again is the same. It
 * stays when they are gone. */
struct function {
	struct function *next;
	struct place place;
	uint64_t region, path; /* hashes: of all that tells it from others, and of the file */
	const char *qualname, *file;
	uint32_t line, events; /* events: those that it can have */
	int starts_thread; /* it is what programs start threads with */
	_Atomic uint32_t open; /* executions on all threads */
	_Atomic uint32_t spent; /* threads on which no rule can choose it any more */
	_Atomic uint64_t spent_at; /* the generation of the policy for which that is so */
};

extern HIDDEN struct python_api python;

HIDDEN struct function *function_of(object *code);
HIDDEN uint64_t callee_of(struct thread *, object *callable);

static inline const void *type_of(const object *o) { return *(const void *const *)((const char *)o + python.head - sizeof(void *)); }

/* is_c reports whether something that is called is written in C. */
static inline int is_c(const object *callable)
{
	const void *type = type_of(callable);
	return type == python.c_function || type == python.method_descriptor || type == python.c_method;
}

HIDDEN uint32_t python_thread(struct thread *);
HIDDEN uint32_t python_threads(void);
HIDDEN struct line *begin_function(struct thread *, struct function *);
HIDDEN void end_function(struct thread *, struct function *, int raised);
/* caller is the function that calls something in C, or NULL where it is the innermost one for sure. */
HIDDEN void begin_c(struct thread *, const struct function *caller, object *callable);
HIDDEN void end_c(struct thread *, const struct function *caller, object *callable, int raised);

HIDDEN uint32_t start_monitoring(struct thread *);
HIDDEN void renew_monitoring(void);

#endif
