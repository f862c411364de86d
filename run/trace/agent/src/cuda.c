/* CUDA calls, as CUPTI reports them. Each call is decided when it begins,
 * before anything is recorded. A kernel is a region by its name; every
 * other call belongs to the region with the name of its event. */
#include <string.h>

#include "gpu.h"

static const char *const event_names[] = {CUDA_EVENT_NAMES};

static inline uint64_t word_at(const void *p, unsigned offset)
{
	uint64_t v;
	memcpy(&v, (const char *)p + offset, sizeof v);
	return v;
}

static inline uint32_t half_at(const void *p, unsigned offset)
{
	uint32_t v;
	memcpy(&v, (const char *)p + offset, sizeof v);
	return v;
}

/* event_line returns the line, which has the counters, of the region named by an event. */
static struct line *event_line(struct thread *t, unsigned event, uint64_t *key)
{
	static _Atomic uint64_t hashes[CUDA_EVENTS];
	uint64_t h = atomic_load_explicit(&hashes[event], memory_order_relaxed);
	if (unlikely(!h))
		atomic_store_explicit(&hashes[event], h = name_hash(event_names[event]), memory_order_relaxed);
	*key = key_of(CUDA, h);
	if (unlikely(!t->gpu.events[event]))
		t->gpu.events[event] = named_line(t, event_names[event], h);
	return t->gpu.events[event];
}

/* kernel_line returns the line of a kernel. The pointer to the symbol is the same for every launch until a
 * module is unloaded; then another kernel may have it. */
static inline struct line *kernel_line(struct thread *t, const char *symbol, uint64_t *key)
{
	struct seen_kernel *s = &t->gpu.kernels[((uintptr_t)symbol * 0x9e3779b97f4a7c15ull) >> 57];
	uint32_t unloads = atomic_load_explicit(&gpu.unloads, memory_order_relaxed);
	if (unlikely(s->symbol != symbol || t->gpu.unloads != unloads)) {
		if (t->gpu.unloads != unloads)
			memset(t->gpu.kernels, 0, sizeof t->gpu.kernels);
		t->gpu.unloads = unloads;
		const struct kernel *k = find_kernel(symbol);
		struct line *l = k ? named_line(t, k->shown, k->hash) : NULL;
		if (!l)
			return NULL;
		t->names[l - t->lines] = (uintptr_t)&k->called;
		*s = (struct seen_kernel){symbol, key_of(CUDA, k->hash), l};
	}
	*key = s->key;
	return s->line;
}

static void know_device(struct thread *t, const struct api_call *c)
{
	uint32_t device;
	if (!c->context || cupti.cuptiGetDeviceId(c->context, &device))
		return;
	t->gpu.context = c->context_id;
	t->gpu.device = physical(device);
	set_id(t, session->device, t->gpu.device);
}

static uint32_t stream_id(const struct api_call *c, const struct callee *n, const void *params, unsigned offset)
{
	uint32_t id = 0;
	if (c->context)
		cupti.cuptiGetStreamIdEx(c->context, offset ? (void *)word_at(params, offset) : NULL, n->own_stream, &id);
	return id;
}

/* A copy, in the same form for all functions. */
struct copy { uint64_t to, from, bytes; unsigned way; };

static int on_device(uint64_t pointer)
{
	uint32_t type = 0;
	return cuda_pointer_attribute && !cuda_pointer_attribute(&type, MEMORY_TYPE, pointer) && type == DEVICE_MEMORY;
}

/* One side of a two-dimensional copy: its kind, then its address on the host, then its address on the device. */
static uint64_t place_at(const char *p, unsigned *device)
{
	enum { HOST = 1, UNIFIED = 4 };
	uint32_t kind = half_at(p, 0);
	uint64_t address = word_at(p, kind == HOST ? 8 : 16);
	*device = kind == UNIFIED ? (unsigned)on_device(address) : kind != HOST;
	return address;
}

