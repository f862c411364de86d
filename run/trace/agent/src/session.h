/* The shared memory as this process sees it, and the data of each thread.
 *
 * The agent runs in the traced program. It decides with tables that the
 * collector publishes in shared memory, and writes traced events into rings
 * there, one for each thread. It starts no thread, and allocates nothing
 * after a thread has claimed its ring.
 *
 *   ompt.c target.c  mpi.c  region.c  cuda*.c nvtx.c  python*.c   sources of events
 *        \     |      /         /
 *      decide.h  decide.c        is this event traced
 *       stack.h  stack.c         and the calls that led to it
 *             |
 *       ring.h  ring.c           the record
 *    monitor.h  monitor.c        or counts and times, without records
 *     module.h  module.c         the file and offset of an address
 *             |
 *    session.h  session.c        shared memory: attach, claim, release, fork
 *             |
 *          layout.h              what the collector reads and writes too
 *
 * Each header includes the one below it, and none above.
 */
#ifndef PENTODE_SESSION_H
#define PENTODE_SESSION_H

#include "layout.h" /* generated from the structs in run/trace/layout */

#define HIDDEN __attribute__((visibility("hidden")))
#define EXPORT __attribute__((visibility("default")))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

/* TABLE is the first row of a table of a policy. */
#define TABLE(p, rows, type) ((const struct type *)((const char *)(p) + (p)->rows.at))

/* A region on one thread: its counters, and the policy's
 * decisions about it on this thread. One cache line. */
struct line {
	uint32_t counter, traced, since;
	uint32_t start, max, every;
	uint32_t stamp; /* the thread's stamp when the policy was copied */
	uint8_t mode, chosen, ends : 1, frames : 7, domain; /* frames: the number of calls recorded with it */
	uint64_t allowed[WORDS];
};

/* An execution of a parallel region, as a thread of its team sees it. */
struct scope {
	uint64_t address;
	uint64_t execution; /* the same for the whole team */
	const struct scope *first; /* the scope of the thread that met the region, to which parallel_data points */
	struct line *line;
	uint64_t since; /* when it began, if it is monitored */
	uint32_t record, thread, team, inners; /* inners: the number of worksharing and masked regions that the thread is in */
	uint8_t chosen, league;
};

/* A worksharing or masked region that a thread is in. */
struct inner {
	struct line *line; /* if it has separate counters */
	uint64_t address, since;
};

/* An execution of a program's own region that is traced or monitored, and has not ended. */
struct opened {
	uint32_t line, depth, number, traced;
	uint64_t since;
};

/* A name that the program has given a region, by the address of the text: usually the same text is there the
 * next time, and comparing is faster than hashing. One cache line. */
struct region_name {
	const char *at;
	uint64_t hash;
	struct line *line;
	char text[40]; /* longer names are hashed each time */
};

enum { MAX_REGIONS = 1 << 15, MAX_DEPTH = 64, MAX_INNERS = 4, MAX_OPENED = 1 << 16, NAME_BITS = 6 };

/* The hashes of the names of a region that has several. */
enum { MAX_CALLED = 32 };
struct called {
	uint32_t count;
	uint64_t names[MAX_CALLED];
};

/* What sections can refer to in a Python function: the hash of its name, its file without folders, its module. */
struct place {
	uint64_t name;
	const char *base, *module;
};

enum { MAX_FUNCTIONS = 2048 }; /* of CUDA's driver and of its runtime, in CUPTI's numbering */
struct kernel;
struct seen_kernel { const char *symbol; uint64_t key; struct line *line; };

/* The CUDA calls that a thread is in, and what it has met. */
struct gpu {
	/* The fields that each call reads are next to each other. */
	uint32_t context, device, unloads; /* unloads: the number of unloaded modules when kernels was filled */
	uint32_t depth; /* of ranges */
	struct gpu_call { struct line *line; uint64_t key, since; uint32_t recorded; } driver, runtime, ranges[64]; /* ranges are NVTX ranges */
	struct line *events[64];
	uint64_t introduced[3 * MAX_FUNCTIONS / 64]; /* functions whose names the collector knows, one bit each */
	uint64_t texts[64]; /* other names that the collector knows */
	struct seen_kernel kernels[128];
};

struct python_function;

/* An execution of a Python function that has not ended, and the events recorded of it. */
struct python_call {
	struct python_function *function;
	struct line *line;
	uint64_t since;
	uint32_t number, bits;
};

