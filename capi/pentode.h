/* The functions that libpdi offers to the libraries installed with it, in addition to PDI's interface:
 * one table. When libpdi is loaded, it stores the table's address in a variable of libpdi_private. */
#ifndef PENTODE_H_
#define PENTODE_H_

#include <stddef.h>

#include "yaml_layout.h"

struct pentode_private {
	int version; /* of this table */

	/* Parses YAML. If that fails, it returns NULL and a message, which the caller frees
	 * with free(). The path says where the text comes from; it may be NULL. */
	struct yaml_document_s *(*parse)(const char *text, size_t length, const char *path, char **message);

	/* Must be called before a document is freed. */
	void (*forget)(struct yaml_document_s *document);

	/* Returns the type of the data shared under a name, or else the type that the tree declares, as
	 * JSON that the caller frees with free(). It returns NULL if there is none. */
	char *(*type)(const char *name);

	/* PDI_share for memory of a given type, written as in a specification tree. */
	int (*share_as)(const char *name, const char *type, void *data, int access);
};

extern const struct pentode_private *pentode_private __attribute__((visibility("default")));

#endif
