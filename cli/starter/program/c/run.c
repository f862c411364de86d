// A drop falls on a membrane. Each frame is one line of JSON, which the pipeline reads.
#include <math.h>
#include <stdio.h>

enum { size = 32, frames = 16, every = 4 }; // as in the tree

static double u[3][size][size];

// step computes the next moment; the edge does not move.
static void step(double next[size][size], double now[size][size], double before[size][size])
{
#pragma omp parallel for
	for (int r = 1; r < size - 1; r++)
		for (int c = 1; c < size - 1; c++)
			next[r][c] = 2 * now[r][c] - before[r][c]
				+ 0.25 * (now[r - 1][c] + now[r + 1][c] + now[r][c - 1] + now[r][c + 1] - 4 * now[r][c]);
}

static void print(int frame, double field[size][size])
{
	printf("{\"frame\": %d, \"field\": [", frame);
	for (int r = 0; r < size; r++) {
		printf(r ? ", [" : "[");
		for (int c = 0; c < size; c++)
			printf(c ? ", %.6f" : "%.6f", field[r][c]);
		printf("]");
	}
	printf("]}\n");
	fflush(stdout); // each frame at once
}

int main(void)
{
	for (int r = 1; r < size - 1; r++)
		for (int c = 1; c < size - 1; c++)
			u[0][r][c] = u[1][r][c] = exp(-((r - 10) * (r - 10) + (c - 14) * (c - 14)) / 6.0);
	int now = 1;
	for (int i = 0; i < frames * every; i++) {
		if (i % every == 0)
			print(i / every, u[now]);
		step(u[(now + 1) % 3], u[now], u[(now + 2) % 3]);
		now = (now + 1) % 3;
	}
	return 0;
}
