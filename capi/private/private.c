/* libpdi_private: holds the table of functions that libpdi offers to the libraries installed with it. It
 * is a separate library, so that libpdi exports only the names of the original. */
#include "../pentode.h"

const struct pentode_private *pentode_private;
