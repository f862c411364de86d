/* OpenMP, through the tool interface of its runtime.
 *
 * The thread that meets a parallel region decides once for each execution, and
 * parallel_data carries the decision to the team. Each thread of the team only
 * checks whether the policy allows the event on this thread. Worksharing and
 * masked regions have separate counters if a section names their address. All
 * other events belong to the parallel region in which they happen, or to the
 * initial region, whose address is 0.
 */
#include <stdlib.h>

#include "ompt.h"

typedef struct { data exit_frame, enter_frame; int exit_flags, enter_flags; } frame;
typedef function (*lookup)(const char *);
typedef struct {
	int (*initialize)(lookup, int device, data *);
	void (*finalize)(data *);
	data tool;
} start;

enum { INITIAL_TASK = 1, LEAGUE = 0x40000000 };
enum { BARRIER_EXPLICIT = 3, TASKWAIT = 5, TASKGROUP = 6 };
enum {
	THREAD_BEGIN = 1, THREAD_END, PARALLEL_BEGIN, PARALLEL_END, TASK_CREATE, TASK_SCHEDULE, IMPLICIT_TASK,
	CONTROL_TOOL = 11, SYNC_WAIT = 16, MUTEX_RELEASED, DEPENDENCES, TASK_DEPENDENCE, WORK, MASKED,
	SYNC = 23, LOCK_INIT, LOCK_DESTROY, MUTEX_ACQUIRE, MUTEX_ACQUIRED, NEST_LOCK, FLUSH, CANCEL, REDUCE, DISPATCH,
	ERROR = 37,
};

static void listen(int on);
static _Atomic int listening = 1;
static _Atomic uint32_t woken; /* how often the runtime was asked again for its events */

static void push(struct thread *t, const struct scope *s)
{
	t->top = &t->scopes[++t->depth];
	*t->top = *s;
	set_id(t, session->thread, s->thread);
	set_id(t, session->team, s->team);
}

static void pop(struct thread *t)
{
	t->top = &t->scopes[--t->depth];
	set_id(t, session->thread, top(t)->thread);
	set_id(t, session->team, top(t)->team);
}

static int (*parallel_info)(int level, data **parallel, int *size);

/* goes_on reports whether this thread is still in a parallel region. */
static int goes_on(const struct scope *s)
{
	data *parallel = NULL;
	int size;
	for (int level = 0; parallel_info && parallel_info(level, &parallel, &size) > 0; level++)
		if (parallel && parallel->ptr == s->first)
			return 1;
	return 0;
}

/* catch_up discards the scopes that ended unnoticed while the domain
 * was asleep. Other scopes stay, because threads may still read them. */
static void catch_up(struct thread *t)
{
	uint32_t now = atomic_load_explicit(&woken, memory_order_relaxed);
	if (likely(t->woken == now))
		return;
	t->woken = now;
	while (t->depth && !goes_on(top(t)))
		pop(t);
}

static void thread_begin(int type, data *unused)
{
	(void)unused;
	struct thread *t = awake();
	if (t && traced(t, THREAD_BEGIN))
		OMP(t, R_thread_begin, type);
}

static void thread_end(data *unused)
{
	(void)unused;
	struct thread *t = awake();
	if (t && traced(t, THREAD_END))
		OMP(t, R_thread_end, 0);
}

