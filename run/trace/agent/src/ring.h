/* Records, and the ring of a thread to which they are written. */
#ifndef PENTODE_RING_H
#define PENTODE_RING_H

#include "records.h" /* generated from the table in records.go */
#include "session.h"

HIDDEN int make_room(struct thread *, uint64_t bytes, uint64_t address);
HIDDEN uint64_t monotonic(void);
HIDDEN int introduce(struct thread *, const char *name, uint64_t hash);

static inline uint64_t now(void)
{
#if defined(__x86_64__)
	if (likely(session->clock == 1))
		return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	if (likely(session->clock == 1)) {
		uint64_t count;
		__asm__ volatile("mrs %0, cntvct_el0" : "=r"(count));
		return count;
	}
#endif
	return monotonic();
}

static inline uint64_t *payload_of(struct record *r) { return (uint64_t *)(r + 1); }

/* reserve returns room for a record with this many words of payload, or NULL. */
static inline struct record *reserve(struct thread *t, unsigned type, unsigned payload, uint64_t address, uint32_t number)
{
	uint64_t bytes = sizeof(struct record) + 8 * payload;
	if (unlikely(t->head + bytes > t->free_until || (t->head & t->mask) + bytes > t->mask + 1) && !make_room(t, bytes, address))
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
			__builtin_memcpy(payload_of(r_), payload_ + 1, sizeof payload_ - 8);      \
			commit(t, r_);                                                            \
		}                                                                             \
	} while (0)

#endif
