// Allocates arrays after the library has read a tree, as programs do, and looks for remains of the library in the heap: memory that has
// never been used is zero.
#include "check.h"

int main(int argc, char **argv)
{
	EXPECT(argc == 2);
	PC_tree_t tree = PC_parse_path(argv[1]);
	EXPECT(PC_status(tree) == PC_OK);
	EXPECT(PDI_init(PC_get(tree, ".pdi")) == PDI_OK);
	long value;
	EXPECT(PC_int(PC_get(tree, ".sizes[%d]", 1), &value) == PC_OK && value == 8);
	int width = value;
	for (int i = 0; i < 10; i++) EXPECT(PDI_expose("width", &width, PDI_OUT) == PDI_OK);
	EXPECT(PDI_event("start") == PDI_OK);

	// Smaller blocks are separate in glibc's heap, and glibc itself frees some before the first array: 14 when Go's runtime starts
	// threads and asks for the bounds of a stack (pthread_getattr_np reads /proc/self/maps), two when dlsym finds no MPI. One comes from
	// the store: a value that the program could have accessed.
	for (size_t size = 1100; size < 150000; size += 100) {
		char *block = malloc(size);
		for (size_t i = 0; i < size; i++) {
			if (block[i]) {
				fprintf(stderr, "a block of %zu bytes has something at %zu\n", size, i);
				return 1;
			}
		}
	}
	return 0;
}
