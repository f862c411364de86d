// Makes the calls listed in standard input, and prints the status and message of each. A line is a
// call, a name and a number: the access, or a value. `init` begins a new sequence.
#include "check.h"

static const char tree[] = "logging: off\n"
                           "metadata: {m: int, n: int}\n"
                           "data:\n"
                           "  d: int\n"
                           "  a: {type: array, subtype: int, size: $n}\n"
                           "  r: {type: struct, members: [{i: int}, {x: double}]}\n"
                           "  s: {type: array, subtype: int, size: [4, 4], subsize: ['$n', 2], start: [0, '$m']}\n";

// value is the first number in new memory.
static int value = 1;

static int *memory(void)
{
	int *p = calloc(1, 4096);
	*p = value;
	return p;
}

static int call(const char *what, const char *name, int number)
{
	void *p;
	int status;
	if (!strcmp(what, "value")) return value = number, 0;
	if (!strcmp(what, "share")) return PDI_share(name, memory(), number);
	if (!strcmp(what, "null")) return PDI_share(name, NULL, number);
	if (!strcmp(what, "expose")) return PDI_expose(name, memory(), number);
	if (!strcmp(what, "multi")) return PDI_multi_expose("event", name, memory(), number, "d", memory(), PDI_OUT, NULL);
	if (!strcmp(what, "access")) {
		p = NULL;
		status = PDI_access(name, &p, number);
		return status ? status : p ? 100 + *(int *)p : 100;
	}
	if (!strcmp(what, "release")) return PDI_release(name);
	if (!strcmp(what, "reclaim")) return PDI_reclaim(name);
	if (!strcmp(what, "event")) return PDI_event(name);
	if (!strcmp(what, "begin")) return PDI_transaction_begin(name);
	if (!strcmp(what, "end")) return PDI_transaction_end();
	if (!strcmp(what, "finalize")) return PDI_finalize();
	PC_tree_t t = PC_parse_string(tree);
	status = PDI_init(t);
	PC_tree_destroy(&t);
	return status;
}

int main(void)
{
	char what[16], name[16];
	int number;
	PDI_errhandler(PDI_NULL_HANDLER);
	while (scanf("%15s %15s %d", what, name, &number) == 3) {
		int status = call(what, name, number);
		printf("%d %s\n", status, status > 0 && status < 100 ? PDI_errmsg() : "");
	}
	return 0;
}