static __attribute__((noinline)) void begin_parallel(const frame *parent, data *parallel, unsigned size, int flags, const void *code)
{
	struct thread *t = here();
	if (!t)
		return;
	check_pause();
	if (asleep(t, OPENMP)) {
		if (unlikely(atomic_load_explicit(&listening, memory_order_relaxed)))
			listen(0);
		return;
	}
	if (unlikely(!atomic_load_explicit(&listening, memory_order_relaxed)))
		listen(1);
	catch_up(t);
	if (t->depth == MAX_DEPTH - 1)
		return;
	initial(t);
	uint64_t address = relative(code), key = key_of(OPENMP, address);
	struct line *l = find_line(t, OPENMP, key);
	if (!l)
		return;
	begin_line(t, l, key);
	struct scope s = {.address = address, .line = l, .record = l->counter - 1, .team = top(t)->team, .league = !!(flags & LEAGUE)};
	s.execution = (uint64_t)t->slot->tid << 32 | ++t->executions;
	s.chosen = l->mode == TRACING && taken(t, l);
	if (unlikely(t->audit))
		audit_step(t, DUE, OPENMP, 0, s.chosen, 0, l, key, s.execution);
	s.since = monitor_begin(l);
	s.first = &t->scopes[t->depth + 1];
	push(t, &s);
	parallel->ptr = top(t);
	/* An installed PInsight records the begin whatever the settings for events. */
	if (traced(t, PARALLEL_BEGIN) || (session->upstream && s.chosen))
		OMP_CALLS(t, l, code, R_parallel_begin, size, flags, parent ? (uint64_t)parent->enter_frame.ptr : 0);
}

/* parallel_begin must cost as little as possible for a program whose
 * domain is asleep: it is the one event that is still reported then. */
static void parallel_begin(data *task, const frame *parent, data *parallel, unsigned size, int flags, const void *code)
{
	(void)task;
	parallel->ptr = NULL;
	struct thread *t = self;
	if (t && asleep(t, OPENMP) && !atomic_load_explicit(&listening, memory_order_relaxed) && !atomic_load_explicit(&process->paused, memory_order_relaxed))
		return;
	begin_parallel(parent, parallel, size, flags, code);
}

static void parallel_end(data *parallel, data *task, int flags, const void *code)
{
	(void)task, (void)code;
	struct thread *t = self;
	if (!t || !parallel->ptr || parallel->ptr != top(t))
		return;
	struct scope s = *top(t);
	if (traced(t, PARALLEL_END) || (session->upstream && s.chosen && s.line->mode == TRACING))
		OMP(t, R_parallel_end, flags);
	pop(t);
	uint64_t key = key_of(OPENMP, s.address);
	monitor_end(t, s.line, key, s.since);
	/* A nested region that no section names is not counted as traced there. */
	if (session->upstream && t->depth > 0 && !names_address(t, s.address))
		return;
	s.line->chosen = s.chosen;
	end_line(t, s.line, key);
}

static void implicit_task(int endpoint, data *parallel, data *task, unsigned size, unsigned index, int flags)
{
	struct thread *t = self;
	if (endpoint == BEGIN_OF) {
		task->value = NO_SCOPE;
		if (!(t = here()))
			return;
		task->value = new_task(t);
		check_pause();
		catch_up(t);
		const struct scope *team = parallel ? parallel->ptr : NULL;
		if (team && team == top(t) && !team->league) {
			task->value |= SHARED_SCOPE;
		} else if (team && t->depth < MAX_DEPTH - 1) {
			/* Not everything is copied: the first thread of the team may already be in a worksharing region. */
			struct scope mine = {
				.address = team->address, .execution = team->execution, .first = team, .record = team->record, .chosen = team->chosen,
				.league = team->league, .team = team->league ? index : team->team, .thread = team->league ? team->thread : index,
			};
			uint64_t key = key_of(OPENMP, mine.address);
			if (!(mine.line = find_line(t, OPENMP, key)))
				return;
			pass(t, mine.line);
			if (team->since) {
				freshen(t, mine.line, key);
				mine.since = monitor_begin(mine.line);
			}
			push(t, &mine);
			task->value |= OWN_SCOPE;
		}
		if ((task->value & SCOPE_MASK || flags & INITIAL_TASK) && !asleep(t, OPENMP) && traced(t, IMPLICIT_TASK))
			OMP(t, R_implicit_task_begin, size, task_id(task));
		return;
	}
	if (!t || endpoint != END_OF)
		return;
	if ((task->value & SCOPE_MASK || flags & INITIAL_TASK) && !asleep(t, OPENMP) && traced(t, IMPLICIT_TASK))
		OMP(t, R_implicit_task_end, size, task_id(task));
	if ((task->value & SCOPE_MASK) == OWN_SCOPE && t->depth > 0) {
		monitor_end(t, top(t)->line, key_of(OPENMP, top(t)->address), top(t)->since);
		pop(t);
	}
	task->value = NO_SCOPE;
}

