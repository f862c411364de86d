// The same as handoff.c, in C++: handoff TREE STEPS MICROSECONDS.
#include <chrono>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include <pdi.h>

int main(int, char **argv)
{
	int n = 32;
	const int steps = std::stoi(argv[2]);
	const std::chrono::microseconds pause{std::stoi(argv[3])};
	std::vector<double> field(n * n);
	double dt = 1;
	auto setting = [&] {
		void *set;
		if (PDI_access("dt", &set, PDI_IN) == PDI_OK) {
			dt = *static_cast<double *>(set);
			PDI_release("dt");
		}
	};
	PDI_errhandler(PDI_NULL_HANDLER);
	PC_tree_t tree = PC_parse_path(argv[1]);
	if (PDI_init(tree) != PDI_OK || PDI_expose("n", &n, PDI_OUT) != PDI_OK) {
		std::cout << PDI_errmsg() << std::endl;
		return 1;
	}
	setting();
	for (int i = 0; i < steps; i++) {
		for (int k = 0; k < n * n; k++)
			field[k] = dt * (k % n + i);
		if (PDI_multi_expose("step", "i", &i, PDI_OUT, "field", field.data(), PDI_OUT, NULL) != PDI_OK) {
			std::cout << PDI_errmsg() << std::endl;
			return 2;
		}
		setting();
		std::cout << i << ' ' << dt << std::endl;
		std::this_thread::sleep_for(pause);
	}
	PDI_finalize();
	PC_tree_destroy(&tree);
	std::cout << "finalized" << std::endl;
}
