// Every call, with the status and the message of its errors.
#include "check.h"

int main(void)
{
	unsigned long version = 0;
	PDI_errhandler(PDI_NULL_HANDLER);
	EXPECT(!strcmp(PDI_errmsg(), ""));
	EXPECT(PDI_event("early") == PDI_ERR_STATE);
	EXPECT(!strcmp(PDI_errmsg(), "Precondition not respected: PDI not initialized"));
	EXPECT(PDI_finalize() == PDI_ERR_STATE);

	begin("logging: error\n"
	      "metadata: {n: int, m: int}\n"
	      "data: {d: int, a: {type: array, subtype: double, size: $n}, bad: {type: array, subtype: int, size: $nothing}}\n");
	EXPECT(PDI_version(&version, PDI_VERSION) == PDI_OK);
	EXPECT(version == (1 << 24) + (12 << 16));
	EXPECT(PDI_version(NULL, 2 << 24) == PDI_ERR_PLUGIN);

	// The store sees the program's memory itself.
	int d = 7, *p = NULL;
	EXPECT(PDI_share("d", &d, PDI_OUT) == PDI_OK);
	EXPECT(PDI_access("d", (void **)&p, PDI_IN) == PDI_OK && p == &d);
	EXPECT(PDI_access("d", (void **)&p, PDI_OUT) == PDI_ERR_PERMISSION);
	EXPECT(!strcmp(PDI_errmsg(), "Permission issue: Unable to share `d', Unable to grant requested rights"));
	EXPECT(PDI_release("d") == PDI_OK);
	EXPECT(PDI_reclaim("d") == PDI_OK);
	EXPECT(PDI_reclaim("d") == PDI_ERR_STATE);
	EXPECT(!strcmp(PDI_errmsg(), "Precondition not respected: Unable to reclaim `d', Cannot reclaim a non shared value: `d'"));
	EXPECT(PDI_access("d", (void **)&p, PDI_IN) == PDI_ERR_VALUE);
	EXPECT(!strcmp(PDI_errmsg(), "Invalid value expression: Cannot access a non shared value: `d'"));

	// Metadata keeps a copy.
	int n = 3;
	EXPECT(PDI_expose("n", &n, PDI_OUT) == PDI_OK);
	n = 4;
	EXPECT(PDI_access("n", (void **)&p, PDI_IN) == PDI_OK && p != &n && *p == 3);
	EXPECT(PDI_release("n") == PDI_OK);
	EXPECT(PDI_expose("m", &n, PDI_IN) == PDI_ERR_PERMISSION);

	EXPECT(PDI_share("bad", &d, PDI_OUT) == PDI_ERR_VALUE);
	EXPECT(strstr(PDI_errmsg(), "Cannot access a non shared value: `nothing'"));
	EXPECT(PDI_share("a", NULL, PDI_OUT) == PDI_ERR_TYPE);
	EXPECT(PDI_share("a", NULL, PDI_NONE) == PDI_OK);
	EXPECT(PDI_reclaim("a") == PDI_OK);

	// Undeclared data has no type, but can be accessed all the same.
	EXPECT(PDI_share("undeclared", &d, PDI_INOUT) == PDI_OK);
	EXPECT(PDI_access("undeclared", (void **)&p, PDI_INOUT) == PDI_OK && p == &d);
	EXPECT(PDI_release("undeclared") == PDI_OK && PDI_reclaim("undeclared") == PDI_OK);

	double a[3] = {1, 2, 3};
	EXPECT(PDI_multi_expose("event", "d", &d, PDI_OUT, "a", a, PDI_INOUT, NULL) == PDI_OK);
	EXPECT(PDI_multi_expose("event", "d", &d, PDI_OUT, "bad", a, PDI_INOUT, NULL) == PDI_ERR_VALUE);
	EXPECT(PDI_reclaim("d") == PDI_ERR_STATE); // it was reclaimed already

	// A NULL name is an error, and data shared before it is reclaimed.
	EXPECT(PDI_share(NULL, &d, PDI_OUT) == PDI_ERR_SYSTEM);
	EXPECT(strstr(PDI_errmsg(), "null"));
	EXPECT(PDI_expose(NULL, &d, PDI_OUT) == PDI_ERR_SYSTEM);
	EXPECT(PDI_access(NULL, (void **)&p, PDI_IN) == PDI_ERR_SYSTEM);
	EXPECT(PDI_release(NULL) == PDI_ERR_SYSTEM && PDI_reclaim(NULL) == PDI_ERR_SYSTEM && PDI_event(NULL) == PDI_ERR_SYSTEM);
	EXPECT(PDI_multi_expose("event", NULL, &d, PDI_OUT, NULL) == PDI_ERR_SYSTEM);
	EXPECT(PDI_multi_expose(NULL, "d", &d, PDI_OUT, NULL) == PDI_ERR_SYSTEM);
	EXPECT(PDI_reclaim("d") == PDI_ERR_STATE);
	EXPECT(PDI_transaction_begin(NULL) == PDI_ERR_SYSTEM);

	EXPECT(PDI_transaction_end() == PDI_ERR_STATE);
	EXPECT(PDI_transaction_begin("event") == PDI_OK);
	EXPECT(PDI_transaction_begin("event") == PDI_ERR_STATE);
	EXPECT(PDI_expose("d", &d, PDI_OUT) == PDI_OK);
	EXPECT(PDI_access("d", (void **)&p, PDI_IN) == PDI_OK && p == &d);
	EXPECT(PDI_release("d") == PDI_OK);
	EXPECT(PDI_transaction_end() == PDI_OK);
	EXPECT(PDI_reclaim("d") == PDI_ERR_STATE);

	// A second store replaces the first; if it cannot be made, the first stays.
	PC_tree_t broken = PC_parse_string("data: {x: nosuch}");
	EXPECT(PDI_init(broken) == PDI_ERR_SPECTREE);
	PC_tree_destroy(&broken);
	EXPECT(PDI_expose("d", &d, PDI_OUT) == PDI_OK);
	begin("logging: error\ndata: {e: int}");
	EXPECT(PDI_finalize() == PDI_OK);
	return 0;
}
