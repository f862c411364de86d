#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cupti_api.h"
#include "standin.h"

enum { STREAMS = 4, GRAPH_KERNELS = 3, FIRST_DEVICE_ADDRESS = 1 << 20 };

/* The numbers of callbacks differ from CUPTI's: the agent looks them up by name. */
enum { LAUNCH_ID = 7, ALLOC_ID, FREE_ID, HTOD_ID, DTOH_ID, COPY_ID, HTOD_ASYNC_ID, SET_ID, RECORD_ID, STREAM_ID, CONTEXT_ID, GRAPH_ID, OTHER_ID, IDS };
static const char *const names[IDS] = {
	[LAUNCH_ID] = "cuLaunchKernel", [ALLOC_ID] = "cuMemAlloc_v2", [FREE_ID] = "cuMemFree_v2", [HTOD_ID] = "cuMemcpyHtoD_v2", [DTOH_ID] = "cuMemcpyDtoH_v2_ptds",
	[COPY_ID] = "cuMemcpy", [HTOD_ASYNC_ID] = "cuMemcpyHtoDAsync_v2_ptsz", [SET_ID] = "cuMemsetD8Async", [RECORD_ID] = "cuEventRecord",
	[STREAM_ID] = "cuStreamSynchronize", [CONTEXT_ID] = "cuCtxSynchronize_v2", [GRAPH_ID] = "cuGraphLaunch_ptsz", [OTHER_ID] = "cuDeviceGetCount",
};

static cupti_callback callback;
static _Atomic uint8_t heard[SYNCHRONIZE + 1][32];
static _Atomic uint8_t collected[32];
static _Atomic int queue_times;
static _Atomic uint32_t correlations;
static int context; /* its address is the handle */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static uint64_t monotonic_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* device_clock runs a little faster than the host's clock, and begins at another time. */
static uint64_t device_clock(void)
{
	uint64_t t = monotonic_ns();
	return t + t / 20000 + 1700000000000000000ull;
}

/* Buffers of records. */
static pthread_mutex_t device = PTHREAD_MUTEX_INITIALIZER;
static cupti_buffer_wanted wanted;
static cupti_buffer_filled filled;
static uint8_t *buffer;
static size_t buffer_size, buffer_used, dropped;
static uint64_t free_at[STREAMS], last_end;
static unsigned long ran, kept;

struct whole { union { struct kernel_record kernel; struct memcpy_record copy; struct memset_record set; uint32_t kind; uint8_t bytes[216]; }; };

static void deliver(void)
{
	uint8_t *b = buffer;
	size_t size = buffer_size, used = buffer_used;
	buffer = NULL;
	if (!b)
		return;
	pthread_mutex_unlock(&device);
	filled(&context, 0, b, size, used);
	pthread_mutex_lock(&device);
}

static void keep(const struct whole *w)
{
	if (!atomic_load(&collected[w->kind]))
		return;
	/* Another thread may fill the next buffer while this one is delivered. */
	while (buffer && buffer_used + sizeof *w > buffer_size)
		deliver();
	if (!buffer) {
		size_t most = 0, limit = getenv("STANDIN_BUFFER") ? strtoul(getenv("STANDIN_BUFFER"), NULL, 10) : 8192;
		wanted(&buffer, &buffer_size, &most);
		if (buffer_size > limit)
			buffer_size = limit;
		buffer_used = 0;
	}
	if (!buffer || buffer_used + sizeof *w > buffer_size) {
		dropped++;
		return;
	}
	kept++;
	memcpy(buffer + buffer_used, w, sizeof *w);
	buffer_used += sizeof *w;
}

/* run starts device activity after the current activity of its stream. */
static void run(uint32_t kind, uint32_t correlation, void *stream, const char *symbol, size_t bytes, unsigned copy, uint32_t graph)
{
	pthread_mutex_lock(&device);
	uint32_t s = (uintptr_t)stream % STREAMS;
	uint64_t start = device_clock() + 2000, end;
	uint64_t queued = start - 1500;
	if (start < free_at[s])
		start = free_at[s];
	end = free_at[s] = start + 500 + 37 * correlation % 3000;
	if (end > last_end)
		last_end = end;
	struct whole w = {0};
	if (kind == KERNEL_RECORD)
		w.kernel = (struct kernel_record){.kind = kind, .start = start, .end = end, .context = 1, .stream = 7 + s, .correlation = correlation, .name = symbol, .graph = graph,
			.queued = atomic_load(&queue_times) ? queued : 0, .submitted = atomic_load(&queue_times) ? queued + 700 : 0};
	else if (kind == MEMCPY_RECORD)
		w.copy = (struct memcpy_record){.kind = kind, .copy = copy, .bytes = bytes, .start = start, .end = end, .context = 1, .stream = 7 + s, .correlation = correlation};
	else
		w.set = (struct memset_record){.kind = kind, .bytes = bytes, .start = start, .end = end, .context = 1, .stream = 7 + s, .correlation = correlation};
	ran++;
	keep(&w);
	pthread_mutex_unlock(&device);
}

