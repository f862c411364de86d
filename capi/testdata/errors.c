// Makes a store for each tree in standard input, and prints the status and the message. Each tree and
// message is preceded by a line with its length.
#include "check.h"

int main(void)
{
	size_t length;
	PDI_errhandler(PDI_NULL_HANDLER);
	PC_errhandler(PC_NULL_HANDLER);
	while (scanf("%zu", &length) == 1) {
		char *text = calloc(1, length + 1);
		EXPECT(getchar() == '\n' && fread(text, 1, length, stdin) == length);
		PC_tree_t tree = PC_parse_string(text);
		PDI_status_t status = PDI_init(tree);
		const char *message = status ? PDI_errmsg() : "";
		fprintf(stderr, "%d %zu\n%s\n", status, strlen(message), message);
		if (!status) PDI_finalize();
		PC_tree_destroy(&tree);
		free(text);
	}
	return 0;
}
