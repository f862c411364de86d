/* MPI, traced through its profiling interface. calls.h is generated
 * from the table in mpi.go and from the functions in mpi.h. It has
 * one function for each call, in C and under Fortran's names. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "events.h" /* generated from the catalogue and mpi.h */
#include "module.h"
#include "stack.h"

struct call {
	struct thread *thread;
	struct line *line;
	uint64_t address, since;
	struct origin origin; /* for the first record */
	int traced;
};

/* Fortran's functions may call C functions, and C functions
 * may call each other: only the outermost call counts. */
static _Thread_local int inside __attribute__((tls_model("initial-exec")));

/* note is RECORD as a function: an MPI call costs more than a
 * function call, and hundreds of calls have to be compiled. */
static __attribute__((noinline)) void note(struct call *c, unsigned type, unsigned count, const uint64_t *payload)
{
	if (unlikely(c->origin.frames)) {
		record_calls(c->thread, type, count, payload, c->address, 0, c->origin);
		c->origin.frames = 0;
		return;
	}
	struct record *r = reserve(c->thread, type, count, c->address, 0);
	if (!r)
		return;
	memcpy(payload_of(r), payload, 8 * count);
	commit(c->thread, r);
}

#define NOTE(c, type, ...) note(c, type, sizeof((uint64_t[]){0, ##__VA_ARGS__}) / 8 - 1, (const uint64_t[]){0, ##__VA_ARGS__} + 1)

static const char *const call_names[256]; /* by event; in calls.h */

static __attribute__((noinline)) int call_begin(struct call *c, unsigned event, const void *from)
{
	c->thread = NULL;
	c->traced = 0;
	if (inside++)
		return 0;
	struct thread *t = here();
	if (!t)
		return 0;
	check_pause();
	if (asleep(t, MPI))
		return 0;
	c->address = relative(from);
	uint64_t key = key_of(MPI, c->address);
	if (!(c->line = find_line(t, MPI, key)))
		return 0;
	if (unlikely(session->upstream))
		t->names[c->line - t->lines] = name_hash(call_names[event]);
	c->thread = t;
	begin_line(t, c->line, key);
	c->since = monitor_begin(c->line);
	c->origin = (struct origin){from, c->line->frames};
	return c->traced = heard(t, decide(t, c->line, key, event));
}

static __attribute__((noinline)) void call_end(struct call *c)
{
	inside--;
	if (!c->thread)
		return;
	uint64_t key = key_of(MPI, c->address);
	monitor_end(c->thread, c->line, key, c->since);
	end_line(c->thread, c->line, key);
}

/* next_of returns the next library's function with one of these names. */
static void *next_of(const char *name, ...)
{
	void *found = NULL;
	va_list names;
	va_start(names, name);
	for (; name && !found; name = va_arg(names, const char *))
		found = dlsym(RTLD_NEXT, name);
	va_end(names);
	return found;
}

extern const char *const other_names[]; /* by number; in calls.h */

/* other_hash returns the hash of the name of a function without
 * separate records, after introducing it to the collector. */
static uint64_t other_hash(struct thread *t, unsigned number)
{
	uint64_t hash = name_hash(other_names[number]), bit = 1ull << (number & 63), *known = &t->introduced[number >> 6 & 15];
	if (!(*known & bit) && introduce(t, other_names[number], hash) && number < 64 * 16)
		*known |= bit;
	return hash;
}

/* An installed PInsight does not know these functions. */
static __attribute__((noinline)) void other_begin(struct call *c, unsigned number, const void *from)
{
	if (session && unlikely(session->upstream)) {
		c->thread = NULL;
		c->traced = 0;
		inside++;
	} else if (call_begin(c, OTHER, from)) {
		NOTE(c, R_MPI_other_begin, other_hash(c->thread, number));
	}
}

static __attribute__((noinline)) void other_end(struct call *c, unsigned number, int result)
{
	if (c->traced)
		NOTE(c, R_MPI_other_end, other_hash(c->thread, number), (uint64_t)(int64_t)result);
	call_end(c);
}

static uint64_t bytes_of(int count, MPI_Datatype type)
{
	int size = 0;
	if (type == MPI_DATATYPE_NULL || PMPI_Type_size(type, &size) != MPI_SUCCESS)
		return 0;
	return (uint64_t)count * size;
}

static uint64_t total(const int *counts, MPI_Comm comm)
{
	int size = 0, sum = 0;
	PMPI_Comm_size(comm, &size);
	for (int i = 0; i < size; i++)
		sum += counts[i];
	return sum;
}

/* request_id returns the number of a request, which is the same in C and in Fortran while the request exists. */
static uint64_t request_id(const void *request, int fortran)
{
	MPI_Request r = fortran ? PMPI_Request_f2c(*(const MPI_Fint *)request) : *(const MPI_Request *)request;
	uint64_t id = 0;
	memcpy(&id, &r, sizeof r);
	return id;
}

/* begun records requests that a function has made or started. */
static void begun(struct call *c, int count, const void *requests, int fortran)
{
	for (int i = 0; i < count; i++)
		NOTE(c, R_MPI_request, request_id((const char *)requests + i * (fortran ? sizeof(MPI_Fint) : sizeof(MPI_Request)), fortran));
}

/* ignored reports whether a status is MPI_STATUS_IGNORE or
 * MPI_STATUSES_IGNORE. A Fortran status has the same words as a C status. */
