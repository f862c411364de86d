// Trees: paths, values, errors, and a document made by another library.
#include "check.h"

#include "../yaml_layout.h"

static struct yaml_mark nowhere;

static struct yaml_node_s scalar(char *text)
{
	struct yaml_node_s n = {.type = NODE_SCALAR, .start_mark = nowhere};
	n.data.scalar.value = text;
	n.data.scalar.length = strlen(text);
	return n;
}

// foreign passes a document as libyaml builds it: `data: {x: int}`.
static void foreign(void)
{
	static struct yaml_pair outer[] = {{2, 3}}, inner[] = {{4, 5}};
	static struct yaml_node_s nodes[5];
	nodes[0].type = NODE_MAPPING;
	nodes[0].data.mapping.start = outer;
	nodes[0].data.mapping.top = nodes[0].data.mapping.end = outer + 1;
	nodes[1] = scalar("data");
	nodes[2] = nodes[0];
	nodes[2].data.mapping.start = inner;
	nodes[2].data.mapping.top = nodes[2].data.mapping.end = inner + 1;
	nodes[3] = scalar("x");
	nodes[4] = scalar("int");
	static struct yaml_document_s document;
	document.start = nodes;
	document.top = document.end = nodes + 5;

	char *text;
	EXPECT(PC_string(PC_get(PC_root(&document), ".data.x"), &text) == PC_OK && !strcmp(text, "int"));
	free(text);
	EXPECT(PDI_init(PC_root(&document)) == PDI_OK);
	int x = 1, *p;
	EXPECT(PDI_share("x", &x, PDI_OUT) == PDI_OK);
	EXPECT(PDI_access("x", (void **)&p, PDI_IN) == PDI_OK && p == &x);
	EXPECT(PDI_release("x") == PDI_OK && PDI_reclaim("x") == PDI_OK);
	EXPECT(PDI_finalize() == PDI_OK);

	// An error has the marks of its node.
	nodes[4] = scalar("nosuch");
	nodes[4].start_mark = (struct yaml_mark){40, 4, 2};
	nodes[4].end_mark = (struct yaml_mark){46, 4, 8};
	EXPECT(PDI_init(PC_root(&document)) == PDI_ERR_SPECTREE);
	EXPECT(!strcmp(PDI_errmsg(), "Invalid entry in specification tree: (5:3 -> 5:9) Unknown data type: `nosuch'"));

	// A document that refers outside itself makes Go panic, which becomes a status.
	inner[0].value = 99;
	EXPECT(PDI_init(PC_root(&document)) == PDI_ERR_SYSTEM);
	EXPECT(strstr(PDI_errmsg(), "System error: the call failed: this library has a fault in "));
	PC_tree_t tree = PC_parse_string("{}"); // the library still works
	EXPECT(PDI_init(tree) == PDI_OK && PDI_finalize() == PDI_OK);
	PC_tree_destroy(&tree);
}

int main(void)
{
	PC_errhandler(PC_NULL_HANDLER);
	PDI_errhandler(PDI_NULL_HANDLER);
	EXPECT(PC_errmsg() == NULL);
	PC_tree_t t = PC_parse_string("a: &list [1, 0x10, 2.5, 'yes']\n"
	                              "b: {c: text, ? [k] : hidden, d: 3}\n"
	                              "same: *list\n"
	                              "run: {pdi: {logging: error, data: {x: int}}}\n");
	EXPECT(PC_status(t) == PC_OK);
	long i;
	double f;
	int n, yes;
	char *text;
	EXPECT(PC_len(t, &n) == PC_OK && n == 4);
	EXPECT(PC_len(PC_get(t, ".a"), &n) == PC_OK && n == 4);
	EXPECT(PC_int(PC_get(t, ".a[%d]", 1), &i) == PC_OK && i == 16);
	EXPECT(PC_double(PC_get(t, ".a[2]"), &f) == PC_OK && f == 2.5);
	EXPECT(PC_bool(PC_get(t, ".a[3]"), &yes) == PC_OK && yes == 1);
	EXPECT(PC_int(PC_get(t, ".same[0]"), &i) == PC_OK && i == 1);
	EXPECT(PC_get(t, ".same").node == PC_get(t, ".a").node);
	EXPECT(PC_string(PC_get(t, "{1}"), &text) == PC_OK && !strcmp(text, "b"));
	free(text);
	EXPECT(PC_string(PC_get(t, "<1>.c"), &text) == PC_OK && !strcmp(text, "text"));
	free(text);

	EXPECT(PC_status(PC_get(t, ".b.d")) == PC_INVALID_NODE_TYPE); // after a key that is not a scalar
	EXPECT(PC_status(PC_get(t, ".nothing")) == PC_NODE_NOT_FOUND);
	EXPECT(!strcmp(PC_errmsg(), "Key `nothing' not found in (ROOT)\n"));
	EXPECT(PC_status(PC_get(t, ".a[4]")) == PC_NODE_NOT_FOUND);
	EXPECT(!strcmp(PC_errmsg(), "Index 4 out of range [0...4[ in (ROOT).a\n"));
	EXPECT(PC_status(PC_get(t, ".b<9>")) == PC_NODE_NOT_FOUND);
	EXPECT(!strcmp(PC_errmsg(), "Index 9 out of range [0...3] in (ROOT).b\n"));
	EXPECT(PC_status(PC_get(t, ".a{0}")) == PC_INVALID_NODE_TYPE);
	EXPECT(!strcmp(PC_errmsg(), "Expected mapping, found sequence (ROOT).a{\n"));
	EXPECT(PC_status(PC_get(t, ".a.c")) == PC_INVALID_NODE_TYPE);
	EXPECT(!strcmp(PC_errmsg(), "Expected mapping, found sequence (ROOT).a\n"));
	EXPECT(PC_status(PC_get(t, "!")) == PC_INVALID_PARAMETER);
	EXPECT(PC_int(PC_get(t, ".b.c"), &i) == PC_INVALID_NODE_TYPE);
	EXPECT(PC_bool(PC_get(t, ".b.c"), &yes) == PC_INVALID_PARAMETER);
	EXPECT(PC_string(PC_get(t, ".a"), &text) == PC_INVALID_NODE_TYPE);
	EXPECT(PC_int(PC_get(t, ".nothing"), &i) == PC_NODE_NOT_FOUND); // an error is passed on

	// A part of a tree is a tree, too.
	EXPECT(PDI_init(PC_get(t, ".run.pdi")) == PDI_OK);
	int x = 1;
	EXPECT(PDI_expose("x", &x, PDI_OUT) == PDI_OK);
	EXPECT(PDI_finalize() == PDI_OK);
	EXPECT(PC_tree_destroy(&t) == PC_OK);

	EXPECT(PC_status(PC_parse_string("a: [1,")) == PC_INVALID_FORMAT);
	EXPECT(PC_status(PC_parse_path("/nonexistent/tree.yml")) == PC_SYSTEM_ERROR);
	FILE *file = tmpfile();
	fputs("k: v\n", file);
	rewind(file);
	t = PC_parse_file(file);
	fclose(file);
	EXPECT(PC_string(PC_get(t, ".k"), &text) == PC_OK && !strcmp(text, "v"));
	free(text);
	PC_tree_destroy(&t);
	t = PC_parse_string("");
	EXPECT(PC_status(t) == PC_OK && !t.node);
	EXPECT(PDI_init(t) == PDI_OK && PDI_finalize() == PDI_OK);
	PC_tree_destroy(&t);

	foreign();
	return 0;
}
