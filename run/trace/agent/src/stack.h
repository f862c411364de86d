/* The calls that led to a region, if its section asks for them. */
#ifndef PENTODE_STACK_H
#define PENTODE_STACK_H

#include "decide.h"

/* The address at which a region began, and the number of calls recorded with it. */
struct origin {
	const void *from;
	unsigned frames;
};

/* climb passes each call that led here to taken, from the innermost outwards, until taken has
 * enough. taken reports whether it wants more. */
HIDDEN void climb(int (*taken)(void *data, const void *at), void *data);

HIDDEN void record_calls(struct thread *, unsigned type, unsigned count, const uint64_t *payload, uint64_t address, uint32_t number, struct origin);

/* RECORD_CALLS is RECORD with the calls after the payload. */
#define RECORD_CALLS(t, origin, type, address, number, ...)                                                            \
	do {                                                                                                               \
		const uint64_t words_[] = {0, ##__VA_ARGS__};                                                                  \
		if (unlikely((origin).frames))                                                                                 \
			record_calls(t, type, sizeof words_ / 8 - 1, words_ + 1, address, number, origin);                         \
		else                                                                                                           \
			RECORD(t, type, address, number, ##__VA_ARGS__);                                                           \
	} while (0)

#endif
