/* Device activity and its times. CUPTI records either everything or nothing, so records of calls
 * that were decided against are dropped when they arrive. Records come in buffers, long after
 * the call, and go into a ring of the process. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu.h"

enum { BUFFER_BYTES = 2 << 20, FLUSH_MILLISECONDS = 500 };

/* Two bits for each recent call, by correlation id: the records chosen for it. Ids grow by one,
 * so words far ahead of the last id are cleared before they are used. */
enum { CHOSEN_WORDS = 1 << 17, AHEAD = 1 << 11 };
static _Atomic uint64_t chosen[CHOSEN_WORDS];
static _Atomic uint32_t cleared = AHEAD;

/* After this many calls in a row were decided against, records are no longer requested. The next
 * chosen call requests them again before it begins, which takes 60 microseconds. */
enum { MANY_CALLS = 10000 };
static _Atomic uint32_t unchosen;
static _Atomic int resting;
static void rest(int on);

void mark_chosen(uint32_t correlation, unsigned what)
{
	if (likely(!what)) {
		if (unlikely(atomic_fetch_add_explicit(&unchosen, 1, memory_order_relaxed) == MANY_CALLS))
			rest(1);
	} else {
		atomic_store_explicit(&unchosen, 0, memory_order_relaxed);
		if (unlikely(atomic_load(&resting)))
			rest(0);
	}
	uint32_t w = correlation >> 5, done = atomic_load_explicit(&cleared, memory_order_relaxed);
	while (unlikely((int32_t)(w + AHEAD - done) > 0)) {
		if ((int32_t)(w - done) > 0)
			done = w; /* ids jumped */
		atomic_store_explicit(&chosen[(done + 1) % CHOSEN_WORDS], 0, memory_order_relaxed);
		atomic_store_explicit(&cleared, ++done, memory_order_relaxed);
	}
	if (what)
		atomic_fetch_or_explicit(&chosen[w % CHOSEN_WORDS], (uint64_t)what << 2 * (correlation & 31), memory_order_relaxed);
}

static unsigned was_chosen(uint32_t correlation)
{
	return atomic_load_explicit(&chosen[(correlation >> 5) % CHOSEN_WORDS], memory_order_relaxed) >> 2 * (correlation & 31) & 3;
}

static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;
static struct thread *ring;
static pid_t owner;

/* Moments on both clocks: CUPTI's in nanoseconds, and the trace's. A time is interpolated
 * between two moments, so the clocks may drift. */
enum { MOMENTS = 1024 };
static struct moment { uint64_t device, host; } moments[MOMENTS];
static uint32_t moment_count;

static void compare_clocks(void)
{
	struct moment best = {0};
	uint64_t least = UINT64_MAX;
	for (int i = 0; i < 8; i++) {
		uint64_t device, before = now();
		if (cupti.cuptiGetTimestamp(&device))
			return;
		uint64_t took = now() - before;
		if (took < least)
			least = took, best = (struct moment){device, before + took / 2};
	}
	moments[moment_count++ % MOMENTS] = best;
}

/* host_time converts a time of the device to the clock of the trace. */
static uint64_t host_time(uint64_t device)
{
	uint32_t last = moment_count - 1, first = moment_count > MOMENTS ? moment_count - MOMENTS : 0;
	while (last > first + 1 && moments[(last - 1) % MOMENTS].device > device)
		last--;
	struct moment b = moments[last % MOMENTS], a = last > first ? moments[(last - 1) % MOMENTS] : b;
	if (a.device == b.device)
		return b.host + (device - b.device);
	return b.host - (int64_t)((double)(int64_t)(b.device - device) * (double)(b.host - a.host) / (double)(b.device - a.device));
}

#define DEVICE_RECORD(type, begin, hash, ...)                                                                            \
	do {                                                                                                             \
		const uint64_t payload_[] = {__VA_ARGS__};                                                                   \
		struct record *r_ = reserve(ring, type, sizeof payload_ / 8, hash, 0);                                       \
		if (r_) {                                                                                                    \
			r_->time = host_time(begin);                                                                             \
			memcpy(payload_of(r_), payload_, sizeof payload_);                                                       \
			commit(ring, r_);                                                                                        \
		}                                                                                                            \
	} while (0)

/* kernel_name returns the hash of a kernel's name, after introducing it to the collector once. */
static uint64_t kernel_name(const char *symbol)
{
	const struct kernel *k = symbol ? find_kernel(symbol) : NULL;
	if (!k)
		return 0;
	uint32_t known = ring->regions;
	if (find_line(ring, CUDA, k->hash) && ring->regions != known)
		introduce(ring, k->shown, k->hash);
	return k->hash;
}

static void take_kernel(const struct kernel_record *k)
{
	unsigned what = was_chosen(k->correlation);
	uint64_t name = what ? kernel_name(k->name) : 0;
	if (what & CHOSEN_QUEUE && k->queued && k->submitted)
		DEVICE_RECORD(R_cudaKernelEnqueue, k->queued, name, physical(k->device), k->correlation, k->queued, k->submitted, k->context, k->stream, name);
	if (what & CHOSEN_RUN)
		DEVICE_RECORD(R_cudaKernelActivity, k->start, name, physical(k->device), k->correlation, k->start, k->end, k->context, k->stream, name, k->graph);
}

static void take_copy(const struct memcpy_record *m)
{
	static const uint8_t ways[] = {[1] = HTOD, [2] = DTOH, [3] = HTOD, [4] = DTOH, [5] = DTOD, [6] = DTOD, [7] = DTOD, [8] = DTOD, [9] = HTOH, [10] = DTOD};
	if (was_chosen(m->correlation))
		DEVICE_RECORD(R_cudaMemcpyActivity, m->start, 0, physical(m->device), m->correlation, m->start, m->end, m->context, m->stream, m->bytes,
			m->copy < sizeof ways ? ways[m->copy] : ANY_WAY);
}