static int ignored(const void *status)
{
	return status == MPI_STATUS_IGNORE || status == MPI_STATUSES_IGNORE || status == MPI_F_STATUS_IGNORE || status == MPI_F_STATUSES_IGNORE
#ifdef HAS_F08_STATUS
		|| status == (const void *)MPI_F08_STATUS_IGNORE || status == (const void *)MPI_F08_STATUSES_IGNORE
#endif
		;
}

/* blank returns a status to pass on, initialised to say that nothing
 * was received: MPI leaves the status of a send request unset. */
static void *blank(void *status, MPI_Status *own)
{
	MPI_Status *s = ignored(status) ? own : status;
	s->MPI_SOURCE = MPI_ANY_SOURCE;
	s->MPI_TAG = MPI_ANY_TAG;
	PMPI_Status_set_elements(s, MPI_BYTE, 0);
	return s;
}

struct message { int source, tag; uint64_t bytes; };

/* received returns the content of a status, or -1, -1 and 0 if nothing was received. */
static struct message received(const void *status, int arrived)
{
	const MPI_Status *s = status;
	MPI_Count bytes = 0;
	if (!arrived || s->MPI_SOURCE == MPI_ANY_SOURCE || s->MPI_SOURCE == MPI_PROC_NULL)
		return (struct message){-1, -1, 0};
	PMPI_Get_elements_x((MPI_Status *)s, MPI_BYTE, &bytes);
	return (struct message){s->MPI_SOURCE, s->MPI_TAG, bytes > 0 ? bytes : 0};
}

/* A batch holds the requests of a call that completes some of them, as they were before the call. */
enum { FEW = 16 };
struct batch {
	int count;
	uint64_t *ids, few[FEW];
	MPI_Status *statuses, own[FEW];
	void *memory;
};

/* batch_begin returns the statuses to pass on. */
static void *batch_begin(struct batch *b, int count, const void *requests, void *statuses, int fortran)
{
	*b = (struct batch){.count = count > 0 ? count : 0, .ids = b->few, .statuses = b->own};
	if (count > FEW) {
		if (!(b->memory = malloc(count * (sizeof *b->ids + sizeof *b->statuses)))) {
			b->count = 0;
			return statuses;
		}
		b->ids = b->memory;
		b->statuses = (MPI_Status *)(b->ids + count);
	}
	if (!ignored(statuses))
		b->statuses = statuses;
	for (int i = 0; i < b->count; i++)
		b->ids[i] = request_id((const char *)requests + i * (fortran ? sizeof(MPI_Fint) : sizeof(MPI_Request)), fortran);
	return b->statuses;
}

/* batch_end records which requests were completed: the first count ones, or the ones with these indices. */
static void batch_end(struct call *c, struct batch *b, int count, const int *indices, int fortran)
{
	MPI_Request null = MPI_REQUEST_NULL;
	for (int i = 0; i < count && i < b->count; i++) {
		int at = indices ? indices[i] - fortran : i;
		if (at < 0 || at >= b->count || b->ids[at] == request_id(&null, 0))
			continue;
		struct message m = received(&b->statuses[i], 1);
		NOTE(c, R_MPI_completion, b->ids[at], (uint64_t)(int64_t)m.source, (uint64_t)(int64_t)m.tag, m.bytes);
	}
	free(b->memory);
}

/* members records the ranks of a new communicator in
 * MPI_COMM_WORLD, as runs with a first rank and a stride. */
static void members(struct call *c, const void *made, int fortran)
{
	MPI_Comm comm = fortran ? PMPI_Comm_f2c(*(const MPI_Fint *)made) : *(const MPI_Comm *)made;
	MPI_Group group, world;
	int size = 0;
	if (comm == MPI_COMM_NULL || PMPI_Comm_group(comm, &group) != MPI_SUCCESS)
		return;
	PMPI_Comm_group(MPI_COMM_WORLD, &world);
	PMPI_Group_size(group, &size);
	int *mine = malloc(2 * sizeof *mine * (size + 1)), *theirs = mine + size;
	for (int i = 0; mine && i < size; i++)
		mine[i] = i;
	if (mine && PMPI_Group_translate_ranks(group, size, mine, world, theirs) == MPI_SUCCESS)
		for (int at = 0, count; at < size; at += count) {
			int stride = at + 1 < size ? theirs[at + 1] - theirs[at] : 1;
			for (count = 1; at + count < size && theirs[at + count] - theirs[at + count - 1] == stride;)
				count++;
			NOTE(c, R_MPI_members, (uint64_t)PMPI_Comm_c2f(comm), size, at, theirs[at], count, (uint64_t)(int64_t)stride);
		}
	free(mine);
	PMPI_Group_free(&group);
	PMPI_Group_free(&world);
}

/* initialized stores the rank, which all threads adopt, and records
 * the moment by which the clocks of several nodes are aligned. */
static void initialized(void)
{
	int rank;
	if (inside > 1 || !process || PMPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS)
		return;
	if ((uint32_t)rank != atomic_exchange(&process->rank, rank))
		atomic_fetch_add(&process->generation, 1);
	struct thread *t = here();
	if (t)
		RECORD(t, R_clock, 0, 0, 0);
}

static void finalized(void)
{
	struct thread *t = here();
	if (t && inside == 1)
		RECORD(t, R_clock, 0, 0, 1);
}

/* Thousands of functions that only forward calls: optimising them takes far longer than it saves. */
#ifdef __clang__
#pragma clang optimize off
#else
#pragma GCC optimize("O0")
#endif
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "calls.h"
