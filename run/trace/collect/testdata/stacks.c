/* Regions at known depths, called through library functions: stacks ROUNDS. */
#include <stdlib.h>

#include "pentode_trace.h"

#define APART __attribute__((noinline, noclone))

static volatile double sum;

APART void send(int n)
{
	pentode_region_begin("send");
	sum += n;
	pentode_region_end("send");
}

APART void relax(int n)
{
#pragma omp parallel for reduction(+ : sum)
	for (int i = 0; i < n; i++)
		sum += i;
	sum += n;
}

APART int compare(const void *a, const void *b)
{
	pentode_mark("compared");
	return *(const int *)a - *(const int *)b;
}

APART void step(int n)
{
	pentode_region_begin("step");
	send(n);
	relax(n);
	pentode_region_end("step");
	sum += 1;
}

APART void solve(int rounds)
{
	for (int i = 0; i < rounds; i++)
		step(i + 2);
	sum += 1;
}

int main(int argc, char **argv)
{
	int pair[] = {2, 1};
	solve(argc > 1 ? atoi(argv[1]) : 1);
	qsort(pair, 2, sizeof *pair, compare);
	return sum < 0;
}
