/* The programs and libraries of this process in which regions are met. */
#ifndef PENTODE_MODULE_H
#define PENTODE_MODULE_H

#include "session.h"

enum { MODULE_BITS = 48 }; /* of an address; the module's number is in the bits above */

HIDDEN uint64_t relative(const void *address);

#endif
