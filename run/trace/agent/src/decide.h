/* Decides whether an event is traced: the fast part of the decision. */
#ifndef PENTODE_DECIDE_H
#define PENTODE_DECIDE_H

#include "monitor.h"

HIDDEN struct line *find_line(struct thread *, unsigned domain, uint64_t key);
HIDDEN void renew(struct thread *, struct line *, uint64_t key);
/* The extent of a policy in a domain: its mode, all events that some section or region
 * has on, the device activity, and whether the places of launches are recorded. */
struct reach { uint64_t events[WORDS]; uint32_t mode, activity, sites; };
HIDDEN struct reach reach(struct thread *, unsigned domain);
HIDDEN void set_id(struct thread *, unsigned kind, uint32_t id);
HIDDEN int asks_for(struct thread *, const struct line *, uint64_t key);
HIDDEN int names_address(struct thread *, uint64_t address);
HIDDEN uint64_t name_hash(const char *name);
HIDDEN void end_window(struct thread *, struct line *, uint64_t key);
HIDDEN void pause_here(void);
HIDDEN void cross(struct thread *, const struct line *, uint32_t stretch);

static inline void check_pause(void)
{
	if (unlikely(atomic_load_explicit(&process->paused, memory_order_relaxed)))
		pause_here();
}

/* The steps of a decision, as --audit records them. */
enum step { BEGIN, DUE, ALLOW, DECIDE, END, UNIT };
HIDDEN void audit_step(struct thread *, enum step, unsigned domain, unsigned event, int decision, int chosen, struct line *, uint64_t key, uint64_t execution);

static inline uint64_t key_of(unsigned domain, uint64_t address) { return (address & ~(0xffull << 56)) | (uint64_t)domain << 56; }

/* fresh reports whether a line is up to date with the policy. */
static inline int fresh(const struct thread *t, const struct line *l)
{
	return likely(t->seen == atomic_load_explicit(&process->generation, memory_order_acquire) && l->stamp == t->stamp);
}

static inline void freshen(struct thread *t, struct line *l, uint64_t key)
{
	if (!fresh(t, l))
		renew(t, l, key);
}

/* asleep reports whether a domain is inactive: its mode is OFF or STANDBY. */
static inline int asleep(struct thread *t, unsigned domain)
{
	return (t->quiet >> domain & 1) && t->seen == atomic_load_explicit(&process->generation, memory_order_acquire);
}

static inline int due(const struct line *l)
{
	return l->since >= l->every && l->start <= l->counter - 1 && (l->max == UINT32_MAX || l->traced < l->max);
}

/* taken reports whether the rate selects an execution that begins now. */
static inline int taken(const struct thread *t, const struct line *l) { return due(l) && likely(!t->in_gap); }

/* pass counts an execution that a thread begins. It is also where the thread notices that a stretch (a measuring interval) is over. */
static inline void pass(struct thread *t, const struct line *l)
{
	uint32_t stretch = atomic_load_explicit(&session->stretch, memory_order_relaxed);
	if (unlikely(t->stretch != stretch))
		cross(t, l, stretch);
	t->begun++;
}

static inline int allows(const struct line *l, unsigned event) { return l->allowed[event >> 6] >> (event & 63) & 1; }

static inline void begin_line(struct thread *t, struct line *l, uint64_t key)
{
	pass(t, l);
	freshen(t, l, key);
	l->chosen = 0;
	if (l->mode >= MONITORING) {
		l->counter++;
		l->since++;
	}
	if (unlikely(t->audit))
		audit_step(t, BEGIN, key >> 56, 0, 0, 0, l, key, 0);
}

/* decide is for regions decided by their only event: MPI calls, a program's own regions, worksharing with an address. */
static inline int decide(struct thread *t, struct line *l, uint64_t key, unsigned event)
{
	freshen(t, l, key);
	int yes = allows(l, event) && taken(t, l);
	l->chosen |= yes;
	if (unlikely(t->audit))
		audit_step(t, DECIDE, key >> 56, event, yes, 0, l, key, 0);
	return yes;
}

/* heard reports whether an event is recorded. During an audit, events that are decided against are recorded, too. */
static inline int heard(const struct thread *t, int yes) { return yes || unlikely(t->audit); }

/* end_line must be called after the end is recorded: a window
 * that ends here may start a script that reads the records. */
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

#endif
