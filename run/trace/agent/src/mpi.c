/* MPI, through its profiling interface. calls.h, made from the table in
 * mpi.go, has one function for each call, in C and as Fortran spells it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <string.h>

#include "decide.h"
#include "module.h"

struct call {
	struct thread *thread;
	struct line *line;
	uint64_t address;
	int traced;
};

/* Fortran's functions may call those of C, and these each other: only the
 * outermost call counts. */
static _Thread_local int inside __attribute__((tls_model("initial-exec")));

/* note is RECORD as a function: a call costs more than that, and there are
 * hundreds of them to compile. */
static __attribute__((noinline)) void note(struct call *c, unsigned type, unsigned count, const uint64_t *payload)
{
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
	return c->traced = decide(t, c->line, key, event);
}

static __attribute__((noinline)) void call_end(struct call *c)
{
	inside--;
	if (c->thread)
		end_line(c->thread, c->line, key_of(MPI, c->address));
}

static uint64_t bytes_of(int count, MPI_Datatype type)
{
	int size = 0;
	if (type == MPI_DATATYPE_NULL || PMPI_Type_size(type, &size) != MPI_SUCCESS)
		return 0;
	return (uint64_t)count * size;
}

/* initialized learns the rank, which all threads take up, and marks the moment
 * by which the clocks of several nodes are aligned. */
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

#include "calls.h"
