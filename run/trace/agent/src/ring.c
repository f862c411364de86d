#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "ring.h"

uint64_t monotonic(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum { PIECE = 64 << 10 }; /* the bytes of a ring that are mapped at a time */

/* map_pages maps the pages written next, a piece at a time: a page fault for every page would cost an event
 * more than its record does. If the system does not support this, the faults happen. */
static void map_pages(struct thread *t, uint64_t until)
{
	while (t->mapped < until && t->mapped < t->mapped_all) {
		uint64_t at = t->mapped & t->mask, end = (at | (PIECE - 1)) + 1;
		end = end > t->mask + 1 ? t->mask + 1 : end;
		madvise((void *)((uintptr_t)(t->ring + at) & -4096ul), end - (at & -4096ul), MADV_POPULATE_WRITE);
		t->mapped += end - at;
	}
	if (t->mapped < t->mapped_all && t->mapped < t->free_until)
		t->free_until = t->mapped;
}

/* make_room finds room for a record of this size; a record that does not fit before the end of the ring goes
 * to the start, after a filler. If the ring is full, make_room counts the record as dropped and notes the
 * region of the first dropped one, or it waits as long as the collector is alive. */
int make_room(struct thread *t, uint64_t bytes, uint64_t address)
{
	uint64_t size = t->mask + 1, to_end = size - (t->head & t->mask), need = bytes > to_end ? to_end + bytes : bytes, beat = 0;
	int quiet = 0;
	if (bytes > size / 2)
		goto drop;
	while (t->head + need > (t->free_until = atomic_load_explicit(&t->slot->tail, memory_order_acquire) + size)) {
		if (!session->wait || !collector_lives(&beat, &quiet))
			goto drop;
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	}
	if (unlikely(t->mapped < t->mapped_all))
		map_pages(t, t->head + need);
	if (bytes > to_end) {
		/* Records are whole words, so the rest is empty or has room for at least the second word of a header. */
		memset(t->ring + (t->head & t->mask), 0, to_end < 16 ? to_end : 16);
		t->head += to_end;
		atomic_store_explicit(&t->slot->head, t->head, memory_order_release);
	}
	return 1;
drop:
	if (!t->lost) {
		t->lost = 1;
		atomic_store_explicit(&t->slot->lost_at, address, memory_order_relaxed);
	}
	atomic_fetch_add_explicit(&t->slot->dropped, 1, memory_order_release); /* lost_at is set before this is visible */
	return 0;
}

/* introduce sends the collector the name for a hash. It reports whether there was room. */
int introduce(struct thread *t, const char *name, uint64_t hash)
{
	size_t length = strnlen(name, 8 * NAME_WORDS - 1);
	struct record *r = reserve(t, R_name, NAME_WORDS, hash, length);
	if (!r)
		return 0;
	memset(payload_of(r), 0, 8 * NAME_WORDS);
	memcpy(payload_of(r), name, length);
	commit(t, r);
	return 1;
}
