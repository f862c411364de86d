// Reads a tree in a program with another implementation of libpdi.
#include <paraconf.h>

int main(void)
{
	long n = 0;
	PC_tree_t tree = PC_parse_string("a: [1, 2, 3]");
	PC_int(PC_get(tree, ".a[2]"), &n);
	PC_tree_destroy(&tree);
	return n == 3 ? 0 : 1;
}
