// Writes to standard output between lines of the log, which must stay in order.
#include "check.h"

int main(void)
{
	printf("first\n"); // stays in the buffer of C as long as nothing else is written
	begin("logging: {pattern: '%v'}\ndata: {d: int}\n");
	printf("second\n");
	EXPECT(PDI_finalize() == PDI_OK);
	printf("third\n");
	return 0;
}
