/* Declarations shared by the callbacks of the OpenMP runtime. */
#ifndef PENTODE_OMPT_H
#define PENTODE_OMPT_H

#include "module.h"
#include "stack.h"

typedef union { uint64_t value; void *ptr; } data;
typedef void (*function)(void);
typedef int (*set_callback)(int event, function);

enum { BEGIN_OF = 1, END_OF = 2, BEGIN_END_OF = 3 }; /* the endpoint of a scope */

/* The scope state of an implicit task, stored in task_data below the number of the task. */
enum { NO_SCOPE, SHARED_SCOPE, OWN_SCOPE, SCOPE_BITS = 2, SCOPE_MASK = 3 };

/* new_task returns a task number that is unique in this process. */
static inline uint64_t new_task(struct thread *t) { return ((uint64_t)(t->number + 1) << 32 | ++t->tasks) << SCOPE_BITS; }

/* task_id returns the number of a task, or 0 if its begin was not reported. */
static inline uint64_t task_id(const data *task) { return task ? task->value >> SCOPE_BITS : 0; }

HIDDEN void initial(struct thread *);
HIDDEN int ask(struct thread *, unsigned event);
HIDDEN void listen_to_targets(set_callback);

static inline struct thread *awake(void)
{
	struct thread *t = here();
	return t && !asleep(t, OPENMP) ? t : NULL;
}

static inline struct scope *top(struct thread *t) { return t->top; }

/* traced reports whether an event of the current parallel region is traced. */
static inline int traced(struct thread *t, unsigned event)
{
	const struct scope *s = top(t);
	if (unlikely(!s->line || t->audit))
		return ask(t, event);
	if (!s->chosen)
		return 0;
	if (unlikely(!fresh(t, s->line)))
		return ask(t, event);
	return allows(s->line, event);
}

#define OMP(t, type, ...) RECORD(t, type, top(t)->address, top(t)->record, ##__VA_ARGS__)

/* OMP_CALLS is OMP with the calls that led to a region, if the region's line requests them. */
#define OMP_CALLS(t, line, code, type, ...) \
	RECORD_CALLS(t, ((struct origin){code, (line) ? (line)->frames : 0}), type, top(t)->address, top(t)->record, ##__VA_ARGS__)

#endif