static struct copy read_copy(const struct cuda_function *f, const void *params)
{
	struct copy c = {0};
	unsigned from = 0, to = 0;
	const char *p;
	switch (f->form) {
	case COPY_2D: /* CUDA_MEMCPY2D */
		p = (const char *)word_at(params, 0);
		c.from = place_at(p + 16, &from), c.to = place_at(p + 72, &to);
		c.bytes = word_at(p, 112) * word_at(p, 120);
		c.way = to | from << 1;
		return c;
	default:
		c.to = word_at(params, f->first), c.from = word_at(params, f->second);
		c.bytes = word_at(params, f->bytes) * (f->times ? word_at(params, f->times) : 1);
		c.way = f->way;
	}
	if (c.way >= ANY_WAY) /* the addresses tell */
		c.way = (unsigned)on_device(c.to) | (unsigned)on_device(c.from) << 1;
	return c;
}

#define CALL_RECORD(t, o, type, correlation, ...) \
	RECORD(t, type, (o)->key & ~(0xffull << 56), (o)->line->counter - 1, (t)->gpu.device, correlation, ##__VA_ARGS__)

/* text returns the hash of a name, after introducing it to the collector once per thread. */
static uint64_t text(struct thread *t, const char *name)
{
	uint64_t h = name_hash(name);
	uint64_t *known = &t->gpu.texts[h % (sizeof t->gpu.texts / sizeof *t->gpu.texts)];
	if (*known != h && introduce(t, name, h))
		*known = h;
	return h;
}

/* function_name is like text for the name of a function. It hashes each name only
 * once: with all events on, four records of each call have the hash. */
static uint64_t function_name(struct thread *t, const struct api_call *c, struct callee *n)
{
	uint64_t h = atomic_load_explicit(&n->name, memory_order_relaxed);
	if (unlikely(!h))
		atomic_store_explicit(&n->name, h = name_hash(c->function), memory_order_relaxed);
	size_t number = n - *functions;
	uint64_t bit = 1ull << (number & 63), *known = &t->gpu.introduced[number >> 6];
	if (unlikely(!(*known & bit)) && introduce(t, c->function, h))
		*known |= bit;
	return h;
}

static void record_launch(struct thread *t, const struct gpu_call *o, const struct api_call *c, const struct callee *n)
{
	const struct cuda_function *f = n->function;
	const void *p = f->form == LAUNCH_CONFIG ? (const void *)word_at(c->params, 0) : c->params;
	if (unlikely(atomic_load_explicit(&gpu.sites, memory_order_relaxed)))
		record_stack(t, c->symbol ? text(t, c->symbol) : 0);
	CALL_RECORD(t, o, R_cudaKernelLaunch_begin, c->correlation, c->context_id, stream_id(c, n, p, f->stream),
		half_at(p, f->first), half_at(p, f->first + 4), half_at(p, f->first + 8),
		half_at(p, f->second), half_at(p, f->second + 4), half_at(p, f->second + 8), 0);
}

static void record_copy(struct thread *t, const struct gpu_call *o, const struct api_call *c, const struct callee *n, const struct copy *m)
{
	if (n->function->event == CUDA_memcpy_async)
		CALL_RECORD(t, o, R_cudaMemcpyAsync_begin, c->correlation, m->to, m->from, m->bytes, m->way, c->context_id, stream_id(c, n, c->params, n->function->stream));
	else
		CALL_RECORD(t, o, R_cudaMemcpy_begin, c->correlation, m->to, m->from, m->bytes, m->way);
}

static void record_begin(struct thread *t, const struct gpu_call *o, const struct api_call *c, struct callee *n, unsigned form)
{
	const struct cuda_function *f = n->function;
	uint64_t bytes = f && f->bytes ? word_at(c->params, f->bytes) * (f->times ? word_at(c->params, f->times) : 1) : 0;
	switch (form) {
	case WAIT_DEVICE:
		CALL_RECORD(t, o, R_cudaDeviceSync_begin, c->correlation);
		break;
	case WAIT_STREAM:
		CALL_RECORD(t, o, R_cudaStreamSync_begin, c->correlation, c->context_id, stream_id(c, n, (const void *[]){NULL, (void *)word_at(c->params, 0)}, 8));
		break;
	case ALLOCATE:
		CALL_RECORD(t, o, R_cudaMalloc_begin, c->correlation, bytes);
		break;
	case RELEASE:
		CALL_RECORD(t, o, R_cudaFree_begin, c->correlation, word_at(c->params, 0));
		break;
	default: {
		uint64_t function = function_name(t, c, n);
		CALL_RECORD(t, o, R_cudaCall_begin, c->correlation, function, f && c->params ? word_at(c->params, 0) : 0, bytes);
	}
	}
}

static void record_end(struct thread *t, const struct gpu_call *o, const struct api_call *c, struct callee *n, unsigned form)
{
	int64_t result = c->result ? *(const int *)c->result : 0;
	switch (form) {
	case LAUNCH: case LAUNCH_CONFIG:
		CALL_RECORD(t, o, R_cudaKernelLaunch_end, c->correlation, result);
		break;
	case COPY: case COPY_2D:
		CALL_RECORD(t, o, n->function->event == CUDA_memcpy_async ? R_cudaMemcpyAsync_end : R_cudaMemcpy_end, c->correlation, result);
		break;
	case WAIT_DEVICE:
		CALL_RECORD(t, o, R_cudaDeviceSync_end, c->correlation, result);
		break;
	case WAIT_STREAM:
		CALL_RECORD(t, o, R_cudaStreamSync_end, c->correlation, result);
		break;
	case ALLOCATE:
		CALL_RECORD(t, o, R_cudaMalloc_end, c->correlation, result ? 0 : *(const uint64_t *)word_at(c->params, 0), result);
		break;
	case RELEASE:
		CALL_RECORD(t, o, R_cudaFree_end, c->correlation, result);
		break;
	default: {
		uint64_t function = function_name(t, c, n);
		CALL_RECORD(t, o, R_cudaCall_end, c->correlation, function, result);
	}
	}
}

/* point records an event without an end: the enter or exit of the call c, or, if c is NULL, the event named what. */
static void point(struct thread *t, unsigned event, const struct api_call *c, struct callee *n, const char *what, uint64_t handle)
{
	uint64_t key;
	struct line *l = event_line(t, event, &key);
	if (!l)
		return;
	begin_line(t, l, key);
	if (decide(t, l, key, event)) {
		uint64_t name = c ? function_name(t, c, n) : text(t, what);
		RECORD(t, R_cudaPoint, key & ~(0xffull << 56), l->counter - 1, t->gpu.device, c ? c->correlation : 0, name, c ? c->context_id : t->gpu.context, handle);
	}
	end_line(t, l, key);
}

/* begin_call decides a call that begins. The decision
 * also applies to the device activity of the call. */
static void begin_call(struct thread *t, struct gpu_call *o, const struct api_call *c, struct callee *n, unsigned event)
{
	unsigned form = n->form;
	struct copy m = {0};
	if (unlikely(c->context_id != t->gpu.context))
		know_device(t, c);
	if (form <= LAUNCH_CONFIG && c->symbol) {
		o->line = kernel_line(t, c->symbol, &o->key);
	} else {
		if (form >= COPY && form <= COPY_2D) {
			m = read_copy(n->function, c->params);
			if (event != CUDA_memcpy_async)
				event = (const uint8_t[]){CUDA_memcpy_HtoH, CUDA_memcpy_HtoD, CUDA_memcpy_DtoH, CUDA_memcpy_DtoD}[m.way & 3];
		}
		o->line = event_line(t, event, &o->key);
	}
	if (!o->line)
		return;
	begin_line(t, o->line, o->key);
	o->since = monitor_begin(o->line);
	o->recorded = decide(t, o->line, o->key, event);
	if (atomic_load_explicit(&gpu.collecting, memory_order_relaxed) && form <= GRAPH) {
		unsigned chosen = o->recorded ? CHOSEN_RUN : 0;
		if (form <= LAUNCH_CONFIG) {
			chosen |= decide(t, o->line, o->key, CUDA_kernel_complete) ? CHOSEN_RUN : 0;
			chosen |= decide(t, o->line, o->key, CUDA_kernel_enqueue) ? CHOSEN_QUEUE : 0;
		}
		mark_chosen(c->correlation, chosen);
	}
	if (!o->recorded)
		return;
	if (form <= LAUNCH_CONFIG)
		record_launch(t, o, c, n);
	else if (form <= COPY_2D)
		record_copy(t, o, c, n, &m);
	else
		record_begin(t, o, c, n, form);
}

static void end_call(struct thread *t, struct gpu_call *o, const struct api_call *c, struct callee *n)
{
	if (!o->line)
		return;
	if (o->recorded)
		record_end(t, o, c, n, n->form);
	monitor_end(t, o->line, o->key, o->since);
	end_line(t, o->line, o->key);
	o->line = NULL;
}

static void on_call(struct thread *t, int about, uint32_t id, const struct api_call *c)
{
	struct callee *n = &functions[about][id];
	struct gpu_call *o = about == DRIVER_API ? &t->gpu.driver : &t->gpu.runtime;
	if (c->site == API_ENTER) {
		o->line = NULL;
		check_pause();
		if (asleep(t, CUDA))
			return;
		if (unlikely(atomic_load_explicit(&gpu.hear_all, memory_order_relaxed)))
			point(t, CUDA_api_enter, c, n, NULL, 0);
		if (unlikely(n->event == CUDA_device_reset))
			flush_records(); /* they are lost with the context */
		begin_call(t, o, c, n, n->event);
	} else {
		end_call(t, o, c, n);
		if (unlikely(atomic_load_explicit(&gpu.hear_all, memory_order_relaxed)) && !asleep(t, CUDA))
			point(t, CUDA_api_exit, c, n, NULL, 0);
	}
}

static void on_resource(struct thread *t, uint32_t id, const struct resource *r)
{
	static const struct { uint8_t event; const char *name; } points[] = {
		[CONTEXT_CREATED] = {CUDA_context_create, "context created"}, [CONTEXT_DESTROYED] = {CUDA_context_destroy, "context destroyed"},
		[CU_INITIALIZED] = {CUDA_device_init, "initialized"},
		[MODULE_LOADED] = {CUDA_module_load, "module loaded"}, [MODULE_UNLOADED] = {CUDA_module_unload, "module unloaded"},
	};
	if (id == CONTEXT_CREATED)
		use_device();
	if (id == CONTEXT_DESTROYED)
		flush_records();
	if (id == CONTEXT_DESTROYED || id == MODULE_UNLOADED)
		atomic_fetch_add(&gpu.unloads, 1);
	if (id < sizeof points / sizeof *points && points[id].name && !asleep(t, CUDA))
		point(t, points[id].event, NULL, NULL, points[id].name, (uint64_t)r->context);
}

void on_callback(void *unused, int about, uint32_t id, const void *data)
{
	(void)unused;
	struct thread *t = here();
	if (!t || !data)
		return;
	if (unlikely(!policy_applied()))
		apply_policy(t);
	if (about <= RUNTIME_API) {
		if (id < MAX_FUNCTIONS)
			on_call(t, about, id, data);
	} else if (about == RESOURCE) {
		on_resource(t, id, data);
	} else if (about == SYNCHRONIZE && !asleep(t, CUDA)) {
		point(t, CUDA_synchronize, NULL, NULL, id == STREAM_SYNCHRONIZED ? "stream synchronized" : "context synchronized",
			(uint64_t)((const struct synchronized *)data)->stream);
	}
}
