/* What the files of the agent share.
 *
 * The agent lives in the traced program. It decides with tables that the
 * collector publishes in shared memory, and writes what is traced into rings
 * there, one for each thread. It starts no thread, and after a thread has
 * claimed its ring it allocates nothing.
 *
 *   ompt.c   mpi.c   region.c      where events come from
 *        \     |      /
 *         decide.c               is this event traced
 *             |
 *          ring.c                the record
 *             |
 *         session.c              shared memory: attach, claim, release, fork
 */
#ifndef PENTODE_AGENT_H
#define PENTODE_AGENT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "records.h" /* made from the table in records.go */

#define HIDDEN __attribute__((visibility("hidden")))
#define EXPORT __attribute__((visibility("default")))
#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)

enum { OPENMP, MPI, USER, DOMAINS };
enum { OFF = 1, STANDBY, MONITORING, TRACING };

/* The shared memory. run/trace/collect/layout.go has the same offsets. */
enum {
	MAGIC = 0x43525450, LAYOUT = 2,
	PROCESSES_AT = 4096, MAX_PROCESSES = 512,
	SLOTS_AT = 128 << 10, MAX_SLOTS = 4096,
	POLICIES_AT = 2 << 20, POLICIES_END = 66 << 20,
};

struct session {
	uint32_t magic, layout;
	_Atomic uint64_t policy; /* the current one: its number << 32 | where it begins. One word, since both change at once */
	uint64_t spare[2];
	uint32_t slots, ring_bytes;
	uint64_t rings_at;
	uint32_t clock; /* 0: CLOCK_MONOTONIC in nanoseconds, 1: the processor's time stamp counter */
	uint32_t wait;  /* a full ring: wait instead of dropping */
	uint32_t audit;
	_Atomic uint32_t closed;  /* the collector has ended */
	_Atomic uint32_t no_slot; /* threads that found no free ring */
	_Atomic uint32_t no_room; /* threads whose ring found no memory */
	uint32_t team, thread, rank; /* the kinds of unit that the agent counts */
	uint32_t upstream;           /* decide as an installed PInsight does */
	_Atomic uint64_t offered;    /* the OpenMP events that the runtime has, by id */
	char pad[32];
	_Atomic uint64_t heartbeat; /* the collector writes it all the time */
	char rest[56];
};

struct process {
	_Atomic uint32_t state; /* 0 free, 1 in use, 2 ended */
	uint32_t pid;
	_Atomic uint32_t rank;
	_Atomic uint32_t threads;   /* how many have been numbered */
	_Atomic uint32_t signals;   /* SIGUSR1s so far */
	_Atomic uint32_t ended;     /* 1 + the window end that asks for the collector */
	_Atomic uint32_t paused;    /* threads wait while this is not 0 */
	_Atomic uint32_t window;    /* grows when windows begin anew */
	_Atomic uint64_t modes;     /* epoch << 32 | domains set by a window end << 16 | 4 bits for each mode */
	uint64_t base;              /* what the program's own addresses are moved by */
	char pad[16];
	_Atomic uint64_t generation; /* grows with every change of policy or mode: the one word all threads read */
	char rest[56];
};

struct slot {
	_Atomic uint32_t state; /* 0 free, 1 in use, 2 to be drained */
	uint32_t process, pid, tid, thread, serial;
	_Atomic uint32_t ready; /* the ring has memory */
	char pad0[36];
	_Atomic uint64_t head; /* bytes written */
	_Atomic uint64_t dropped;
	char pad1[48];
	_Atomic uint64_t tail; /* bytes read */
	char pad2[56];
	_Atomic uint64_t reading; /* the epoch of the policy that is being read, else 0 */
	char pad3[56];
};

/* What an event writes, what it reads, and what the collector writes are in
 * cache lines of their own. */
#define LINE_OF(type, field) (offsetof(struct type, field) / 64)
_Static_assert(sizeof(struct session) == 192 && LINE_OF(session, heartbeat) == 2 && LINE_OF(session, clock) == 0, "session");
_Static_assert(sizeof(struct process) == 128 && offsetof(struct process, generation) == 64, "processes");
_Static_assert(sizeof(struct slot) == 256 && LINE_OF(slot, head) == 1 && LINE_OF(slot, tail) == 2 && LINE_OF(slot, reading) == 3, "slots");

