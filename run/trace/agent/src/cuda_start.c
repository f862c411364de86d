/* Where CUDA begins to be traced. The driver loads what CUDA_INJECTION64_PATH names when a
 * program initialises CUDA, and calls InitializeInjection: a program that never does is
 * left alone, and so is its GPU. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "gpu.h"

struct cupti cupti;
struct gpu_state gpu __attribute__((aligned(64))) = {.applied = UINT64_MAX};
int (*cuda_pointer_attribute)(void *, int, uint64_t);

static void *subscriber;
static pid_t subscribed;

/* beside looks for CUPTI where the program's CUDA runtime is: in its folder, or where an
 * installation and a Python package have it from there. */
static int beside(struct dl_phdr_info *info, size_t size, void *found)
{
	(void)size;
	static const char *const places[] = {"", "/../extras/CUPTI/lib64", "/../../cuda_cupti/lib"};
	static const char *const names[] = {"libcupti.so", "libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8"};
	const char *slash = strrchr(info->dlpi_name, '/');
	if (!slash || strncmp(slash + 1, "libcudart", 9))
		return 0;
	for (unsigned p = 0; p < sizeof places / sizeof *places; p++)
		for (unsigned n = 0; n < sizeof names / sizeof *names; n++) {
			char path[4096];
			if ((size_t)snprintf(path, sizeof path, "%.*s%s/%s", (int)(slash - info->dlpi_name), info->dlpi_name, places[p], names[n]) < sizeof path && !access(path, R_OK)) {
				*(char **)found = strdup(path);
				return 1;
			}
		}
	return 0;
}

static void *load_cupti(void)
{
	static const char *const names[] = {
		"libcupti.so", "libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8",
		"/usr/local/cuda/extras/CUPTI/lib64/libcupti.so", "/usr/local/cuda/lib64/libcupti.so",
	};
	char *path = NULL;
	void *library = NULL;
	for (unsigned i = 0; i < 4 && !library; i++) /* the program may have it already */
		library = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);
	if (!library && dl_iterate_phdr(beside, &path)) {
		library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
		free(path);
	}
	for (unsigned i = 0; i < sizeof names / sizeof *names && !library; i++)
		library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
	return library;
}

static int find_functions(void *library)
{
	int missing = 0;
#define FIND(name, parameters) *(void **)&cupti.name = dlsym(library, #name);
#define MUST(name, parameters) missing += !cupti.name;
	CUPTI_NEEDED(FIND)
	CUPTI_OPTIONAL(FIND)
	CUPTI_NEEDED(MUST)
	return !missing;
}

/* physical is the number of a device whatever CUDA_VISIBLE_DEVICES shows the program,
 * where that is a list of numbers. */
uint32_t physical(uint32_t device)
{
	const char *s = getenv("CUDA_VISIBLE_DEVICES");
	for (uint32_t i = 0; s && *s; i++) {
		char *end;
		unsigned long n = strtoul(s, &end, 10);
		if (end == s || (*end && *end != ','))
			break;
		if (i == device)
			return n;
		s = *end ? end + 1 : end;
	}
	return device;
}

static void hear(int about, uint32_t id, int on)
{
	static uint8_t others[SYNCHRONIZE + 1][16];
	uint8_t *heard = about <= RUNTIME_API ? &functions[about][id].heard : &others[about][id];
	if (*heard != on && !cupti.cuptiEnableCallback(on, subscriber, about, id))
		*heard = on;
}

/* listen asks for the callbacks of these events. Synchronising calls are always heard: there
 * a domain that was asleep notices that it no longer is. */
