// A daemon: its threads work together once, then it says so and waits for its end.
#include <stdio.h>
#include <unistd.h>

static void look(void)
{
#pragma omp parallel
	{
	}
}

int main(int argc, char **argv)
{
	look();
	if (argc > 1)
		fclose(fopen(argv[1], "w"));
	pause();
}
