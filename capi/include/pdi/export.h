/* Macros for the symbols that the library exports. */
#ifndef PDI_EXPORT_H
#define PDI_EXPORT_H

#ifdef PDI_STATIC_DEFINE
#define PDI_EXPORT
#define PDI_NO_EXPORT
#else
#define PDI_EXPORT __attribute__((visibility("default")))
#define PDI_NO_EXPORT __attribute__((visibility("hidden")))
#endif

#define PDI_DEPRECATED __attribute__((__deprecated__))
#define PDI_DEPRECATED_EXPORT PDI_EXPORT PDI_DEPRECATED
#define PDI_DEPRECATED_NO_EXPORT PDI_NO_EXPORT PDI_DEPRECATED

#endif
