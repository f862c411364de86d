/* The names of kernels. A section may omit leading
 * scopes (the parts before `::`) and template arguments. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "gpu.h"

enum { BUCKETS = 1024, MAX_PARTS = 16 };

static struct kernel *_Atomic kernels[BUCKETS];
static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;
static char *(*demangle)(const char *, char *, size_t *, int *);

static void after_fork(void) { pthread_mutex_init(&adding, NULL); }

/* find_demangler uses the program's demangler, or the one of the C++ library. */
static void find_demangler(void)
{
	static int asked;
	if (asked)
		return;
	asked = 1;
	pthread_atfork(NULL, NULL, after_fork);
	static const char *const libraries[] = {NULL, "libstdc++.so.6", "libc++abi.so.1"};
	for (unsigned i = 0; i < sizeof libraries / sizeof *libraries && !demangle; i++) {
		void *library = libraries[i] ? dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL) : RTLD_DEFAULT;
		if (library || !libraries[i])
			demangle = (char *(*)(const char *, char *, size_t *, int *))dlsym(library, "__cxa_demangle");
	}
}

/* skip returns the position where the bracket that opens at s is closed, or the end. */
static const char *skip(const char *s, const char *end)
{
	int depth = 0;
	for (; s < end; s++) {
		if (strchr("<({[", *s))
			depth++;
		else if (strchr(">)}]", *s) && !(*s == '>' && s[-1] == '-') && --depth == 0)
			return s + 1;
	}
	return end;
}

/* qualified cuts a demangled name to the part
 * between its result type and its parameters. */
static void qualified(const char **begin, const char **end)
{
	const char *first = *begin, *last = *end;
	for (const char *s = *begin; s < *end;) {
		if (*s == '(' && strncmp(s, "(anonymous namespace)", 21))
			last = s;
		else if (*s == ' ' && last == *end)
			first = s + 1;
		s = strchr("<({[", *s) ? skip(s, *end) : s + 1;
	}
	if (last > first)
		*begin = first, *end = last;
}

static uint64_t add_hash(uint64_t h, const char *begin, const char *end)
{
	for (; begin < end; begin++)
		h = (h ^ (unsigned char)*begin) * 0x100000001b3ull;
	return h;
}

static void add_name(struct kernel *k, uint64_t hash)
{
	hash &= ~(0xffull << 56);
	for (uint32_t i = 0; i < k->called.count; i++)
		if (k->called.names[i] == hash)
			return;
	if (k->called.count < MAX_CALLED)
		k->called.names[k->called.count++] = hash;
}

/* call_by adds the names of a kernel: each suffix of its qualified name, with all template
 * arguments, with the last part's only, with the earlier parts' only, and without any. */
static void call_by(struct kernel *k, const char *begin, const char *end)
{
	struct { const char *begin, *plain, *end; } parts[MAX_PARTS];
	int count = 1;
	parts[0].begin = begin, parts[0].plain = NULL;
	for (const char *s = begin; s < end;) {
		if (s[0] == ':' && s[1] == ':' && count < MAX_PARTS) {
			parts[count - 1].end = s;
			s += 2;
			parts[count].begin = s, parts[count++].plain = NULL;
			continue;
		}
		if (*s == '<' && !parts[count - 1].plain)
			parts[count - 1].plain = s;
		s = strchr("<({[", *s) ? skip(s, end) : s + 1;
	}
	parts[count - 1].end = end;
	for (int first = count - 1; first >= 0; first--)
		for (int form = 0; form < 4; form++) {
			uint64_t h = 0xcbf29ce484222325ull;
			for (int i = first; i < count; i++) {
				int keep = i == count - 1 ? form & 1 : form >> 1;
				h = i > first ? add_hash(h, "::", (const char *)"::" + 2) : h;
				h = add_hash(h, parts[i].begin, keep || !parts[i].plain ? parts[i].end : parts[i].plain);
			}
			add_name(k, h);
		}
}

static struct kernel *make_kernel(const char *symbol)
{
	find_demangler();
	struct kernel *k = calloc(1, sizeof *k);
	if (!k || !(k->symbol = strdup(symbol))) {
		free(k);
		return NULL;
	}
	int status = -1;
	char *whole = demangle ? demangle(symbol, NULL, NULL, &status) : NULL;
	const char *begin = whole && !status ? whole : symbol, *end = begin + strlen(begin);
	if (begin == whole)
		qualified(&begin, &end);
	if (!(k->shown = strndup(begin, end - begin))) {
		free(whole), free(k->symbol), free(k);
		return NULL;
	}
	k->hash = name_hash(k->shown);
	call_by(k, k->shown, k->shown + (end - begin));
	add_name(k, name_hash(symbol));
	free(whole);
	return k;
}

/* find_kernel returns the kernel of a symbol. It exists until the program ends. */
const struct kernel *find_kernel(const char *symbol)
{
	struct kernel *_Atomic *bucket = &kernels[name_hash(symbol) % BUCKETS];
	struct kernel *first = atomic_load_explicit(bucket, memory_order_acquire), *k;
	for (k = first; k; k = k->next)
		if (!strcmp(k->symbol, symbol))
			return k;
	pthread_mutex_lock(&adding);
	for (k = atomic_load(bucket); k && k != first; k = k->next)
		if (!strcmp(k->symbol, symbol))
			goto done;
	if ((k = make_kernel(symbol))) {
		k->next = atomic_load(bucket);
		atomic_store_explicit(bucket, k, memory_order_release);
	}
done:
	pthread_mutex_unlock(&adding);
	return k;
}

/* named_line returns the line of a region by its name, after
 * introducing the name to the collector once per thread. */
struct line *named_line(struct thread *t, const char *name, uint64_t hash)
{
	uint32_t known = t->regions;
	struct line *l = find_line(t, CUDA, key_of(CUDA, hash));
	if (l && t->regions != known)
		introduce(t, name, hash);
	return l;
}