/* enter begins a region within a parallel region, with separate counters if a section names its
 * address. It reports whether the event is traced. */
static int enter(struct thread *t, unsigned event, uint64_t address)
{
	struct scope *s = top(t);
	if (s->inners++ >= MAX_INNERS)
		return traced(t, event);
	struct inner *in = &t->inners[t->depth][s->inners - 1];
	*in = (struct inner){.address = address};
	if (address == s->address || !names_address(t, address))
		return traced(t, event);
	uint64_t key = key_of(OPENMP, address);
	if (!(in->line = find_line(t, OPENMP, key)))
		return 0;
	begin_line(t, in->line, key);
	in->since = monitor_begin(in->line);
	return heard(t, decide(t, in->line, key, event));
}

/* inner_of returns the region that ends, or NULL if its begin
 * is unknown: it was not reported, or too deeply nested. */
static inline struct inner *inner_of(struct thread *t)
{
	uint32_t n = top(t)->inners;
	return n && n <= MAX_INNERS ? &t->inners[t->depth][n - 1] : NULL;
}

/* leave ends a region begun by enter. */
static void leave(struct thread *t)
{
	struct inner *in = inner_of(t);
	if (in && in->line) {
		monitor_end(t, in->line, key_of(OPENMP, in->address), in->since);
		end_line(t, in->line, key_of(OPENMP, in->address));
	}
	if (top(t)->inners)
		top(t)->inners--;
}

/* inner_traced reports whether the end of the entered region is traced. */
static inline int inner_traced(struct thread *t, unsigned event)
{
	const struct inner *in = inner_of(t);
	return in && in->line ? heard(t, in->line->chosen) : traced(t, event);
}

/* inner_line returns the line of the entered region, or NULL if it has no separate line. */
static inline const struct line *inner_line(struct thread *t)
{
	const struct inner *in = inner_of(t);
	return in ? in->line : NULL;
}

/* begun_at returns the address at which the ending region began. */
static inline uint64_t begun_at(struct thread *t)
{
	const struct inner *in = inner_of(t);
	return in ? in->address : top(t)->address;
}

static void work(int type, int endpoint, data *parallel, data *task, uint64_t count, const void *code)
{
	(void)parallel, (void)task;
	struct thread *t = awake();
	if (!t)
		return;
	uint64_t address = relative(code);
	if (endpoint == BEGIN_OF) {
		if (enter(t, WORK, address))
			OMP_CALLS(t, inner_line(t), code, R_work_begin, type, address, 0, top(t)->record, count);
		return;
	}
	if (inner_traced(t, WORK))
		OMP(t, R_work_end, type, begun_at(t), address, top(t)->record, count);
	leave(t);
}

static void masked(int endpoint, data *parallel, data *task, const void *code)
{
	(void)parallel, (void)task;
	struct thread *t = awake();
	if (!t)
		return;
	uint64_t address = relative(code);
	if (endpoint == BEGIN_OF) {
		if (enter(t, MASKED, address))
			OMP_CALLS(t, inner_line(t), code, R_masked_begin, address, 0, top(t)->record);
		return;
	}
	if (inner_traced(t, MASKED))
		OMP(t, R_masked_end, begun_at(t), address, top(t)->record);
	leave(t);
}

/* synchronise records a barrier or a wait for tasks. The barrier at the end of a parallel region
 * has no address, or the region's address. */
