/* What CUPTI has to report under the current policy. */
#include <pthread.h>
#include <time.h>

#include "gpu.h"

void *subscriber;

static void hear(int about, uint32_t id, int on)
{
	static uint8_t others[SYNCHRONIZE + 1][16];
	uint8_t *heard = about <= RUNTIME_API ? &functions[about][id].heard : &others[about][id];
	if (*heard != on && !cupti.cuptiEnableCallback(on, subscriber, about, id))
		*heard = on;
}

/* listen requests the callbacks of these events. Synchronising calls are always requested: there
 * a sleeping domain notices that it must wake up. */
static void listen(uint64_t events)
{
	const uint64_t copies = 1ull << CUDA_memcpy_HtoD | 1ull << CUDA_memcpy_DtoH | 1ull << CUDA_memcpy_DtoD | 1ull << CUDA_memcpy_HtoH;
	const uint64_t points = 1ull << CUDA_api_enter | 1ull << CUDA_api_exit;
	int all[] = {[DRIVER_API] = !!(events & (points | 1ull << CUDA_driver_call)), [RUNTIME_API] = !!(events & (points | 1ull << CUDA_runtime_call))};
	for (int about = DRIVER_API; about <= RUNTIME_API; about++)
		for (uint32_t id = 1; id < MAX_FUNCTIONS; id++) {
			const struct callee *n = &functions[about][id];
			const struct cuda_function *f = n->function;
			if (!n->known)
				continue;
			uint64_t mask = !f ? 0 : f->event == CUDA_memcpy_HtoH ? copies : 1ull << f->event;
			if (f && f->event == CUDA_kernel_launch)
				mask |= 1ull << CUDA_kernel_complete | 1ull << CUDA_kernel_enqueue;
			hear(about, id, all[about] || (f && (events & mask || f->form == WAIT_DEVICE || f->form == WAIT_STREAM || f->event == CUDA_device_reset)));
		}
	atomic_store(&gpu.hear_all, !!(events & points));
	hear(RESOURCE, CONTEXT_CREATED, 1);
	hear(RESOURCE, CONTEXT_DESTROYED, 1);
	hear(RESOURCE, CU_INITIALIZED, events >> CUDA_device_init & 1);
	hear(RESOURCE, MODULE_LOADED, events >> CUDA_module_load & 1);
	hear(RESOURCE, MODULE_UNLOADED, 1); /* kernels are unloaded with their module */
	hear(SYNCHRONIZE, STREAM_SYNCHRONIZED, events >> CUDA_synchronize & 1);
	hear(SYNCHRONIZE, CONTEXT_SYNCHRONIZED, events >> CUDA_synchronize & 1);
}

/* collects reports whether this process collects device times: by its own setting, or because
 * the collector has picked it on its node. */
static int collects(uint32_t activity)
{
	uint64_t beat = 0;
	int quiet = 0;
	if (activity <= ACTIVITY_ON || !atomic_load(&process->cuda))
		return activity == ACTIVITY_ON;
	while (!atomic_load(&process->picked) && collector_lives(&beat, &quiet))
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	return atomic_load(&process->picked) == PICKED;
}

/* use_device notes that a context was created. Launchers query devices too, but use none. */
void use_device(void)
{
	atomic_store(&process->cuda, 1);
	atomic_store(&gpu.applied, UINT64_MAX); /* some records can be requested only now */
}

/* apply_policy makes CUPTI report everything that the policy can choose, and no more. */
void apply_policy(struct thread *t)
{
	static pthread_mutex_t applying = PTHREAD_MUTEX_INITIALIZER;
	if (pthread_mutex_trylock(&applying))
		return; /* another thread does it, or this one: CUPTI calls back */
	uint64_t generation = atomic_load(&process->generation);
	struct reach r = reach(t, CUDA);
	listen(r.mode >= MONITORING ? r.events[0] : 0);
	collect_records(r.mode == TRACING && collects(r.activity) ? r.events[0] : 0);
	atomic_store(&gpu.sites, r.sites);
	atomic_store(&gpu.applied, generation);
	pthread_mutex_unlock(&applying);
}