unsigned long standin_ran(void) { return ran; }
unsigned long standin_kept(void) { return kept; }

static void wait_for_device(void)
{
	pthread_mutex_lock(&device);
	uint64_t until = last_end;
	pthread_mutex_unlock(&device);
	while (device_clock() < until)
		;
}

/* Calls with their callbacks. */
struct open { struct api_call c; int id, result; uint64_t shared; };

static void enter(struct open *o, int id, const char *function, const void *params, const char *symbol)
{
	*o = (struct open){.id = id, .c = {.function = function, .params = params, .symbol = symbol, .context = &context, .context_id = 1}};
	o->c.correlation = atomic_fetch_add(&correlations, 1) + 1;
	o->c.result = &o->result;
	o->c.shared = &o->shared;
	if (callback && atomic_load(&heard[DRIVER_API][id]))
		callback(NULL, DRIVER_API, id, &o->c);
}

static int leave(struct open *o)
{
	o->c.site = API_EXIT;
	if (callback && atomic_load(&heard[DRIVER_API][o->id]))
		callback(NULL, DRIVER_API, o->id, &o->c);
	return o->result;
}

static void inject(void)
{
	const char *path = getenv("CUDA_INJECTION64_PATH");
	void *library = path ? dlopen(path, RTLD_NOW) : NULL;
	int (*initialize)(void) = library ? (int (*)(void))dlsym(library, "InitializeInjection") : NULL;
	if (initialize)
		initialize();
	if (callback && atomic_load(&heard[RESOURCE][CONTEXT_CREATED]))
		callback(NULL, RESOURCE, CONTEXT_CREATED, &(struct resource){.context = &context});
}

int cuInit(unsigned flags)
{
	(void)flags;
	pthread_once(&once, inject);
	struct open o;
	enter(&o, OTHER_ID, "cuDeviceGetCount", NULL, NULL);
	return leave(&o);
}

int cuLaunchKernel(struct standin_function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream, void **arguments, void **extra)
{
	struct { void *f; unsigned gx, gy, gz, bx, by, bz, shared; void *stream, **arguments, **extra; } p = {f, gx, gy, gz, bx, by, bz, shared, stream, arguments, extra};
	struct open o;
	enter(&o, LAUNCH_ID, "cuLaunchKernel", &p, f->symbol);
	run(KERNEL_RECORD, o.c.correlation, stream, f->symbol, 0, 0, 0);
	return leave(&o);
}

int cuModuleUnload(void *module)
{
	if (callback && atomic_load(&heard[RESOURCE][MODULE_UNLOADED]))
		callback(NULL, RESOURCE, MODULE_UNLOADED, &(struct resource){.context = &context, .handle = module});
	return 0;
}

static void nothing(void *data, int about, uint32_t id, const void *call) { (void)data, (void)about, (void)id, (void)call; }

static double once_timed(cupti_callback volatile *c, struct api_call *call, unsigned long launches)
{
	uint64_t begin = monotonic_ns();
	for (unsigned long i = 0; i < launches; i++) {
		call->correlation++;
		call->site = API_ENTER;
		(*c)(NULL, DRIVER_API, LAUNCH_ID, call);
		call->site = API_EXIT;
		(*c)(NULL, DRIVER_API, LAUNCH_ID, call);
	}
	return (double)(monotonic_ns() - begin) / launches;
}

void standin_time(struct standin_function *f, unsigned long launches, double *empty, double *subscriber)
{
	struct { void *f; unsigned sizes[7]; void *stream; } p = {.f = f};
	int result = 0;
	struct api_call call = {.function = "cuLaunchKernel", .params = &p, .result = &result, .symbol = f->symbol, .context = &context, .context_id = 1};
	cupti_callback none = nothing;
	*empty = *subscriber = 1e9;
	for (int i = 0; i < 15; i++) {
		double e = once_timed(&none, &call, launches), s = once_timed(&callback, &call, launches);
		*empty = e < *empty ? e : *empty;
		*subscriber = s < *subscriber ? s : *subscriber;
	}
}

int cuMemAlloc_v2(uint64_t *pointer, size_t size)
{
	static _Atomic uint64_t next = FIRST_DEVICE_ADDRESS;
	struct { uint64_t *pointer; size_t size; } p = {pointer, size};
	struct open o;
	enter(&o, ALLOC_ID, "cuMemAlloc_v2", &p, NULL);
	*pointer = atomic_fetch_add(&next, size);
	return leave(&o);
}

int cuMemFree_v2(uint64_t pointer)
{
	struct open o;
	enter(&o, FREE_ID, "cuMemFree_v2", &pointer, NULL);
	return leave(&o);
}

static int copy(int id, const char *function, uint64_t to, uint64_t from, size_t bytes, void *stream, unsigned kind, int wait)
{
	struct { uint64_t to, from; size_t bytes; void *stream; } p = {to, from, bytes, stream};
	struct open o;
	enter(&o, id, function, &p, NULL);
	run(MEMCPY_RECORD, o.c.correlation, stream, NULL, bytes, kind, 0);
	if (wait)
		wait_for_device();
	return leave(&o);
}