static void synchronise(unsigned event, int kind, int endpoint, const void *code)
{
	struct thread *t = awake();
	if (!t)
		return;
	uint64_t address = code ? relative(code) : 0;
	int end = endpoint == END_OF, wait = event == SYNC_WAIT;
	if (event == REDUCE) {
		if (traced(t, event))
			OMP(t, end ? R_reduction_end : R_reduction_begin, kind, address);
	} else if (kind == TASKWAIT || kind == TASKGROUP) {
		if (traced(t, event))
			OMP(t, (wait ? R_task_sync_wait_begin : R_task_sync_begin) + end, kind, address);
	} else if (!code || address == top(t)->address) {
		if (traced(t, event) || (session->upstream && top(t)->chosen && top(t)->line->mode == TRACING))
			OMP(t, (wait ? R_parallel_join_sync_wait_begin : R_parallel_join_sync_begin) + end, 0);
	} else if (traced(t, event)) {
		if (kind == BARRIER_EXPLICIT && !session->upstream) /* an installed PInsight knows only one kind */
			OMP(t, (wait ? R_barrier_explicit_sync_wait_begin : R_barrier_explicit_sync_begin) + end, kind, address);
		else
			OMP(t, (wait ? R_barrier_implicit_sync_wait_begin : R_barrier_implicit_sync_begin) + end, kind, address);
	}
}

static void sync_region(int kind, int endpoint, data *parallel, data *task, const void *code)
{
	(void)parallel, (void)task;
	synchronise(SYNC, kind, endpoint, code);
}

static void sync_region_wait(int kind, int endpoint, data *parallel, data *task, const void *code)
{
	(void)parallel, (void)task;
	synchronise(SYNC_WAIT, kind, endpoint, code);
}

static void reduction(int kind, int endpoint, data *parallel, data *task, const void *code)
{
	(void)parallel, (void)task;
	synchronise(REDUCE, kind, endpoint, code);
}

static void task_create(data *parent, const frame *f, data *task, int flags, int dependences, const void *code)
{
	(void)f;
	struct thread *t = awake();
	if (!t || flags & INITIAL_TASK)
		return;
	task->value = new_task(t);
	if (traced(t, TASK_CREATE))
		OMP(t, R_task_create, flags, dependences, relative(code), task_id(task), task_id(parent));
}

static void task_schedule(data *prior, int status, data *next)
{
	struct thread *t = awake();
	if (t && traced(t, TASK_SCHEDULE))
		OMP(t, R_task_schedule, status, task_id(prior), task_id(next));
}

static void dependences(data *task, const void *list, int count)
{
	(void)list;
	struct thread *t = awake();
	if (t && traced(t, DEPENDENCES))
		OMP(t, R_dependences, count, task_id(task));
}

static void task_dependence(data *from, data *to)
{
	struct thread *t = awake();
	if (t && traced(t, TASK_DEPENDENCE))
		OMP(t, R_task_dependence, 0, task_id(from), task_id(to));
}

static void mutex(unsigned event, unsigned type, int kind, uint64_t id, const void *code)
{
	struct thread *t = awake();
	if (t && traced(t, event))
		OMP(t, type, kind, id, relative(code));
}

static void mutex_acquire(int kind, unsigned hint, unsigned how, uint64_t id, const void *code)
{
	(void)hint, (void)how;
	mutex(MUTEX_ACQUIRE, R_mutex_acquire, kind, id, code);
}

static void lock_init(int kind, unsigned hint, unsigned how, uint64_t id, const void *code)
{
	(void)hint, (void)how;
	mutex(LOCK_INIT, R_lock_init, kind, id, code);
}

static void lock_destroy(int kind, uint64_t id, const void *code) { mutex(LOCK_DESTROY, R_lock_destroy, kind, id, code); }
static void mutex_acquired(int kind, uint64_t id, const void *code) { mutex(MUTEX_ACQUIRED, R_mutex_acquired, kind, id, code); }
static void mutex_released(int kind, uint64_t id, const void *code) { mutex(MUTEX_RELEASED, R_mutex_released, kind, id, code); }

static void nest_lock(int endpoint, uint64_t id, const void *code)
{
	mutex(NEST_LOCK, endpoint == END_OF ? R_nest_lock_end : R_nest_lock_begin, 0, id, code);
}

