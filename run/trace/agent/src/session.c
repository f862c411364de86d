#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "session.h"

struct session *session;
struct process *process;
_Thread_local struct thread *self __attribute__((tls_model("initial-exec")));

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t at_thread_end;
static int memory = -1;
static _Thread_local int refused __attribute__((tls_model("initial-exec")));

static void thread_ended(void *t) { release(t); }

/* launched_as returns the rank that the launcher gave this process; MPI_Init may correct it. */
static uint32_t launched_as(void)
{
	static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
		const char *rank = getenv(names[i]);
		if (rank)
			return strtoul(rank, NULL, 10);
	}
	return 0;
}

static void join(void)
{
	for (unsigned i = 0; i < MAX_PROCESSES; i++) {
		struct process *p = (struct process *)((char *)session + PROCESSES_AT) + i;
		uint32_t unused = 0;
		if (!atomic_compare_exchange_strong(&p->state, &unused, 1))
			continue;
		p->pid = getpid();
		atomic_store(&p->rank, launched_as());
		atomic_store(&p->threads, 0);
		atomic_store(&p->ended, 0);
		atomic_store(&p->paused, 0);
		atomic_store(&p->cuda, 0);
		atomic_store(&p->picked, 0);
		atomic_store(&p->modes, 0);
		atomic_store(&p->activity, 0);
		atomic_store(&p->heard, 0);
		atomic_fetch_add(&p->generation, 1);
		process = p;
		return;
	}
}

/* A signal is only counted; the collector handles it. */
static void on_signal(int number)
{
	(void)number;
	if (process)
		atomic_fetch_add(&process->signals, 1);
}

/* The child of a fork is another process: it joins the session as a new one, without a ring. */
static void after_fork(void)
{
	self = NULL;
	refused = 0;
	process = NULL;
	if (session)
		join();
}

static void attach(void)
{
	const char *path = getenv("PENTODE_TRACE");
	if (!path || (memory = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)) < 0)
		return;
	struct stat s;
	if (fstat(memory, &s) || s.st_uid != geteuid() || (s.st_mode & 077) || !S_ISREG(s.st_mode) || s.st_size < POLICIES_END)
		return;
	void *at = mmap(NULL, POLICIES_END, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, memory, 0);
	if (at == MAP_FAILED)
		return;
	struct session *found = at;
	if (found->magic != MAGIC || found->layout != LAYOUT || pthread_key_create(&at_thread_end, thread_ended)) {
		munmap(at, POLICIES_END);
		return;
	}
	pthread_atfork(NULL, NULL, after_fork);
	struct sigaction old;
	if (!sigaction(SIGUSR1, NULL, &old) && old.sa_handler == SIG_DFL)
		sigaction(SIGUSR1, &(struct sigaction){.sa_handler = on_signal, .sa_flags = SA_RESTART}, NULL);
	session = found;
	join();
}

/* attached reports whether there is a session. A process without events has not looked for one yet. */
int attached(void)
{
	pthread_once(&once, attach);
	return session != NULL;
}

/* collector_lives reports whether the collector still works, which writes its heartbeat every few
 * milliseconds. A caller asks every tenth of a millisecond until there has been no heartbeat for two
 * seconds; after that, no thread waits until the next heartbeat. */
int collector_lives(uint64_t *beat, int *quiet)
{
	static _Atomic uint64_t last = UINT64_MAX; /* the heartbeat at which the collector was considered dead */
	uint64_t b = atomic_load(&session->heartbeat);
	if (atomic_load(&session->closed) || b == atomic_load(&last))
		return 0;
	*quiet = b == *beat ? *quiet + 1 : 0;
	*beat = b;
	if (*quiet < 20000)
		return 1;
	atomic_store(&last, b);
	return 0;
}

static struct slot *free_slot(void)
{
	for (unsigned i = 0; i < session->slots; i++) {
		struct slot *s = (struct slot *)((char *)session + SLOTS_AT) + i;
		uint32_t unused = 0;
		if (!atomic_load_explicit(&s->state, memory_order_relaxed) && atomic_compare_exchange_strong(&s->state, &unused, SLOT_IN_USE))
			return s;
	}
	return NULL;
}

/* open_ring takes a slot and its ring for the thread with this number. */
struct thread *open_ring(uint32_t number)
{
	struct slot *s = free_slot();
	if (!s) {
		atomic_fetch_add(&session->no_slot, 1);
		return NULL;
	}
	s->serial++; /* even if there is no memory: the collector stops at the first slot that was never used */
	off_t at = session->rings_at + (off_t)(s - (struct slot *)((char *)session + SLOTS_AT)) * session->ring_bytes;
	int room = posix_fallocate(memory, at, session->ring_bytes);
	char *ring = room ? MAP_FAILED : mmap(NULL, session->ring_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory, at);
	struct thread *t = mmap(NULL, sizeof *t, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (ring == MAP_FAILED || t == MAP_FAILED) {
		if (ring != MAP_FAILED)
			munmap(ring, session->ring_bytes);
		if (t != MAP_FAILED)
			munmap(t, sizeof *t);
		atomic_fetch_add(&session->no_room, 1);
		atomic_store(&s->state, SLOT_FREE);
		return NULL;
	}
	t->ring = ring;
	t->slot = s;
	t->top = t->scopes;
	t->mask = session->ring_bytes - 1;
	t->head = atomic_load(&s->head);
	t->free_until = t->mapped = t->head;
	t->mapped_all = t->head + session->ring_bytes;
	t->audit = session->audit;
	s->process = process - (struct process *)((char *)session + PROCESSES_AT);
	s->pid = getpid();
	s->tid = syscall(SYS_gettid);
	s->thread = t->number = number;
	atomic_store(&s->ready, 1);
	return t;
}

/* claim gives the calling thread a ring and its tables. If there
 * is none, the thread is not traced, and does not try again. */
struct thread *claim(void)
{
	pthread_once(&once, attach);
	if (refused || !process || atomic_load(&session->closed))
		return NULL;
	refused = 1;
	struct thread *t = open_ring(atomic_fetch_add(&process->threads, 1));
	if (!t)
		return NULL;
	pthread_setspecific(at_thread_end, t);
	self = t;
	return t;
}

void release(struct thread *t)
{
	struct slot *s = t->slot;
	self = NULL;
	refused = 1;
	if (t->leave)
		t->leave(t);
	munmap(t->ring, session->ring_bytes);
	if (t->monitored)
		munmap(t->monitored, MONITORED_BYTES);
	munmap(t, sizeof *t);
	atomic_store(&s->state, SLOT_ENDED);
}

unsigned slot_number(const struct thread *t) { return t->slot - (struct slot *)((char *)session + SLOTS_AT); }

int shared_memory(void) { return memory; }

/* read_policy returns the current policy and announces that it is
 * being read, so that the collector keeps it until stop_reading. */
const struct policy *read_policy(struct thread *t)
{
	for (;;) {
		uint64_t current = atomic_load(&session->policy);
		atomic_store(&t->slot->reading, current >> 32);
		if (current == atomic_load(&session->policy))
			return (const struct policy *)((const char *)session + (uint32_t)current);
	}
}

void stop_reading(struct thread *t) { atomic_store_explicit(&t->slot->reading, 0, memory_order_release); }
