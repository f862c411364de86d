/* A simulation of the CUDA driver and of CUPTI, with the entry points that the agent and the
 * test program use. There is no device: work "runs" on a simulated clock. */
#include <stddef.h>
#include <stdint.h>

struct standin_function { const char *symbol; };

int cuInit(unsigned);
int cuLaunchKernel(struct standin_function *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned shared, void *stream, void **, void **);
int cuMemAlloc_v2(uint64_t *, size_t);
int cuMemFree_v2(uint64_t);
int cuMemcpyHtoD_v2(uint64_t, const void *, size_t);
int cuMemcpyDtoH_v2(void *, uint64_t, size_t);
int cuMemcpy(uint64_t, uint64_t, size_t);
int cuMemcpyHtoDAsync_v2(uint64_t, const void *, size_t, void *stream);
int cuMemsetD8Async(uint64_t, unsigned char, size_t, void *stream);
int cuEventRecord(void *event, void *stream);
int cuStreamSynchronize(void *stream);
int cuCtxSynchronize_v2(void *context);
int cuGraphLaunch(void *graph, void *stream);

int cuModuleUnload(void *module);

/* The cost of a launch for a subscriber, in nanoseconds, and the cost of an empty callback: the
 * minimum of several rounds that alternate. */
void standin_time(struct standin_function *, unsigned long launches, double *empty, double *subscriber);

/* What the device really did, and how much of it was recorded. */
unsigned long standin_ran(void), standin_kept(void);
