/* Decides whether an OpenMP event is traced if its scope does not have the answer. */
#include "ompt.h"

/* initial makes the scope for events outside of parallel regions. */
void initial(struct thread *t)
{
	struct scope *s = &t->scopes[0];
	if (s->line)
		return;
	uint64_t key = key_of(OPENMP, 0);
	s->line = find_line(t, OPENMP, key);
	s->execution = (uint64_t)t->slot->tid << 32;
	begin_line(t, s->line, key);
	s->chosen = s->line->mode == TRACING && (session->upstream || due(s->line));
	if (t->audit)
		audit_step(t, DUE, OPENMP, 0, s->chosen, 0, s->line, key, s->execution);
}

/* ask is the slow path of traced: the policy has changed, or something else has to be done. */
__attribute__((noinline, cold)) int ask(struct thread *t, unsigned event)
{
	struct scope *s = top(t);
	if (!s->line) {
		if (t->depth)
			return 0;
		initial(t);
	}
	if (!s->chosen && !t->audit)
		return 0;
	uint64_t key = key_of(OPENMP, s->address);
	freshen(t, s->line, key);
	int yes = s->chosen && allows(s->line, event);
	if (t->audit)
		audit_step(t, ALLOW, OPENMP, event, yes, s->chosen, s->line, key, s->execution);
	return heard(t, yes);
}
