/* libpdi_private: where libpdi leaves what it offers the libraries that are installed with it. It
 * is a library of its own, so that libpdi exports the names of the original and no other. */
#include "../pentode.h"

const struct pentode_private *pentode_private;
