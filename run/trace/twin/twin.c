/* The decision in C, with which the benchmarks are compared: what the document
 * requires of an execution, written as in a C tracer. Each thread has one record
 * per region with its counters and a cached pointer to the configuration's
 * values, renewed when the configuration's generation changes.
 *
 *   twin decide|constrained|cycle ROUNDS REGIONS   ->   nanoseconds for all rounds, and how many were traced
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MONITORING = 3, TRACING = 4, UNITS = 1024 };

struct config {
	uint64_t events;
	uint32_t start, max, every;
	int has_units;
	uint32_t low, high;
	uint64_t units[UNITS / 64];
};

struct region {
	uint32_t counter, traced, since;
	uint64_t generation;
	const struct config *config;
	int chosen;
};

static struct config current;
static _Atomic uint64_t generation = 1;
static _Atomic int mode = TRACING;
static uint32_t unit = 3;
static struct region *regions;

static __attribute__((noinline)) const struct config *resolve(struct region *r)
{
	r->generation = atomic_load_explicit(&generation, memory_order_acquire);
	r->config = &current;
	return r->config;
}

static int unit_matches(const struct config *c)
{
	return unit >= c->low && unit <= c->high && (c->units[unit / 64] >> (unit % 64) & 1);
}

__attribute__((noinline)) void begin(uint32_t id)
{
	if (atomic_load_explicit(&mode, memory_order_relaxed) < MONITORING)
		return;
	struct region *r = &regions[id];
	r->chosen = 0;
	r->since++;
	r->counter++;
}

__attribute__((noinline)) int decide(uint32_t id, unsigned event)
{
	if (atomic_load_explicit(&mode, memory_order_relaxed) != TRACING)
		return 0;
	struct region *r = &regions[id];
	const struct config *c = r->config;
	if (!c || r->generation != atomic_load_explicit(&generation, memory_order_acquire))
		c = resolve(r);
	if (!(c->events >> event & 1))
		return 0;
	if (c->has_units && !unit_matches(c))
		return 0;
	if (c->start <= r->counter - 1 && (c->max == UINT32_MAX || r->traced < c->max) && r->since >= c->every) {
		r->chosen = 1;
		return 1;
	}
	return 0;
}

__attribute__((noinline)) void end(uint32_t id)
{
	struct region *r = &regions[id];
	if (r->chosen && atomic_load_explicit(&mode, memory_order_relaxed) == TRACING) {
		r->chosen = 0;
		r->traced++;
		r->since = 0;
	}
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	uint64_t rounds = strtoull(argv[2], NULL, 10);
	uint32_t count = strtoul(argv[3], NULL, 10), order[1 << 14];
	regions = calloc(count, sizeof *regions);
	current = (struct config){.events = 1 << 5, .max = UINT32_MAX, .every = 10, .high = UNITS - 1};
	current.has_units = !strcmp(argv[1], "constrained");
	current.units[0] = 0xff;
	srand(1);
	for (int i = 0; i < 1 << 14; i++)
		order[i] = rand() % count;

	uint64_t traced = 0;
	double started = now();
	if (!strcmp(argv[1], "cycle"))
		for (uint64_t i = 0; i < rounds; i++) {
			uint32_t id = order[i & ((1 << 14) - 1)];
			begin(id);
			traced += decide(id, 5);
			end(id);
		}
	else {
		begin(0);
		for (uint64_t i = 0; i < rounds; i++)
			traced += decide(0, 5);
	}
	double took = now() - started;
	printf("%.0f %llu\n", took, (unsigned long long)traced);
	return 0;
}
