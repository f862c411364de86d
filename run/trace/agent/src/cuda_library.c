/* Finds CUPTI, with which CUDA is traced, and its functions. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpu.h"

struct cupti cupti;
struct gpu_state gpu __attribute__((aligned(64))) = {.applied = UINT64_MAX};
int (*cuda_pointer_attribute)(void *, int, uint64_t);

/* beside looks for CUPTI near the program's CUDA runtime: in its folder, or where an
 * installation or a Python package has CUPTI relative to it. */
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

static void *load_library(void)
{
	static const char *const names[] = {
		"libcupti.so", "libcupti.so.13", "libcupti.so.12", "libcupti.so.11.8",
		"/usr/local/cuda/extras/CUPTI/lib64/libcupti.so", "/usr/local/cuda/lib64/libcupti.so",
	};
	char *path = NULL;
	void *library = NULL;
	for (unsigned i = 0; i < 4 && !library; i++) /* the program may have loaded it already */
		library = dlopen(names[i], RTLD_LAZY | RTLD_NOLOAD);
	if (!library && dl_iterate_phdr(beside, &path)) {
		library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
		free(path);
	}
	for (unsigned i = 0; i < sizeof names / sizeof *names && !library; i++)
		library = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL);
	return library;
}

/* load_cupti finds CUPTI and its functions, and reports whether all required functions exist. */
int load_cupti(void)
{
	void *library = load_library();
	if (!library)
		return 0;
	int missing = 0;
#define FIND(name, parameters) *(void **)&cupti.name = dlsym(library, #name);
#define MUST(name, parameters) missing += !cupti.name;
	CUPTI_NEEDED(FIND)
	CUPTI_OPTIONAL(FIND)
	CUPTI_NEEDED(MUST)
	return !missing;
}

/* physical returns the real number of a device
 * if CUDA_VISIBLE_DEVICES is a list of numbers. */
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
