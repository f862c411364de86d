#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "module.h"

enum { PAGE = 4096, MAX_OBJECTS = 1024 };

/* An object in the memory of this process: its addresses, and how to convert them to addresses of its
 * file. Objects are only added; an unloaded object has size 0 until it is loaded again. */
struct object { uint64_t low, whole, move; _Atomic uint64_t size; };
static struct object objects[MAX_OBJECTS];
static _Atomic uint32_t object_count;
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;

static uint64_t base; /* of the first module, once it has been met here */
static _Atomic uint64_t base_end;

/* In the child of a fork, the thread that held the lock may not exist. */
static void after_fork(void) { pthread_mutex_init(&adding, NULL); }

/* The properties of the object that contains an address. */
struct found {
	uint64_t address, bias, low, high;
	int program;
	char build_id[sizeof ((struct module *)0)->build_id];
};

static void read_notes(struct found *f, const char *note, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	while (size >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *n = (const ElfW(Nhdr) *)note;
		size_t name = (n->n_namesz + 3) & ~3u, whole = sizeof *n + name + ((n->n_descsz + 3) & ~3u);
		if (whole > size)
			return;
		const unsigned char *id = (const unsigned char *)(note + sizeof *n + name);
		if (n->n_type == NT_GNU_BUILD_ID && n->n_namesz == 4 && !memcmp(n + 1, "GNU", 4) && 2 * n->n_descsz < sizeof f->build_id) {
			for (unsigned i = 0; i < n->n_descsz; i++) {
				f->build_id[2 * i] = digits[id[i] >> 4];
				f->build_id[2 * i + 1] = digits[id[i] & 15];
			}
			return;
		}
		note += whole, size -= whole;
	}
}

/* holds_address is called for each object until one
 * contains the address. The first object is the program. */
static int holds_address(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	struct found *f = data;
	int first = f->program++ == 0;
	uint64_t low = UINT64_MAX, high = 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t at = info->dlpi_addr + p->p_vaddr;
		if (p->p_type != PT_LOAD)
			continue;
		low = at < low ? at : low;
		high = at + p->p_memsz > high ? at + p->p_memsz : high;
	}
	if (f->address < low || f->address >= high)
		return 0;
	f->bias = info->dlpi_addr, f->low = low, f->high = high, f->program = first;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_NOTE && !f->build_id[0])
			read_notes(f, (const char *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr), info->dlpi_phdr[i].p_memsz);
	return 1;
}

/* path_at returns the file that is mapped at an address. The loader only knows the name with which it
 * was loaded, which may not lead to the file any more. */
static int path_at(uint64_t address, char *path, size_t size)
{
	FILE *maps = fopen("/proc/self/maps", "re");
	char *line = NULL;
	size_t room = 0;
	int ok = 0;
	while (maps && !ok && getline(&line, &room, maps) > 0) {
		unsigned long low, high;
		char *name = strchr(line, '/');
		if (sscanf(line, "%lx-%lx", &low, &high) != 2 || address < low || address >= high)
			continue;
		if (!name)
			break;
		name[strcspn(name, "\n")] = 0;
		if ((ok = strlen(name) < size))
			strcpy(path, name);
	}
	free(line);
	if (maps)
		fclose(maps);
	return ok;
}

static void nap(void) { nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL); }

/* number_of finds the module in the session, or
 * adds it. It returns -1 if there is no room. */
