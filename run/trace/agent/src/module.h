/* The program and the libraries of this process that contain regions which have run. */
#ifndef PENTODE_MODULE_H
#define PENTODE_MODULE_H

#include "session.h"

enum { MODULE_BITS = 48 }; /* of an address; the module's number is in the bits above */

HIDDEN uint64_t relative(const void *address);

#endif
