/* paraconf.h: reading YAML trees, with the interface of paraconf 1.0.
 *
 * A tree is a yaml_document_t of libyaml and one of its nodes, so it may come from
 * this library, from the original paraconf, or from libyaml itself. This library does
 * not need libyaml; a program that accesses the nodes itself includes <yaml.h>. */
#ifndef PARACONF_H__
#define PARACONF_H__

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "paraconf_export.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct yaml_document_s yaml_document_t;
typedef struct yaml_node_s yaml_node_t;

typedef enum PC_status_e {
	PC_OK = 0,
	PC_INVALID_PARAMETER, /* an argument, or the text of a scalar, cannot be used */
	PC_INVALID_NODE_TYPE, /* a scalar, a sequence or a mapping where another is needed */
	PC_NODE_NOT_FOUND,
	PC_INVALID_FORMAT,    /* the text is not YAML */
	PC_SYSTEM_ERROR
} PC_status_t;

typedef void (*PC_errfunc_f)(PC_status_t status, const char *message, void *context);

/* An error handler. Its function is called for every error; NULL does nothing. */
typedef struct PC_errhandler_s {
	PC_errfunc_f func;
	void *context;
} PC_errhandler_t;

/* A tree or a part of one. Functions that receive a tree with an error return that error. */
typedef struct PC_tree_s {
	PC_status_t status;
	yaml_document_t *document;
	yaml_node_t *node;
} PC_tree_t;

extern const PARACONF_EXPORT PC_errhandler_t PC_ASSERT_HANDLER; /* writes the message and aborts: the default */
extern const PARACONF_EXPORT PC_errhandler_t PC_NULL_HANDLER;   /* does nothing */

static inline PC_status_t PC_status(PC_tree_t tree)
{
	return tree.status;
}

/* Returns the message of this thread's last error, or NULL if there was none. */
char PARACONF_EXPORT *PC_errmsg(void);

/* Sets the error handler of this thread and returns the previous one. */
PC_errhandler_t PARACONF_EXPORT PC_errhandler(PC_errhandler_t handler);

/* Read the first document of a file or a string. PC_tree_destroy frees the tree. */
PC_tree_t PARACONF_EXPORT PC_parse_path(const char *path);
PC_tree_t PARACONF_EXPORT PC_parse_file(FILE *file);
PC_tree_t PARACONF_EXPORT PC_parse_string(const char *document);

/* Returns the root of a document. */
PC_tree_t PARACONF_EXPORT PC_root(yaml_document_t *document);

/* Find a part of a tree by its path, which is formatted like printf does: `.key` is the value
 * of a key, `[i]` an item of a sequence, `{i}` and `<i>` are the i-th key and value of a mapping. */
PC_tree_t PARACONF_EXPORT PC_get(PC_tree_t tree, const char *index_fmt, ...);
PC_tree_t PARACONF_EXPORT PC_vget(PC_tree_t tree, const char *index_fmt, va_list va);
PC_tree_t PARACONF_EXPORT PC_sget(PC_tree_t tree, const char *index);

/* Stores the number of items, pairs or bytes of a node. */
PC_status_t PARACONF_EXPORT PC_len(PC_tree_t tree, int *value);

/* Store the value of a scalar. The caller frees the string of PC_string with free(). */
PC_status_t PARACONF_EXPORT PC_int(PC_tree_t tree, long *value);
PC_status_t PARACONF_EXPORT PC_double(PC_tree_t tree, double *value);
PC_status_t PARACONF_EXPORT PC_string(PC_tree_t tree, char **value);
PC_status_t PARACONF_EXPORT PC_bool(PC_tree_t tree, int *value);

/* Frees a document and all its trees. */
PC_status_t PARACONF_EXPORT PC_tree_destroy(PC_tree_t *tree);

#ifdef __cplusplus
}
#endif

#endif
