/* Declarations shared by the sources for CUDA. */
#ifndef PENTODE_GPU_H
#define PENTODE_GPU_H

#include "cuda_events.h" /* generated from the list in cuda.go */
#include "cupti_api.h"
#include "decide.h"
#include "monitor.h"

/* A kernel, and the names that sections may use for it. */
struct kernel {
	struct kernel *next;
	uint64_t hash; /* of the displayed name */
	struct called called;
	char *symbol, *shown;
};

extern HIDDEN struct cupti cupti;

/* The kind of a function, which determines what is recorded of it. */
enum form { LAUNCH, LAUNCH_CONFIG, COPY, COPY_2D, SET, GRAPH, ALLOCATE, RELEASE, WAIT_DEVICE, WAIT_STREAM, CALL };
enum way { HTOH, HTOD, DTOH, DTOD, ANY_WAY }; /* in the numbering of cudaMemcpyKind */

/* A CUDA function with a separate event, and the offsets of its parameters in bytes. */
struct cuda_function {
	const char *name;
	uint8_t event, form;
	uint8_t first, second, bytes, times, way, stream;
};

/* A function, by CUPTI's number. */
struct callee {
	const struct cuda_function *function; /* NULL: it has no separate event */
	uint8_t event, form; /* of the function */
	uint8_t known, own_stream, heard;
	_Atomic uint64_t name; /* the hash of its name, set at its first call */
};

extern HIDDEN struct callee functions[RUNTIME_API + 1][MAX_FUNCTIONS];
HIDDEN void read_functions(void);

HIDDEN const struct kernel *find_kernel(const char *symbol);
HIDDEN struct line *named_line(struct thread *, const char *name, uint64_t hash);
HIDDEN uint32_t physical(uint32_t device);
HIDDEN int load_cupti(void);

enum { MEMORY_TYPE = 2, DEVICE_MEMORY = 2 };
extern HIDDEN int (*cuda_pointer_attribute)(void *, int attribute, uint64_t);
HIDDEN void record_stack(struct thread *, uint64_t symbol);
HIDDEN void on_callback(void *, int about, uint32_t id, const void *data);
extern HIDDEN void *subscriber;
HIDDEN void apply_policy(struct thread *);
HIDDEN void use_device(void);

/* The data that every call reads, in one cache line. */
struct gpu_state {
	_Atomic uint64_t applied; /* the generation of the policy that was applied to CUPTI */
	_Atomic uint32_t unloads; /* unloaded modules: other kernels may have the addresses of their names */
	_Atomic int collecting; /* whether device times are collected */
	_Atomic int hear_all; /* whether functions without a separate event are reported too */
	_Atomic int sites; /* whether launches are recorded with their stacks */
};
extern HIDDEN struct gpu_state gpu;

static inline int policy_applied(void)
{
	return atomic_load_explicit(&gpu.applied, memory_order_relaxed) == atomic_load_explicit(&process->generation, memory_order_relaxed);
}

enum { CHOSEN_RUN = 1, CHOSEN_QUEUE = 2 }; /* when it ran, when it was queued */
HIDDEN void mark_chosen(uint32_t correlation, unsigned chosen);
HIDDEN void collect_records(uint64_t events);
HIDDEN void flush_records(void);

#endif
