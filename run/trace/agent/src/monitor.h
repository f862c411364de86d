/* The mode MONITORING: counts and times executions of regions without recording them. */
#ifndef PENTODE_MONITOR_H
#define PENTODE_MONITOR_H

#include "ring.h"

HIDDEN int monitor_room(struct thread *, uint32_t row);

/* monitor_begin returns the begin time of an execution, or 0 if the region is not monitored. */
static inline uint64_t monitor_begin(const struct line *l) { return unlikely(l->mode == MONITORING) ? now() : 0; }

/* monitor_end counts an execution that began at since.
 * Only this thread writes here; the collector reads. */
static inline void monitor_end(struct thread *t, const struct line *l, uint64_t key, uint64_t since)
{
	uint32_t row = l - t->lines + 1;
	if (likely(!since) || (unlikely(row >= t->monitored_rows) && !monitor_room(t, row)))
		return;
	uint64_t took = now() - since;
	volatile struct monitored *m = &t->monitored[row];
	m->key = key;
	m->total += took;
	if (took > m->longest)
		m->longest = took;
	m->count++;
}

#endif
