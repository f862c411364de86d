/* What the agent declares of CUPTI is where CUPTI has it. */
#include <cupti.h>

#include "cupti_api.h"

#if CUPTI_API_VERSION >= 130000 /* CUDA 13 */
typedef CUpti_ActivityKernel10 kernel;
typedef CUpti_ActivityMemcpy6 copy;
#elif CUPTI_API_VERSION > 18 /* CUDA 12 */
typedef CUpti_ActivityKernel9 kernel;
typedef CUpti_ActivityMemcpy5 copy;
#else /* CUDA 11.8 */
typedef CUpti_ActivityKernel8 kernel;
typedef CUpti_ActivityMemcpy5 copy;
#endif

#define SAME(ours, field, theirs, member) \
	_Static_assert(offsetof(struct ours, field) == offsetof(theirs, member) && sizeof ((struct ours *)0)->field == sizeof ((theirs *)0)->member, #member)

SAME(api_call, site, CUpti_CallbackData, callbackSite);
SAME(api_call, function, CUpti_CallbackData, functionName);
SAME(api_call, params, CUpti_CallbackData, functionParams);
SAME(api_call, result, CUpti_CallbackData, functionReturnValue);
SAME(api_call, symbol, CUpti_CallbackData, symbolName);
SAME(api_call, context, CUpti_CallbackData, context);
SAME(api_call, context_id, CUpti_CallbackData, contextUid);
SAME(api_call, shared, CUpti_CallbackData, correlationData);
SAME(api_call, correlation, CUpti_CallbackData, correlationId);
SAME(resource, context, CUpti_ResourceData, context);
SAME(resource, handle, CUpti_ResourceData, resourceHandle);
SAME(synchronized, stream, CUpti_SynchronizeData, stream);
SAME(kernel_record, kind, kernel, kind);
SAME(kernel_record, start, kernel, start);
SAME(kernel_record, end, kernel, end);
SAME(kernel_record, device, kernel, deviceId);
SAME(kernel_record, context, kernel, contextId);
SAME(kernel_record, stream, kernel, streamId);
SAME(kernel_record, correlation, kernel, correlationId);
SAME(kernel_record, name, kernel, name);
SAME(kernel_record, graph, kernel, graphId);
SAME(memcpy_record, copy, copy, copyKind);
SAME(memcpy_record, bytes, copy, bytes);
SAME(memcpy_record, start, copy, start);
SAME(memcpy_record, end, copy, end);
SAME(memcpy_record, device, copy, deviceId);
SAME(memcpy_record, context, copy, contextId);
SAME(memcpy_record, stream, copy, streamId);
SAME(memcpy_record, correlation, copy, correlationId);
SAME(memset_record, bytes, CUpti_ActivityMemset4, bytes);
SAME(memset_record, start, CUpti_ActivityMemset4, start);
SAME(memset_record, end, CUpti_ActivityMemset4, end);
SAME(memset_record, device, CUpti_ActivityMemset4, deviceId);
SAME(memset_record, stream, CUpti_ActivityMemset4, streamId);
SAME(memset_record, correlation, CUpti_ActivityMemset4, correlationId);
SAME(migration_record, counter, CUpti_ActivityUnifiedMemoryCounter2, counterKind);
SAME(migration_record, value, CUpti_ActivityUnifiedMemoryCounter2, value);
SAME(migration_record, start, CUpti_ActivityUnifiedMemoryCounter2, start);
SAME(migration_record, end, CUpti_ActivityUnifiedMemoryCounter2, end);
SAME(migration_record, from, CUpti_ActivityUnifiedMemoryCounter2, srcId);
SAME(migration_record, to, CUpti_ActivityUnifiedMemoryCounter2, dstId);
SAME(migration_config, on, CUpti_ActivityUnifiedMemoryCounterConfig, enable);

_Static_assert(
	DRIVER_API == CUPTI_CB_DOMAIN_DRIVER_API && RUNTIME_API == CUPTI_CB_DOMAIN_RUNTIME_API && RESOURCE == CUPTI_CB_DOMAIN_RESOURCE && SYNCHRONIZE == CUPTI_CB_DOMAIN_SYNCHRONIZE &&
	CONTEXT_CREATED == CUPTI_CBID_RESOURCE_CONTEXT_CREATED && CONTEXT_DESTROYED == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING && CU_INITIALIZED == CUPTI_CBID_RESOURCE_CU_INIT_FINISHED &&
	MODULE_LOADED == CUPTI_CBID_RESOURCE_MODULE_LOADED && MODULE_UNLOADED == CUPTI_CBID_RESOURCE_MODULE_UNLOAD_STARTING &&
	STREAM_SYNCHRONIZED == CUPTI_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED && CONTEXT_SYNCHRONIZED == CUPTI_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED &&
	MEMCPY_RECORD == CUPTI_ACTIVITY_KIND_MEMCPY && MEMSET_RECORD == CUPTI_ACTIVITY_KIND_MEMSET && KERNEL_RECORD == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL &&
	MIGRATION_RECORD == CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER && CUPTI_TAKEN == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED && CUPTI_LIMIT == CUPTI_ERROR_MAX_LIMIT_REACHED &&
	MIGRATION_SCOPE == CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE && BYTES_HTOD == CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD &&
	BYTES_DTOH == CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH, "numbers");
