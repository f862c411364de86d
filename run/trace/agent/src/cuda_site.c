/* The place where a kernel was launched. The CUDA runtime may be part of the program, and compilers
 * add functions of their own to the call chain. The collector knows the names of functions and
 * decides which frame launched; it gets the frames of the first module that is not CUDA's. */
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <string.h>

#include "gpu.h"
#include "module.h"
#include "stack.h"

enum { MAX_CALLS = 48, MAX_OWN = 16 };

static struct span { uint64_t low, high; } own[MAX_OWN]; /* CUDA's libraries, and this one */
static unsigned own_count;

static int add_own(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size, (void)unused;
	struct span s = {UINT64_MAX, 0};
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t at = info->dlpi_addr + p->p_vaddr;
		if (p->p_type != PT_LOAD)
			continue;
		s.low = at < s.low ? at : s.low;
		s.high = at + p->p_memsz > s.high ? at + p->p_memsz : s.high;
	}
	const char *slash = strrchr(info->dlpi_name, '/');
	int cuda = slash && (!strncmp(slash + 1, "libcuda", 7) || !strncmp(slash + 1, "libcupti", 8));
	if ((cuda || ((uint64_t)&own >= s.low && (uint64_t)&own < s.high)) && own_count < MAX_OWN)
		own[own_count++] = s;
	return 0;
}

/* find_own is called at the first launch, when all of CUDA is loaded. */
static void find_own(void) { dl_iterate_phdr(add_own, NULL); }

static int is_own(uint64_t address)
{
	for (unsigned i = 0; i < own_count; i++)
		if (address >= own[i].low && address < own[i].high)
			return 1;
	return 0;
}

struct site {
	unsigned calls, count;
	uint64_t frames[SITE_FRAMES];
};

/* take_site stores the calls that are in the first module other than CUDA's. */
static int take_site(void *site, const void *at)
{
	struct site *s = site;
	if (++s->calls > MAX_CALLS)
		return 0;
	if (!s->count && is_own((uint64_t)at))
		return 1;
	uint64_t frame = relative(at);
	if (s->count && frame >> MODULE_BITS != s->frames[0] >> MODULE_BITS)
		return 0;
	s->frames[s->count++] = frame;
	return s->count < SITE_FRAMES;
}

/* record_stack writes the record before a launch record. symbol is the hash of the kernel's symbol. */
void record_stack(struct thread *t, uint64_t symbol)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct site s = {0};
	pthread_once(&once, find_own);
	climb(take_site, &s);
	struct record *r = reserve(t, R_stack, SITE_FRAMES, symbol, 0);
	if (r) {
		memcpy(payload_of(r), s.frames, sizeof s.frames);
		commit(t, r);
	}
}
