/* The memory layout of a libyaml document. Trees of this library are such documents, so that
 * they can be passed to the original paraconf and back. */
#ifndef YAML_LAYOUT_H_
#define YAML_LAYOUT_H_

#include <stddef.h>

enum { NODE_NONE, NODE_SCALAR, NODE_SEQUENCE, NODE_MAPPING };

struct yaml_mark {
	size_t index, line, column;
};

/* Nodes refer to each other by number, counted from 1. */
struct yaml_pair {
	int key, value;
};

struct yaml_node_s {
	int type;
	char *tag;
	union {
		struct {
			char *value;
			size_t length;
			int style;
		} scalar;
		struct {
			int *start, *end, *top;
			int style;
		} sequence;
		struct {
			struct yaml_pair *start, *end, *top;
			int style;
		} mapping;
	} data;
	struct yaml_mark start_mark, end_mark;
};

struct yaml_document_s {
	struct yaml_node_s *start, *end, *top;
	void *version_directive;
	struct {
		struct {
			char *handle, *prefix;
		} *start, *end;
	} tag_directives;
	int start_implicit, end_implicit;
	struct yaml_mark start_mark, end_mark;
};

_Static_assert(sizeof(struct yaml_node_s) == 96 || sizeof(void *) != 8, "a node of libyaml has 96 bytes");
_Static_assert(sizeof(struct yaml_document_s) == 104 || sizeof(void *) != 8, "a document of libyaml has 104 bytes");

#endif
