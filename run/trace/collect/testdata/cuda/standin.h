/* A stand-in for the driver of CUDA and for CUPTI, with the entry points that the agent and
 * the test program use. There is no device: work "runs" on a clock of its own. */
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

/* What a launch costs the one who has subscribed, in nanoseconds, beside an empty callback: the
 * least of some rounds that take turns. */
void standin_time(struct standin_function *, unsigned long launches, double *empty, double *subscriber);

/* What really happened on the device, and of how much there was a record. */
unsigned long standin_ran(void), standin_kept(void);
