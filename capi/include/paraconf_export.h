/* Macros for the symbols that the library exports. */
#ifndef PARACONF_EXPORT_H
#define PARACONF_EXPORT_H

#ifdef PARACONF_STATIC_DEFINE
#define PARACONF_EXPORT
#define PARACONF_NO_EXPORT
#else
#define PARACONF_EXPORT __attribute__((visibility("default")))
#define PARACONF_NO_EXPORT __attribute__((visibility("hidden")))
#endif

#define PARACONF_DEPRECATED __attribute__((__deprecated__))
#define PARACONF_DEPRECATED_EXPORT PARACONF_EXPORT PARACONF_DEPRECATED
#define PARACONF_DEPRECATED_NO_EXPORT PARACONF_NO_EXPORT PARACONF_DEPRECATED

#endif
