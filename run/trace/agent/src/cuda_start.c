/* Where CUDA begins to be traced. The driver loads what CUDA_INJECTION64_PATH names when a
 * program initialises CUDA, and calls InitializeInjection: a program that never does is
 * left alone, and so is its GPU. */
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
	uint32_t version = 0;
	if (!load_cupti() || cupti.cuptiGetVersion(&version))
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