int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t n) { return copy(HTOD_ID, "cuMemcpyHtoD_v2", to, (uintptr_t)from, n, NULL, 1, 1); }
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t n) { return copy(DTOH_ID, "cuMemcpyDtoH_v2", (uintptr_t)to, from, n, NULL, 2, 1); }
int cuMemcpy(uint64_t to, uint64_t from, size_t n) { return copy(COPY_ID, "cuMemcpy", to, from, n, NULL, 8, 1); }
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t n, void *stream) { return copy(HTOD_ASYNC_ID, "cuMemcpyHtoDAsync_v2", to, (uintptr_t)from, n, stream, 1, 0); }

int cuPointerGetAttribute(void *out, int attribute, uint64_t pointer)
{
	if (attribute != 2)
		return 1;
	*(uint32_t *)out = pointer >= FIRST_DEVICE_ADDRESS && pointer < 1ull << 32 ? 2 : 1;
	return 0;
}

int cuMemsetD8Async(uint64_t to, unsigned char value, size_t n, void *stream)
{
	struct { uint64_t to; uint64_t value; size_t n; void *stream; } p = {to, value, n, stream};
	struct open o;
	enter(&o, SET_ID, "cuMemsetD8Async", &p, NULL);
	run(MEMSET_RECORD, o.c.correlation, stream, NULL, n, 0, 0);
	return leave(&o);
}

static int plain_call(int id, const char *function, void *first, void *second)
{
	void *p[] = {first, second};
	struct open o;
	enter(&o, id, function, p, NULL);
	if (id == STREAM_ID || id == CONTEXT_ID)
		wait_for_device();
	if (id == GRAPH_ID)
		for (int i = 0; i < GRAPH_KERNELS; i++)
			run(KERNEL_RECORD, o.c.correlation, second, "_Z4stepv", 0, 0, 5);
	return leave(&o);
}

int cuEventRecord(void *event, void *stream) { return plain_call(RECORD_ID, "cuEventRecord", event, stream); }
int cuStreamSynchronize(void *stream) { return plain_call(STREAM_ID, "cuStreamSynchronize", stream, NULL); }
int cuCtxSynchronize_v2(void *c) { return plain_call(CONTEXT_ID, "cuCtxSynchronize_v2", c, NULL); }
int cuGraphLaunch(void *graph, void *stream) { return plain_call(GRAPH_ID, "cuGraphLaunch", graph, stream); }

/* CUPTI. */
int cuptiGetVersion(uint32_t *version) { return *version = 130001, 0; }

int cuptiSubscribe(void **subscriber, cupti_callback c, void *data)
{
	(void)data;
	if (callback || getenv("STANDIN_TAKEN"))
		return CUPTI_TAKEN;
	callback = c;
	*subscriber = &callback;
	return 0;
}

int cuptiUnsubscribe(void *subscriber) { (void)subscriber; return callback = NULL, 0; }

int cuptiEnableCallback(uint32_t on, void *subscriber, int about, uint32_t id)
{
	if (subscriber != &callback || about > SYNCHRONIZE || id >= 32)
		return 1;
	atomic_store(&heard[about][id], on);
	return 0;
}

int cuptiGetCallbackName(int about, uint32_t id, const char **name)
{
	if (about != DRIVER_API || id >= IDS || !names[id])
		return 1;
	*name = names[id];
	return 0;
}

int cuptiGetDeviceId(void *c, uint32_t *id) { return c == &context ? (*id = 0, 0) : 3; }
int cuptiGetStreamIdEx(void *c, void *stream, uint8_t own, uint32_t *id) { (void)own; return c == &context ? (*id = 7 + (uintptr_t)stream % STREAMS, 0) : 3; }
int cuptiGetTimestamp(uint64_t *t) { return *t = device_clock(), 0; }
int cuptiActivityEnable(uint32_t kind) { return kind < 32 ? (atomic_store(&collected[kind], 1), 0) : 1; }
int cuptiActivityDisable(uint32_t kind) { return kind < 32 ? (atomic_store(&collected[kind], 0), 0) : 1; }
int cuptiActivityEnableLatencyTimestamps(uint8_t on) { return atomic_store(&queue_times, on), 0; }
int cuptiActivityRegisterCallbacks(cupti_buffer_wanted w, cupti_buffer_filled f) { return wanted = w, filled = f, 0; }

int cuptiActivityFlushAll(uint32_t flag)
{
	(void)flag;
	pthread_mutex_lock(&device);
	deliver();
	pthread_mutex_unlock(&device);
	return 0;
}

int cuptiActivityGetNextRecord(uint8_t *b, size_t valid, void **record)
{
	uint8_t *next = *record ? (uint8_t *)*record + sizeof(struct whole) : b;
	if (next + sizeof(struct whole) > b + valid)
		return 12;
	*record = next;
	return 0;
}

int cuptiActivityGetNumDroppedRecords(void *c, uint32_t stream, size_t *count)
{
	(void)c, (void)stream;
	pthread_mutex_lock(&device);
	*count = dropped;
	dropped = 0;
	pthread_mutex_unlock(&device);
	return 0;
}
