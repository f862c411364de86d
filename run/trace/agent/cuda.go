package agent

import (
	"fmt"
	"strings"
)

// CudaEvents are the events of the domain CUDA in the order of their ids in the catalogue.
var CudaEvents = strings.Fields(`
	CUDA_context_create CUDA_context_destroy CUDA_device_init CUDA_device_reset CUDA_device_synchronize
	CUDA_stream_create CUDA_stream_destroy CUDA_stream_synchronize
	CUDA_event_create CUDA_event_record CUDA_event_synchronize CUDA_event_destroy
	CUDA_memcpy_HtoD CUDA_memcpy_DtoH CUDA_memcpy_DtoD CUDA_memcpy_HtoH CUDA_memcpy_async
	CUDA_memset CUDA_malloc CUDA_free CUDA_malloc_host CUDA_free_host CUDA_malloc_managed
	CUDA_kernel_launch CUDA_kernel_complete CUDA_kernel_enqueue
	CUDA_api_enter CUDA_api_exit CUDA_driver_call CUDA_runtime_call CUDA_synchronize
	CUDA_context_push CUDA_context_pop CUDA_module_load CUDA_module_unload CUDA_function_load
	CUDA_graph_create CUDA_graph_launch CUDA_graph_destroy
	CUDA_unified_memory_migrate CUDA_unified_memory_prefetch
	CUDA_nvtx_range_push CUDA_nvtx_range_pop CUDA_nvtx_mark`)

// cudaEventsHeader returns the list as a C header for the agent.
func cudaEventsHeader() string {
	var b strings.Builder
	b.WriteString("enum {\n")
	for i, name := range CudaEvents {
		fmt.Fprintf(&b, "\t%s = %d,\n", name, i)
	}
	fmt.Fprintf(&b, "\tCUDA_EVENTS = %d,\n};\n#define CUDA_EVENT_NAMES \"%s\"\n", len(CudaEvents), strings.Join(CudaEvents, `", "`))
	return b.String()
}

// cudaRecords are the records for CUDA. Records that PInsight also has keep its names. Each
// record begins with the region, a kernel or an event, in `kernel_func`.
func cudaRecords() (list []Record) {
	host := func(name, begin, end string) {
		const common = "u32 devId, u32 correlationId"
		join := func(more string) []Field {
			if more == "" {
				return fields(common)
			}
			return fields(common + ", " + more)
		}
		list = append(list, Record{CUDA, name + "_begin", "", join(begin)}, Record{CUDA, name + "_end", "", join(end)})
	}
	const copied = "hex dst, hex src, u64 count, i32 cudaMemcpyKind"
	host("cudaKernelLaunch", "u32 contextId, u32 streamId, u32 gridDimX, u32 gridDimY, u32 gridDimZ, u32 blockDimX, u32 blockDimY, u32 blockDimZ, site cuda_codeptr", "i32 return_val")
	host("cudaMemcpy", copied, "i32 return_val")
	host("cudaMemcpyAsync", copied+", u32 contextId, u32 streamId", "i32 return_val")
	host("cudaDeviceSync", "", "i32 return_val")
	host("cudaStreamSync", "u32 contextId, u32 streamId", "i32 return_val")
	host("cudaMalloc", "u64 size", "hex dev_ptr, i32 return_val")
	host("cudaFree", "hex dev_ptr", "i32 return_val")
	host("cudaCall", "text function, hex handle, u64 bytes", "text function, i32 return_val") // all other events
	list = append(list, Record{CUDA, "cudaPoint", "", fields("u32 devId, u32 correlationId, text function, u32 contextId, hex handle")})
	device := func(name, more string) {
		list = append(list, Record{Device, name, "", fields("u32 devId, u32 correlationId, u64 start_gpu, u64 end_gpu, u32 contextId, u32 streamId, " + more)})
	}
	device("cudaKernelActivity", "text kernelName, u32 graphId")
	device("cudaKernelEnqueue", "text kernelName") // from the host's queue to the device's queue
	device("cudaMemcpyActivity", "u64 bytes, i32 cudaMemcpyKind")
	device("cudaMemsetActivity", "u64 bytes")
	device("cudaMigrationActivity", "u64 bytes, i32 direction")
	return list
}