static void take_set(const struct memset_record *m)
{
	if (was_chosen(m->correlation))
		DEVICE_RECORD(R_cudaMemsetActivity, m->start, 0, physical(m->device), m->correlation, m->start, m->end, m->context, m->stream, m->bytes);
}

/* Pages move by themselves, so no call has decided about this record. */
static void take_migration(const struct migration_record *m)
{
	int to_device = m->counter == BYTES_HTOD;
	if (to_device || m->counter == BYTES_DTOH)
		DEVICE_RECORD(R_cudaMigrationActivity, m->start, 0, physical(to_device ? m->to : m->from), 0, m->start, m->end, 0, m->stream, m->value, to_device ? HTOD : DTOH);
}

static void buffer_wanted(uint8_t **buffer, size_t *size, size_t *records)
{
	*buffer = aligned_alloc(8, BUFFER_BYTES);
	*size = *buffer ? BUFFER_BYTES : 0;
	*records = 0;
}

static void buffer_filled(void *context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
	(void)size;
	pthread_mutex_lock(&writing);
	if (owner != getpid()) { /* the child of a fork has a separate ring */
		owner = getpid();
		ring = process ? open_ring(DEVICE_RING) : NULL;
	}
	if (ring && valid) {
		compare_clocks();
		void *r = NULL;
		while (!cupti.cuptiActivityGetNextRecord(buffer, valid, &r)) {
			switch (*(const uint32_t *)r) {
			case KERNEL_RECORD: take_kernel(r); break;
			case MEMCPY_RECORD: take_copy(r); break;
			case MEMSET_RECORD: take_set(r); break;
			case MIGRATION_RECORD: take_migration(r); break;
			}
		}
	}
	size_t lost = 0;
	if (!cupti.cuptiActivityGetNumDroppedRecords(context, stream, &lost) && lost)
		atomic_fetch_add(&session->cuda_lost, lost);
	pthread_mutex_unlock(&writing);
	free(buffer);
}

static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;
static uint32_t asked; /* the requested kinds of records, one bit each */

static void ask_for(uint32_t kind, int on)
{
	if ((asked >> kind & 1) == (uint32_t)on)
		return;
	if (kind == MIGRATION_RECORD && on) {
		struct migration_config c[] = {{MIGRATION_SCOPE, BYTES_HTOD, 0, 1}, {MIGRATION_SCOPE, BYTES_DTOH, 0, 1}};
		if (!cupti.cuptiActivityConfigureUnifiedMemoryCounter || cupti.cuptiActivityConfigureUnifiedMemoryCounter(c, 2))
			return;
	}
	if (!(on ? cupti.cuptiActivityEnable : cupti.cuptiActivityDisable)(kind))
		asked ^= 1u << kind;
}

static void rest(int on)
{
	pthread_mutex_lock(&asking);
	uint32_t kinds = asked & ~(1u << MIGRATION_RECORD); /* no call needs these */
	if (atomic_load(&resting) != on)
		for (uint32_t kind = 0; kind < 32; kind++)
			if (kinds >> kind & 1)
				(on ? cupti.cuptiActivityDisable : cupti.cuptiActivityEnable)(kind);
	atomic_store(&resting, on);
	pthread_mutex_unlock(&asking);
}

/* collect_records requests the records of these events, and no others. */
void collect_records(uint64_t events)
{
	static int registered, queued;
	const uint64_t graph = 1ull << CUDA_graph_launch, queues = 1ull << CUDA_kernel_enqueue, kernels = 1ull << CUDA_kernel_launch | 1ull << CUDA_kernel_complete | queues | graph;
	const uint64_t copies = 1ull << CUDA_memcpy_HtoD | 1ull << CUDA_memcpy_DtoH | 1ull << CUDA_memcpy_DtoD | 1ull << CUDA_memcpy_HtoH | 1ull << CUDA_memcpy_async | graph;
	const uint64_t sets = 1ull << CUDA_memset | graph, migrations = 1ull << CUDA_unified_memory_migrate;
	int on = !!(events & (kernels | copies | sets | migrations));
	if (on && !registered) {
		if (cupti.cuptiActivityRegisterCallbacks(buffer_wanted, buffer_filled))
			return;
		registered = 1;
		if (cupti.cuptiActivityFlushPeriod)
			cupti.cuptiActivityFlushPeriod(FLUSH_MILLISECONDS);
	}
	if (on && !atomic_load(&gpu.collecting)) {
		pthread_mutex_lock(&writing);
		compare_clocks();
		pthread_mutex_unlock(&writing);
	}
	if (!on && atomic_load(&gpu.collecting))
		cupti.cuptiActivityFlushAll(0); /* chosen records may still arrive */
	pthread_mutex_lock(&asking);
	if (atomic_exchange(&resting, 0))
		asked &= 1u << MIGRATION_RECORD;
	atomic_store(&unchosen, 0);
	if (cupti.cuptiActivityEnableLatencyTimestamps && queued != !!(events & queues) && !cupti.cuptiActivityEnableLatencyTimestamps(!queued))
		queued = !queued;
	ask_for(KERNEL_RECORD, !!(events & kernels));
	ask_for(MEMCPY_RECORD, !!(events & copies));
	ask_for(MEMSET_RECORD, !!(events & sets));
	ask_for(MIGRATION_RECORD, !!(events & migrations));
	pthread_mutex_unlock(&asking);
	atomic_store(&gpu.collecting, on);
}

/* flush_records takes the records that CUPTI still has. */
void flush_records(void)
{
	if (atomic_load(&gpu.collecting) && (!owner || owner == getpid()))
		cupti.cuptiActivityFlushAll(1);
}
