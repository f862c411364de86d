/* The start of CUDA tracing. When a program initialises CUDA, the driver loads
 * the library named by CUDA_INJECTION64_PATH and calls InitializeInjection. A
 * program that never does this is not affected, and neither is its GPU. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu.h"

static pid_t subscribed;

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

/* If the variable names another tool, CUDA loads that tool instead. This matters to programs
 * that use CUDA, which have loaded its driver when they end. */
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
	uint32_t version = 0;
	if (!load_cupti() || cupti.cuptiGetVersion(&version))
		return CUDA_NO_LIBRARY;
	atomic_store(&session->cuda_version, version);
	int error = cupti.cuptiSubscribe(&subscriber, on_callback, NULL);
	if (error)
		return error == CUPTI_TAKEN || error == CUPTI_LIMIT ? CUDA_TAKEN : CUDA_REFUSED;
	void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD); /* the runtime may have loaded it privately */
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
