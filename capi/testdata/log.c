// Writes to standard output between lines of the log, which must stay in order. With an argument, the
// store is closed by the end of the program.
#include "check.h"

int main(int argc, char **argv)
{
	(void)argv;
	printf("first\n"); // stays in C's buffer until more is written
	begin("logging: {pattern: '%v'}\ndata: {d: int}\n");
	printf("second\n");
	if (argc == 1) EXPECT(PDI_finalize() == PDI_OK);
	printf("third\n");
	return 0;
}
