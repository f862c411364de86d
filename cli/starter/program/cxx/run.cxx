// A drop falls on a membrane. Each frame is one line of JSON, which the pipeline reads.
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

constexpr int size = 32, frames = 16, every = 4; // as in the tree

// A square field, row by row.
struct Field {
	std::vector<double> cells = std::vector<double>(size * size);
	double &operator()(int r, int c) { return cells[r * size + c]; }
	double operator()(int r, int c) const { return cells[r * size + c]; }
};

// step computes the next moment; the edge does not move.
static void step(Field &next, const Field &now, const Field &before)
{
#pragma omp parallel for
	for (int r = 1; r < size - 1; r++)
		for (int c = 1; c < size - 1; c++)
			next(r, c) = 2 * now(r, c) - before(r, c)
				+ 0.25 * (now(r - 1, c) + now(r + 1, c) + now(r, c - 1) + now(r, c + 1) - 4 * now(r, c));
}

static void print(int frame, const Field &field)
{
	std::printf("{\"frame\": %d, \"field\": [", frame);
	for (int r = 0; r < size; r++) {
		std::printf(r ? ", [" : "[");
		for (int c = 0; c < size; c++)
			std::printf(c ? ", %.6f" : "%.6f", field(r, c));
		std::printf("]");
	}
	std::printf("]}\n");
	std::fflush(stdout); // each frame at once
}

int main()
{
	Field before, now, next;
	for (int r = 1; r < size - 1; r++)
		for (int c = 1; c < size - 1; c++)
			before(r, c) = now(r, c) = std::exp(-((r - 10) * (r - 10) + (c - 14) * (c - 14)) / 6.0);
	for (int i = 0; i < frames * every; i++) {
		if (i % every == 0)
			print(i / every, now);
		step(next, now, before);
		std::swap(before, now);
		std::swap(now, next);
	}
}
