// Shared by the programs here: EXPECT ends the program if a condition is false.
#ifndef CHECK_H_
#define CHECK_H_

#define PDI_WITH_DEPRECATED
#include <pdi.h>

#define EXPECT(condition)                                                              \
	do {                                                                               \
		if (!(condition)) {                                                            \
			fprintf(stderr, "%s:%d: expected %s\n  the last message was: %s\n", __FILE__, __LINE__, #condition, PDI_errmsg()); \
			exit(99);                                                                  \
		}                                                                              \
	} while (0)

// begin makes a store from a text, with an error handler that does nothing.
static inline void begin(const char *text)
{
	PDI_errhandler(PDI_NULL_HANDLER);
	PC_tree_t tree = PC_parse_string(text);
	EXPECT(PDI_init(tree) == PDI_OK);
	PC_tree_destroy(&tree);
}

#endif