static void listen(uint64_t events)
{
	const uint64_t copies = 1ull << CUDA_memcpy_HtoD | 1ull << CUDA_memcpy_DtoH | 1ull << CUDA_memcpy_DtoD | 1ull << CUDA_memcpy_HtoH;
	const uint64_t points = 1ull << CUDA_api_enter | 1ull << CUDA_api_exit;
	int all[] = {[DRIVER_API] = !!(events & (points | 1ull << CUDA_driver_call)), [RUNTIME_API] = !!(events & (points | 1ull << CUDA_runtime_call))};
	for (int about = DRIVER_API; about <= RUNTIME_API; about++)
		for (uint32_t id = 1; id < MAX_FUNCTIONS; id++) {
			const struct callee *n = &functions[about][id];
			const struct function *f = n->function;
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
	hear(RESOURCE, MODULE_UNLOADED, 1); /* kernels go with their module */
	hear(SYNCHRONIZE, STREAM_SYNCHRONIZED, events >> CUDA_synchronize & 1);
	hear(SYNCHRONIZE, CONTEXT_SYNCHRONIZED, events >> CUDA_synchronize & 1);
}

/* collects reports whether this process asks for device times: by itself, or because the
 * collector has picked it on its node. */
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

/* use_device notes that a context was made. Launchers ask for devices too, but use none. */
void use_device(void)
{
	atomic_store(&process->cuda, 1);
	atomic_store(&gpu.applied, UINT64_MAX); /* some records can be asked for only now */
}

/* apply_policy makes CUPTI report what the policy can choose, and no more. */
void apply_policy(struct thread *t)
{
	static pthread_mutex_t applying = PTHREAD_MUTEX_INITIALIZER;
	if (pthread_mutex_trylock(&applying))
		return; /* another thread does, or this one: CUPTI calls back */
	uint64_t generation = atomic_load(&process->generation);
	struct reach r = reach(t, CUDA);
	listen(r.mode >= MONITORING ? r.events[0] : 0);
	collect_records(r.mode == TRACING && collects(r.activity) ? r.events[0] : 0);
	atomic_store(&gpu.sites, r.sites);
	atomic_store(&gpu.applied, generation);
	pthread_mutex_unlock(&applying);
}

static void at_exit(void)
{
	if (subscribed == getpid())
		flush_records();
}

static int is_driver(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size, (void)unused;
	const char *slash = strrchr(info->dlpi_name, '/');
	return slash && !strncmp(slash + 1, "libcuda.so", 10);
}

/* Where the variable names another tool, CUDA loads that one. It matters to programs that use
 * CUDA, and these have loaded its driver by the time they end. */
static __attribute__((destructor)) void note_other_tool(void)
{
	const char *tool = getenv("CUDA_INJECTION64_PATH");
	Dl_info own;
	if (!tool || !*tool || (dladdr(&cupti, &own) && !strcmp(tool, own.dli_fname)))
		return;
	if (dl_iterate_phdr(is_driver, NULL) && attached())
		atomic_fetch_or(&session->cuda, 1u << CUDA_ELSEWHERE);
}

static uint32_t subscribe(void)
{
	void *library = load_cupti();
	uint32_t version = 0;
	if (!library || !find_functions(library) || cupti.cuptiGetVersion(&version))
		return CUDA_NO_LIBRARY;
	atomic_store(&session->cuda_version, version);
	int error = cupti.cuptiSubscribe(&subscriber, on_callback, NULL);
	if (error)
		return error == CUPTI_TAKEN || error == CUPTI_LIMIT ? CUDA_TAKEN : CUDA_REFUSED;
	void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD); /* the runtime may have loaded it for itself */
	*(void **)&cuda_pointer_attribute = dlsym(driver ? driver : RTLD_DEFAULT, "cuPointerGetAttribute");
	read_functions();
	subscribed = getpid();
	atexit(at_exit);
	return CUDA_TRACED;
}

EXPORT int InitializeInjection(void)
{
	struct thread *t = here();
	if (!t || subscribed == getpid() || reach(t, CUDA).mode == OFF)
		return 1;
	uint32_t state = subscribe();
	atomic_fetch_or(&session->cuda, 1u << state);
	if (state == CUDA_TRACED)
		apply_policy(t);
	return 1;
}
