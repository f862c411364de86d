/* The version of PDI's interface that this library has. */
#ifndef PDI_VERSION_H_
#define PDI_VERSION_H_

#define PDI_VERSION_MAJOR 1
#define PDI_VERSION_MINOR 12
#define PDI_VERSION_PATCH 0

#define PDI_VERSION ((PDI_VERSION_MAJOR << 24) + (PDI_VERSION_MINOR << 16) + (PDI_VERSION_PATCH << 8))

#endif
