/* The events of CUDA's functions, and the offsets of their parameters.
 * Runtime functions call driver functions with the same correlation id,
 * so the driver's functions are enough, whichever kind a program uses. */
#include <string.h>

#include "gpu.h"

#define COPIES(name, ...) {name, CUDA_memcpy_HtoH, COPY, ##__VA_ARGS__}, {name "Async", CUDA_memcpy_async, COPY, ##__VA_ARGS__}

static const struct cuda_function driver_functions[] = {
	{"cuLaunchKernel", CUDA_kernel_launch, LAUNCH, .first = 8, .second = 20, .stream = 40},
	{"cuLaunchCooperativeKernel", CUDA_kernel_launch, LAUNCH, .first = 8, .second = 20, .stream = 40},
	{"cuLaunchKernelEx", CUDA_kernel_launch, LAUNCH_CONFIG, .first = 0, .second = 12, .stream = 32},
	COPIES("cuMemcpyHtoD", .first = 0, .second = 8, .bytes = 16, .way = HTOD, .stream = 24),
	COPIES("cuMemcpyDtoH", .first = 0, .second = 8, .bytes = 16, .way = DTOH, .stream = 24),
	COPIES("cuMemcpyDtoD", .first = 0, .second = 8, .bytes = 16, .way = DTOD, .stream = 24),
	COPIES("cuMemcpy", .first = 0, .second = 8, .bytes = 16, .way = ANY_WAY, .stream = 24),
	COPIES("cuMemcpyPeer", .first = 0, .second = 16, .bytes = 32, .way = DTOD, .stream = 40),
	{"cuMemcpy2D", CUDA_memcpy_HtoH, COPY_2D, .first = 0}, {"cuMemcpy2DUnaligned", CUDA_memcpy_HtoH, COPY_2D, .first = 0}, {"cuMemcpy2DAsync", CUDA_memcpy_async, COPY_2D, .stream = 8},
	{"cuMemsetD8", CUDA_memset, SET, .first = 0, .bytes = 16}, {"cuMemsetD16", CUDA_memset, SET, .first = 0, .bytes = 16}, {"cuMemsetD32", CUDA_memset, SET, .first = 0, .bytes = 16},
	{"cuMemsetD8Async", CUDA_memset, SET, .first = 0, .bytes = 16, .stream = 24}, {"cuMemsetD16Async", CUDA_memset, SET, .first = 0, .bytes = 16, .stream = 24},
	{"cuMemsetD32Async", CUDA_memset, SET, .first = 0, .bytes = 16, .stream = 24},
	{"cuMemAlloc", CUDA_malloc, ALLOCATE, .bytes = 8}, {"cuMemAllocAsync", CUDA_malloc, ALLOCATE, .bytes = 8}, {"cuMemAllocFromPoolAsync", CUDA_malloc, ALLOCATE, .bytes = 8},
	{"cuMemAllocPitch", CUDA_malloc, ALLOCATE, .bytes = 16, .times = 24}, {"cuMemFree", CUDA_free, RELEASE, .first = 0}, {"cuMemFreeAsync", CUDA_free, RELEASE, .first = 0},
	{"cuMemAllocHost", CUDA_malloc_host, CALL, .bytes = 8}, {"cuMemHostAlloc", CUDA_malloc_host, CALL, .bytes = 8}, {"cuMemFreeHost", CUDA_free_host, CALL, .first = 0},
	{"cuMemAllocManaged", CUDA_malloc_managed, CALL, .bytes = 8},
	{"cuCtxSynchronize", CUDA_device_synchronize, WAIT_DEVICE, .first = 0}, {"cuStreamSynchronize", CUDA_stream_synchronize, WAIT_STREAM, .first = 0},
	{"cuStreamCreate", CUDA_stream_create, CALL, .first = 0}, {"cuStreamCreateWithPriority", CUDA_stream_create, CALL, .first = 0}, {"cuStreamDestroy", CUDA_stream_destroy, CALL, .first = 0},
	{"cuEventCreate", CUDA_event_create, CALL, .first = 0}, {"cuEventRecord", CUDA_event_record, CALL, .first = 0}, {"cuEventRecordWithFlags", CUDA_event_record, CALL, .first = 0},
	{"cuEventSynchronize", CUDA_event_synchronize, CALL, .first = 0}, {"cuEventDestroy", CUDA_event_destroy, CALL, .first = 0},
	{"cuDevicePrimaryCtxReset", CUDA_device_reset, CALL, .first = 0}, {"cuCtxPushCurrent", CUDA_context_push, CALL, .first = 0}, {"cuCtxPopCurrent", CUDA_context_pop, CALL, .first = 0},
	{"cuModuleGetFunction", CUDA_function_load, CALL, .first = 0}, {"cuLibraryGetKernel", CUDA_function_load, CALL, .first = 0},
	{"cuGraphCreate", CUDA_graph_create, CALL, .first = 0}, {"cuStreamEndCapture", CUDA_graph_create, CALL, .first = 0}, {"cuGraphInstantiate", CUDA_graph_create, CALL, .first = 0},
	{"cuGraphInstantiateWithFlags", CUDA_graph_create, CALL, .first = 0}, {"cuGraphInstantiateWithParams", CUDA_graph_create, CALL, .first = 0},
	{"cuGraphLaunch", CUDA_graph_launch, GRAPH, .first = 0}, {"cuGraphDestroy", CUDA_graph_destroy, CALL, .first = 0}, {"cuGraphExecDestroy", CUDA_graph_destroy, CALL, .first = 0},
	{"cuMemPrefetchAsync", CUDA_unified_memory_prefetch, CALL, .bytes = 8},
};

/* plain returns the length of a function's name without its version,
 * and without the suffix for a separate default stream in each thread. */
static size_t plain(const char *name, int *own_stream)
{
	size_t n = strlen(name), end = 0;
	while (end != n) {
		end = n;
		if (n > 5 && (!memcmp(name + n - 5, "_ptsz", 5) || !memcmp(name + n - 5, "_ptds", 5)))
			n -= 5, *own_stream = 1;
		size_t digits = n;
		while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
			digits--;
		if (digits < n && digits > 2 && name[digits - 1] == 'v' && name[digits - 2] == '_')
			n = digits - 2;
	}
	return n;
}

static void read_api(int about, const struct cuda_function *list, size_t count, struct callee *out)
{
	for (uint32_t id = 1; id < MAX_FUNCTIONS; id++) {
		const char *name = NULL;
		if (cupti.cuptiGetCallbackName(about, id, &name) || !name)
			continue;
		int own = 0;
		size_t n = plain(name, &own);
		out[id] = (struct callee){NULL, about == DRIVER_API ? CUDA_driver_call : CUDA_runtime_call, CALL, 1, own, 0, 0};
		for (size_t i = 0; i < count && !out[id].function; i++)
			if (strlen(list[i].name) == n && !memcmp(list[i].name, name, n))
				out[id] = (struct callee){&list[i], list[i].event, list[i].form, 1, own, 0, 0};
	}
}

struct callee functions[RUNTIME_API + 1][MAX_FUNCTIONS];

/* read_functions asks CUPTI for the names of its function numbers, which differ between versions. */
void read_functions(void)
{
	read_api(RUNTIME_API, NULL, 0, functions[RUNTIME_API]);
	read_api(DRIVER_API, driver_functions, sizeof driver_functions / sizeof *driver_functions, functions[DRIVER_API]);
}
