// The cost of a program's own region in C++: pairs ROUNDS, as in pairs.c.
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "pentode_trace.h"

static double now()
{
	timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1e9 + t.tv_nsec;
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? std::atol(argv[1]) : 1000000;
	double least = 1e18;
	for (int pass = 0; pass < 10; pass++) {
		double begun = now();
		for (long i = 0; i < rounds; i++)
			pentode::region step("step");
		double took = (now() - begun) / rounds;
		least = took < least ? took : least;
	}
	std::printf("%.2f\n", least);
}
