/* The parts of CUPTI that the agent uses: functions, and the first fields of records, which are
 * the same in CUDA 11, 12 and 13. The agent is built without CUDA. */
#ifndef PENTODE_CUPTI_API_H
#define PENTODE_CUPTI_API_H

#include <stddef.h>
#include <stdint.h>

enum { DRIVER_API = 1, RUNTIME_API = 2, RESOURCE = 3, SYNCHRONIZE = 4 }; /* the kind of a callback */
enum { API_ENTER = 0, API_EXIT = 1 };
enum { CONTEXT_CREATED = 1, CONTEXT_DESTROYED = 2, CU_INITIALIZED = 5, MODULE_LOADED = 6, MODULE_UNLOADED = 7 };
enum { STREAM_SYNCHRONIZED = 1, CONTEXT_SYNCHRONIZED = 2 };
enum { MEMCPY_RECORD = 1, MEMSET_RECORD = 2, KERNEL_RECORD = 10, MIGRATION_RECORD = 25 };
enum { CUPTI_TAKEN = 39, CUPTI_LIMIT = 12 }; /* errors: CUPTI has another subscriber */

struct api_call {
	int32_t site;
	const char *function;
	const void *params;
	void *result;
	const char *symbol; /* of the launched kernel */
	void *context;
	uint32_t context_id;
	uint64_t *shared;
	uint32_t correlation;
};

struct resource { void *context, *handle, *descriptor; };
struct synchronized { void *context, *stream; };

struct kernel_record {
	uint32_t kind;
	uint32_t config[3];
	uint64_t start, end, completed;
	uint32_t device, context, stream;
	int32_t grid[3], block[3], shared_static, shared_dynamic;
	uint32_t local, local_total, correlation;
	int64_t grid_id;
	const char *name;
	void *reserved;
	uint64_t queued, submitted;
	uint8_t launch[4];
	uint32_t shared_executed;
	uint64_t graph_node;
	uint32_t shared_limit, graph;
};

struct memcpy_record {
	uint32_t kind;
	uint8_t copy, from, to, flags;
	uint64_t bytes, start, end;
	uint32_t device, context, stream, correlation;
};

struct memset_record {
	uint32_t kind, value;
	uint64_t bytes, start, end;
	uint32_t device, context, stream, correlation;
};

struct migration_record {
	uint32_t kind, counter;
	uint64_t value, start, end, address;
	uint32_t from, to, stream, process;
};

/* The settings for unified memory. */
struct migration_config { uint32_t scope, kind, device, on; };
enum { MIGRATION_SCOPE = 1, BYTES_HTOD = 1, BYTES_DTOH = 2 };

typedef void (*cupti_callback)(void *, int about, uint32_t id, const void *);
typedef void (*cupti_buffer_wanted)(uint8_t **, size_t *size, size_t *records);
typedef void (*cupti_buffer_filled)(void *context, uint32_t stream, uint8_t *, size_t size, size_t valid);

#define CUPTI_NEEDED(f)                                                            \
	f(cuptiGetVersion, (uint32_t *))                                               \
	f(cuptiSubscribe, (void **, cupti_callback, void *))                           \
	f(cuptiUnsubscribe, (void *))                                                  \
	f(cuptiEnableCallback, (uint32_t on, void *, int about, uint32_t id))          \
	f(cuptiGetCallbackName, (int about, uint32_t id, const char **))               \
	f(cuptiGetDeviceId, (void *context, uint32_t *))                               \
	f(cuptiGetStreamIdEx, (void *context, void *stream, uint8_t own, uint32_t *))  \
	f(cuptiGetTimestamp, (uint64_t *))                                             \
	f(cuptiActivityEnable, (uint32_t kind))                                        \
	f(cuptiActivityDisable, (uint32_t kind))                                       \
	f(cuptiActivityRegisterCallbacks, (cupti_buffer_wanted, cupti_buffer_filled))  \
	f(cuptiActivityFlushAll, (uint32_t))                                           \
	f(cuptiActivityGetNextRecord, (uint8_t *, size_t, void **))                    \
	f(cuptiActivityGetNumDroppedRecords, (void *context, uint32_t stream, size_t *))

#define CUPTI_OPTIONAL(f)                                                          \
	f(cuptiActivityFlushPeriod, (uint32_t milliseconds))                           \
	f(cuptiActivityEnableLatencyTimestamps, (uint8_t on))                          \
	f(cuptiActivityConfigureUnifiedMemoryCounter, (struct migration_config *, uint32_t))

#define CUPTI_POINTER(name, parameters) int(*name) parameters;
struct cupti {
	CUPTI_NEEDED(CUPTI_POINTER)
	CUPTI_OPTIONAL(CUPTI_POINTER)
};

#endif