/* The policy's tables. run/trace/flat.go writes them. */
struct policy {
	uint32_t magic, size;
	struct { uint32_t at, count; } sections, wheres, tests, spans, changes, rules, ends, entries, slots, ranges, names, knobs;
	struct domain {
		uint32_t mode, limits, fallback, first_section, sections, spare;
		uint64_t base[4];
	} domains[DOMAINS];
};
struct section { uint32_t where, change; };
struct where { uint32_t first, count; };
struct test { uint32_t kind, first, count; };
struct interval { uint32_t low, high; };
struct change { uint64_t named[4], value[4]; };
struct rule { uint32_t change, where, end, start, max, every; };
struct window_end { uint32_t all, introspect, modes[DOMAINS]; }; /* introspect: 1 without a pause, 2 with one */
struct entry { uint64_t address; uint32_t rules[DOMAINS], domain; }; /* domain: DOMAINS is any */
struct range { uint64_t low, high; uint32_t entry, spare; };
struct name { uint64_t hash; uint32_t entry, spare; };
struct knob { char name[64]; uint32_t type, spare; int64_t integer; double number; char text[256]; };

#define TABLE(p, table, type) ((const struct type *)((const char *)(p) + (p)->table.at))

/* A region on one thread: its counters, and what the policy says about it
 * there. One cache line. */
struct line {
	uint32_t counter, traced, since;
	uint32_t start, max, every;
	uint32_t stamp; /* the thread's stamp when the policy was folded in */
	uint8_t mode, chosen, ends, domain;
	uint64_t allowed[4];
};

/* An execution of a parallel region, as a thread of its team sees it. */
struct scope {
	uint64_t address;
	uint64_t execution; /* the same for the whole team */
	const struct scope *first; /* that of the thread which met the region: what parallel_data holds */
	struct line *line;
	struct line *work; /* of the worksharing or masked region with counters of its own */
	uint64_t work_address;
	uint32_t record, thread, team;
	uint8_t chosen, league;
};

enum { MAX_REGIONS = 1 << 15, MAX_KINDS = 32, MAX_DEPTH = 64 };

struct thread {
	char *ring;
	uint64_t head, free_until, mask;
	struct slot *slot;
	struct scope *top; /* of scopes: what the thread is in */
	uint64_t seen; /* generation */
	uint32_t stamp, audit;
	uint32_t depth, executions, woken;
	uint32_t regions, number, window, quiet; /* quiet: domains in which nothing is counted, one bit each */
	uint64_t epoch;
	uint32_t ids[MAX_KINDS];
	char text[256]; /* the last knob that was asked for as text */
	struct { uint32_t stamp; uint64_t events[4]; } views[DOMAINS];
	struct scope scopes[MAX_DEPTH];
	uint64_t keys[MAX_REGIONS];
	uint64_t names[MAX_REGIONS]; /* the hash of an MPI call's name, by which an installed PInsight knows it */
	struct line lines[MAX_REGIONS] __attribute__((aligned(64)));
	uint32_t index[2 * MAX_REGIONS]; /* 1 + the line */
};

/* session.c */
extern HIDDEN struct session *session;
extern HIDDEN struct process *process;
extern HIDDEN _Thread_local struct thread *self __attribute__((tls_model("initial-exec")));
HIDDEN struct thread *claim(void);
HIDDEN void release(struct thread *);
HIDDEN int collector_lives(uint64_t *beat, int *quiet);
HIDDEN uint64_t relative(const void *address);
HIDDEN const struct policy *read_policy(struct thread *);
HIDDEN void stop_reading(struct thread *);

static inline struct thread *here(void)
{
	struct thread *t = self;
	return likely(t != NULL) ? t : claim();
}

/* decide.c */
HIDDEN struct line *find_line(struct thread *, unsigned domain, uint64_t key);
HIDDEN void renew(struct thread *, struct line *, uint64_t key);
HIDDEN void set_id(struct thread *, unsigned kind, uint32_t id);
HIDDEN int names_address(struct thread *, uint64_t address);
HIDDEN uint64_t name_hash(const char *name);
HIDDEN void end_window(struct thread *, struct line *, uint64_t key);
HIDDEN void pause_here(void);

static inline void check_pause(void)
{
	if (unlikely(atomic_load_explicit(&process->paused, memory_order_relaxed)))
		pause_here();
}

/* The steps of a decision, as --audit records them. */
enum step { BEGIN, DUE, ALLOW, DECIDE, END, UNIT };
HIDDEN void audit_step(struct thread *, enum step, unsigned domain, unsigned event, int decision, int chosen, struct line *, uint64_t key, uint64_t execution);