static int number_of(const struct found *f, const char *path)
{
	uint64_t beat = 0;
	int quiet = 0;
	for (int i = f->program ? 0 : 1; i < MAX_MODULES; i++) {
		struct module *m = (struct module *)((char *)session + MODULES_AT) + i;
		uint32_t state = MODULE_FREE;
		if (atomic_compare_exchange_strong(&m->state, &state, MODULE_BEGUN)) {
			memcpy(m->build_id, f->build_id, sizeof m->build_id);
			strcpy(m->path, path);
			atomic_store(&m->state, state = MODULE_MET);
		}
		while (state == MODULE_BEGUN && collector_lives(&beat, &quiet)) {
			nap(); /* another process is writing it */
			state = atomic_load(&m->state);
		}
		if (state == MODULE_BEGUN || strncmp(m->path, path, sizeof m->path) || (m->build_id[0] && strncmp(m->build_id, f->build_id, sizeof m->build_id)))
			continue;
		while (atomic_load(&m->state) != MODULE_KNOWN && collector_lives(&beat, &quiet))
			nap();
		return i;
	}
	return -1;
}

/* add makes the object of an address known here. Code without a
 * file, such as code generated at run time, keeps its addresses. */
static void add(uint64_t address)
{
	if (!atomic_load(&object_count))
		pthread_atfork(NULL, NULL, after_fork);
	struct found f = {.address = address};
	struct object o = {.low = address & ~(uint64_t)(PAGE - 1), .whole = PAGE};
	char path[sizeof ((struct module *)0)->path];
	if (dl_iterate_phdr(holds_address, &f) && path_at(address, path, sizeof path)) {
		int number = number_of(&f, path);
		o = (struct object){.low = f.low, .whole = f.high - f.low};
		if (number >= 0)
			o.move = ((uint64_t)number << MODULE_BITS) - f.bias;
		if (number == 0) {
			base = f.bias;
			atomic_store_explicit(&base_end, f.high, memory_order_release);
		}
	}
	uint32_t n = atomic_load(&object_count), i = 0;
	while (i < n && (objects[i].low != o.low || objects[i].whole != o.whole || objects[i].move != o.move))
		i++;
	if (i == MAX_OBJECTS)
		return;
	if (i == n)
		objects[i] = o;
	atomic_store_explicit(&objects[i].size, o.whole, memory_order_release);
	if (i == n)
		atomic_store_explicit(&object_count, n + 1, memory_order_release);
}

/* forget sets the size of unloaded objects to 0. */
static void forget(void)
{
	pthread_mutex_lock(&adding);
	for (uint32_t i = 0; i < atomic_load(&object_count); i++) {
		struct found f = {.address = objects[i].low};
		if (!dl_iterate_phdr(holds_address, &f) || f.low != objects[i].low || f.high - f.low != objects[i].whole)
			atomic_store(&objects[i].size, 0);
	}
	pthread_mutex_unlock(&adding);
}

/* A later library may be loaded at the addresses of the unloaded one. */
EXPORT int dlclose(void *library)
{
	static int (*_Atomic next)(void *);
	if (!next)
		next = (int (*)(void *))dlsym(RTLD_NEXT, "dlclose");
	int failed = next(library);
	if (atomic_load(&object_count))
		forget();
	return failed;
}

/* search finds an address among the known objects. */
static int search(uint64_t address, uint64_t *moved)
{
	uint32_t n = atomic_load_explicit(&object_count, memory_order_acquire);
	for (uint32_t i = 0; i < n; i++)
		if (address - objects[i].low < atomic_load_explicit(&objects[i].size, memory_order_acquire)) {
			*moved = address + objects[i].move;
			return 1;
		}
	return 0;
}

/* in_module returns an address with the number of its module. */
static __attribute__((noinline)) uint64_t in_module(uint64_t address)
{
	uint64_t moved = address;
	if (search(address, &moved) || !address)
		return moved;
	pthread_mutex_lock(&adding);
	if (!search(address, &moved)) {
		add(address);
		search(address, &moved);
	}
	pthread_mutex_unlock(&adding);
	return moved;
}

/* relative returns an address as an address of its module's file, independent of where it was loaded. */
uint64_t relative(const void *address)
{
	uint64_t a = (uint64_t)address;
	return likely(a < atomic_load_explicit(&base_end, memory_order_acquire) && a >= base) ? a - base : in_module(a);
}