static void flush(data *unused, const void *code)
{
	(void)unused;
	struct thread *t = awake();
	if (t && traced(t, FLUSH))
		OMP(t, R_flush, relative(code));
}

static void cancel(data *task, int flags, const void *code)
{
	(void)task;
	struct thread *t = awake();
	if (t && traced(t, CANCEL))
		OMP(t, R_cancel, flags, relative(code));
}

static int control_tool(uint64_t command, uint64_t modifier, void *argument, const void *code)
{
	(void)argument;
	struct thread *t = awake();
	if (t && traced(t, CONTROL_TOOL))
		OMP(t, R_control_tool, command, modifier, relative(code));
	return 0;
}

static void dispatch(data *parallel, data *task, int kind, data instance)
{
	(void)parallel, (void)task;
	struct thread *t = awake();
	if (t && traced(t, DISPATCH))
		OMP(t, R_dispatch, kind, instance.value);
}

static void error(int severity, const char *message, size_t length, const void *code)
{
	(void)message, (void)length;
	struct thread *t = awake();
	if (t && traced(t, ERROR))
		OMP(t, R_error, severity, relative(code));
}

/* The first ones are always reported: at a parallel
 * region a sleeping domain notices that it must wake up. */
enum { ALWAYS = 3 };
static const struct { int event; function call; } callbacks[] = {
	{THREAD_BEGIN, (function)thread_begin}, {THREAD_END, (function)thread_end}, {PARALLEL_BEGIN, (function)parallel_begin},
	{PARALLEL_END, (function)parallel_end}, {IMPLICIT_TASK, (function)implicit_task},
	{WORK, (function)work}, {MASKED, (function)masked},
	{SYNC, (function)sync_region}, {SYNC_WAIT, (function)sync_region_wait}, {REDUCE, (function)reduction},
	{TASK_CREATE, (function)task_create}, {TASK_SCHEDULE, (function)task_schedule},
	{DEPENDENCES, (function)dependences}, {TASK_DEPENDENCE, (function)task_dependence},
	{LOCK_INIT, (function)lock_init}, {LOCK_DESTROY, (function)lock_destroy}, {NEST_LOCK, (function)nest_lock},
	{MUTEX_ACQUIRE, (function)mutex_acquire}, {MUTEX_ACQUIRED, (function)mutex_acquired}, {MUTEX_RELEASED, (function)mutex_released},
	{FLUSH, (function)flush}, {CANCEL, (function)cancel}, {CONTROL_TOOL, (function)control_tool},
	{DISPATCH, (function)dispatch}, {ERROR, (function)error},
};

static set_callback set;

/* listen asks the runtime to report the other events, or
 * not to report them while the domain is OFF or STANDBY. */
static void listen(int on)
{
	if (atomic_exchange(&listening, on) == on)
		return;
	if (on)
		atomic_fetch_add(&woken, 1);
	for (size_t i = ALWAYS; i < sizeof callbacks / sizeof *callbacks; i++)
		set(callbacks[i].event, on ? callbacks[i].call : NULL);
}

static int initialize(lookup find, int device, data *unused)
{
	(void)device, (void)unused;
	set = (set_callback)find("ompt_set_callback");
	parallel_info = (int (*)(int, data **, int *))find("ompt_get_parallel_info");
	if (!set || !here())
		return 0;
	for (size_t i = 0; i < sizeof callbacks / sizeof *callbacks; i++)
		if (set(callbacks[i].event, callbacks[i].call) > 1)
			atomic_fetch_or(&session->offered, 1ull << callbacks[i].event);
	listen_to_targets(set);
	return 1;
}

static void finalize(data *unused) { (void)unused; }

EXPORT start *ompt_start_tool(unsigned version, const char *runtime)
{
	(void)version, (void)runtime;
	static start tool = {initialize, finalize, {0}};
	return getenv("PENTODE_TRACE") ? &tool : NULL;
}
