/* A runtime that is fully visible to a sanitizer: runtime ROUNDS. Teams of four threads, nested
 * teams of two in them, and every kind of event. */
#include <pthread.h>

#include "runtime.h"

enum { TEAM = 4, NESTED = 2 };

struct member {
	struct team *team;
	unsigned index;
	pthread_t thread;
};

struct team {
	data parallel;
	unsigned size;
	const void *code;
	void (*body)(void);
	struct member members[TEAM];
};

static void inside(int endpoint, int event, const void *code)
{
	switch (event) {
	case 20: /* work */
		CALL(20, (int, int, data *, data *, uint64_t, const void *), 1, endpoint, NULL, NULL, 10, code);
		break;
	case 21: /* masked */
		CALL(21, (int, data *, data *, const void *), endpoint, NULL, NULL, code);
		break;
	default: /* waits, barriers, reductions */
		CALL(event, (int, int, data *, data *, const void *), 3, endpoint, NULL, NULL, code);
	}
}

static void everything(void)
{
	static const int scopes[] = {20, 21, 23, 16, 31};
	for (unsigned i = 0; i < sizeof scopes / sizeof *scopes; i++) {
		inside(SCOPE_BEGIN, scopes[i], everything);
		inside(SCOPE_END, scopes[i], everything);
	}
	data task = {0};
	CALL(5, (data *, const void *, data *, int, int, const void *), NULL, NULL, &task, 4, 0, everything);
	CALL(6, (data *, int, data *), &task, 1, &task);
	CALL(26, (int, unsigned, unsigned, uint64_t, const void *), 1, 0, 0, 7, everything);
	CALL(27, (int, uint64_t, const void *), 1, 7, everything);
	CALL(17, (int, uint64_t, const void *), 1, 7, everything);
	CALL(29, (data *, const void *), NULL, everything);
	CALL(30, (data *, int, const void *), NULL, 2, everything);
}

static void *member(void *argument)
{
	struct member *m = argument;
	data task = {0};
	implicit_task(SCOPE_BEGIN, &m->team->parallel, &task, m->team->size, m->index);
	m->team->body();
	implicit_task(SCOPE_END, NULL, &task, m->team->size, m->index);
	return NULL;
}

static void *worker(void *argument)
{
	CALL(1, (int, data *), 2, NULL);
	member(argument);
	CALL(2, (data *), NULL);
	return NULL;
}

static void run(unsigned size, const void *code, void (*body)(void))
{
	struct team team = {.size = size, .code = code, .body = body};
	parallel_begin(&team.parallel, size, code);
	for (unsigned i = 0; i < size; i++)
		team.members[i] = (struct member){.team = &team, .index = i};
	for (unsigned i = 1; i < size; i++)
		pthread_create(&team.members[i].thread, NULL, worker, &team.members[i]);
	member(&team.members[0]);
	for (unsigned i = 1; i < size; i++)
		pthread_join(team.members[i].thread, NULL);
	parallel_end(&team.parallel, code);
}

static void nested(void)
{
	everything();
	run(NESTED, nested, everything);
	everything();
}

int main(int argc, char **argv)
{
	if (!start_tool())
		return 1;
	for (int i = argc > 1 ? atoi(argv[1]) : 10; i > 0; i--)
		run(TEAM, main, nested);
	return 0;
}
