// Ends with the fault that its argument names; with `handled` and `nil` it does not end.
#include "check.h"

#include <dlfcn.h>
#include <signal.h>
#include <unistd.h>

static int *volatile nowhere = (int *)0x7123456000; // an address that no program uses

void uses_nowhere(void)
{
	*nowhere = 1;
}

static void handle(int signal)
{
	(void)signal;
	_exit(0);
}

int main(int argc, char **argv)
{
	EXPECT(argc == 2);
	const char *way = argv[1];
	PC_tree_t tree = PC_parse_string("logging: off\nmetadata: {n: int}\nplugins: {user_code: {on_event: {e: {uses_nowhere: }}}}");
	if (!strcmp(way, "handled")) signal(SIGSEGV, handle);
	EXPECT(PDI_init(tree) == PDI_OK);
	PDI_errhandler(PDI_NULL_HANDLER);
	if (!strcmp(way, "library") || !strcmp(way, "handled")) PDI_expose("n", nowhere, PDI_OUT);
	if (!strcmp(way, "nil")) EXPECT(PDI_expose("n", (void *)8, PDI_OUT) != PDI_OK);
	if (!strcmp(way, "function")) PDI_event("e");
	if (!strcmp(way, "program")) uses_nowhere();
	if (!strcmp(way, "null")) *(int *volatile)(nowhere = NULL) = 1;
	if (!strcmp(way, "sent")) raise(SIGSEGV);
	if (!strcmp(way, "division")) return argc / (argc - (volatile int){2});
	EXPECT(PDI_finalize() == PDI_OK);
	return 0;
}
