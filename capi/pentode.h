/* What libpdi offers the libraries that are installed with it, beside the interface of
 * PDI: one table. libpdi leaves its address in a variable of libpdi_private when it is loaded. */
#ifndef PENTODE_H_
#define PENTODE_H_

#include <stddef.h>

#include "yaml_layout.h"

struct pentode_private {
	int version; /* of this table */

	/* Reads YAML. Where it cannot, the document is NULL and the message is given to
	 * free(). The path is where the text comes from, or NULL. */
	struct yaml_document_s *(*parse)(const char *text, size_t length, const char *path, char **message);

	/* Says that a document is about to be freed. */
	void (*forget)(struct yaml_document_s *document);

	/* The type of what is shared under a name, else of what the tree declares, as JSON for free().
	 * NULL where there is none. */
	char *(*type)(const char *name);

	/* PDI_share for memory of a known type, which is written as in a specification tree. */
	int (*share_as)(const char *name, const char *type, void *data, int access);
};

extern const struct pentode_private *pentode_private __attribute__((visibility("default")));

#endif