static inline uint64_t key_of(unsigned domain, uint64_t address) { return (address & ~(0xffull << 56)) | (uint64_t)domain << 56; }

/* fresh reports whether a line holds what the policy says now. */
static inline int fresh(const struct thread *t, const struct line *l)
{
	return likely(t->seen == atomic_load_explicit(&process->generation, memory_order_acquire) && l->stamp == t->stamp);
}

static inline void freshen(struct thread *t, struct line *l, uint64_t key)
{
	if (!fresh(t, l))
		renew(t, l, key);
}

/* asleep reports whether nothing happens in a domain: its mode is OFF or STANDBY. */
static inline int asleep(struct thread *t, unsigned domain)
{
	return (t->quiet >> domain & 1) && t->seen == atomic_load_explicit(&process->generation, memory_order_acquire);
}

static inline int due(const struct line *l)
{
	return l->since >= l->every && l->start <= l->counter - 1 && (l->max == UINT32_MAX || l->traced < l->max);
}

static inline int allows(const struct line *l, unsigned event) { return l->allowed[event >> 6] >> (event & 63) & 1; }

static inline void begin_line(struct thread *t, struct line *l, uint64_t key)
{
	freshen(t, l, key);
	l->chosen = 0;
	if (l->mode >= MONITORING) {
		l->counter++;
		l->since++;
	}
	if (unlikely(t->audit))
		audit_step(t, BEGIN, key >> 56, 0, 0, 0, l, key, 0);
}

/* decide is for regions whose one event decides: MPI calls, a program's own regions, worksharing with an address. */
static inline int decide(struct thread *t, struct line *l, uint64_t key, unsigned event)
{
	freshen(t, l, key);
	int yes = allows(l, event) && due(l);
	l->chosen |= yes;
	if (unlikely(t->audit))
		audit_step(t, DECIDE, key >> 56, event, yes, 0, l, key, 0);
	return yes;
}

static inline void end_line(struct thread *t, struct line *l, uint64_t key)
{
	if (l->chosen)
		freshen(t, l, key);
	if (unlikely(t->audit))
		audit_step(t, END, key >> 56, 0, l->chosen, 0, l, key, 0);
	if (!l->chosen)
		return;
	l->chosen = 0;
	if (l->mode != TRACING)
		return;
	l->traced++;
	l->since = 0;
	if (l->ends && l->traced >= l->max)
		end_window(t, l, key);
}

/* ring.c */
struct record {
	uint64_t time;
	uint16_t type, words;
	uint32_t number;
	uint32_t team, thread;
	uint64_t address;
	uint64_t payload[];
};
HIDDEN int make_room(struct thread *, uint64_t bytes);
HIDDEN uint64_t monotonic(void);

static inline uint64_t now(void)
{
#if defined(__x86_64__)
	if (likely(session->clock == 1))
		return __builtin_ia32_rdtsc();
#endif
	return monotonic();
}

/* reserve returns room for a record with this many words of payload, or NULL. */
static inline struct record *reserve(struct thread *t, unsigned type, unsigned payload, uint64_t address, uint32_t number)
{
	uint64_t bytes = sizeof(struct record) + 8 * payload;
	if (unlikely(t->head + bytes > t->free_until || (t->head & t->mask) + bytes > t->mask + 1) && !make_room(t, bytes))
		return NULL;
	struct record *r = (struct record *)(t->ring + (t->head & t->mask));
	r->time = now();
	r->type = type;
	r->words = bytes / 8;
	r->number = number;
	r->team = t->top->team;
	r->thread = t->top->thread;
	r->address = address;
	return r;
}

static inline void commit(struct thread *t, const struct record *r)
{
	t->head += 8 * r->words;
	atomic_store_explicit(&t->slot->head, t->head, memory_order_release);
}

#define RECORD(t, type, address, number, ...)                                         \
	do {                                                                              \
		const uint64_t payload_[] = {0, ##__VA_ARGS__};                               \
		struct record *r_ = reserve(t, type, sizeof payload_ / 8 - 1, address, number); \
		if (likely(r_ != NULL)) {                                                     \
			__builtin_memcpy(r_->payload, payload_ + 1, sizeof payload_ - 8);         \
			commit(t, r_);                                                            \
		}                                                                             \
	} while (0)

#endif