/* A code object that a thread has executed recently, by its address. */
struct python_code {
	const void *code;
	uint64_t gone; /* the number of freed code objects at that time: another one may have the same address by now */
	struct python_function *function;
	struct line *line; /* NULL until it is counted */
};

/* A C function that Python calls, by its definition, and its name, which the collector knows. */
struct c_callee {
	const void *definition, *type, *name;
	uint64_t hash;
};

enum { MAX_PYTHON_DEPTH = 1 << 16, CODE_BITS = 10 };

/* The Python state of a thread. */
struct python_thread {
	uint32_t numbered; /* 1 + its number among the threads that run Python */
	uint32_t profiled; /* whether it has the agent's profile function */
	uint32_t depth, beyond; /* the depth of calls, and the number of calls for which there is no room */
	uint64_t spent_at; /* the generation for which spent is valid */
	uint64_t introduced[MAX_REGIONS / 64], spent[MAX_REGIONS / 64]; /* by line: functions that the collector knows; functions that no rule can select */
	struct python_code codes[1 << CODE_BITS];
	struct c_callee callees[256];
	struct python_call calls[MAX_PYTHON_DEPTH];
};

struct thread {
	char *ring;
	uint64_t head, free_until, mask;
	uint64_t mapped, mapped_all; /* the end of the mapped pages of the ring, and whether all are mapped */
	struct slot *slot;
	void (*leave)(struct thread *); /* called when the thread ends, unless NULL */
	struct scope *top; /* the innermost scope */
	uint64_t seen; /* the generation of the policy that it has read */
	uint32_t stamp, audit, lost; /* lost: whether a record was dropped */
	uint32_t depth, executions, woken;
	uint32_t regions, number, window, quiet; /* quiet: domains in which nothing is counted, one bit each */
	uint64_t epoch;
	uint32_t stretch, in_gap; /* the number of the thread's stretch (a measuring interval), and whether it is a gap, without recording */
	uint32_t waited; /* executions that began since the stretch was over, until the anchor begins */
	const struct line *anchor; /* the region at which its stretches begin and end */
	uint64_t begun, begun_before, spent_before; /* executions begun so far; the same number, and the thread's time, when the stretch began */
	uint32_t ids[MAX_KINDS];
	char text[256]; /* the last knob that was read as text */
	uint64_t introduced[16]; /* MPI functions whose names the collector knows, one bit each */
	struct { uint32_t stamp; uint64_t events[WORDS]; } views[DOMAINS];
	struct scope scopes[MAX_DEPTH];
	struct inner inners[MAX_DEPTH][MAX_INNERS]; /* of each scope */
	uint32_t tasks; /* how many have a number */
	uint32_t monitored_rows; /* the number of rows that there is room for */
	struct monitored *monitored; /* by line, from 1 on */
	uint32_t open, opened_count; /* executions of the program's own regions: all, and those in opened */
	struct opened opened[MAX_OPENED];
	uint32_t depths[MAX_REGIONS]; /* by line: executions that have begun and not ended */
	struct gpu gpu __attribute__((aligned(64)));
	struct python_thread python;
	uint64_t keys[MAX_REGIONS];
	uint64_t names[MAX_REGIONS]; /* for MPI the hash of the call's name, which identifies it for an installed PInsight; for a kernel a struct called; for Python a struct place */
	struct region_name region_names[1 << NAME_BITS] __attribute__((aligned(64)));
	struct line lines[MAX_REGIONS] __attribute__((aligned(64)));
	uint32_t index[2 * MAX_REGIONS]; /* 1 + the line */
};

extern HIDDEN struct session *session;
extern HIDDEN struct process *process;
extern HIDDEN _Thread_local struct thread *self __attribute__((tls_model("initial-exec")));
HIDDEN int attached(void);
HIDDEN struct thread *claim(void);
HIDDEN struct thread *open_ring(uint32_t number);
HIDDEN void release(struct thread *);
HIDDEN unsigned slot_number(const struct thread *);
HIDDEN int shared_memory(void); /* its descriptor */
HIDDEN int collector_lives(uint64_t *beat, int *quiet);
HIDDEN const struct policy *read_policy(struct thread *);
HIDDEN void stop_reading(struct thread *);

static inline struct thread *here(void)
{
	struct thread *t = self;
	return likely(t != NULL) ? t : claim();
}

#endif
