/* pdi.h: the data store of Pentode with the C interface of PDI.
 *
 * A program that was written for PDI compiles against this header and runs on
 * libpdi.so.1 unchanged. Every function returns a status; the error handler of the
 * calling thread is called first where that is not PDI_OK. */
#ifndef PDI_H_
#define PDI_H_

#include <paraconf.h>

#include <pdi/export.h>
#include <pdi/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Status is the class of an error. */
typedef enum PDI_status_e {
	PDI_OK = 0,
	PDI_UNAVAILABLE = 1,                  /* deprecated: never returned */
	PDI_ERR_SPECTREE = 2,                 /* the specification tree says something that cannot be */
	PDI_ERR_CONFIG = PDI_ERR_SPECTREE,    /* deprecated name */
	PDI_ERR_VALUE = 3,                    /* an expression has no such value */
	PDI_ERR_PLUGIN = 4,                   /* a plugin cannot be had */
	PDI_ERR_IMPL = 5,                     /* something is not implemented */
	PDI_ERR_SYSTEM = 6,                   /* the operating system refused */
	PDI_ERR_STATE = 7,                    /* the call does not fit what happened before */
	PDI_ERR_PERMISSION = 8,               /* an access right is missing */
	PDI_ERR_RIGHT = PDI_ERR_PERMISSION,   /* deprecated name */
	PDI_ERR_TYPE = 9,                     /* a value is of a type that cannot be used so */
	PDI_ERR_INVALIDACTION = 10,           /* a plugin was asked for something it never does */
	PDI_ERR_MULTIPLE = 11                 /* several errors in one call */
} PDI_status_t;

/* A handler is called with every error, on the thread where it happened. It may leave
 * by longjmp. A handler whose function is NULL does nothing. */
typedef void (*PDI_errfunc_f)(PDI_status_t status, const char *message, void *context);

typedef struct PDI_errhandler_s {
	PDI_errfunc_f func;
	void *context;
} PDI_errhandler_t;

extern const PDI_errhandler_t PDI_EXPORT PDI_ASSERT_HANDLER; /* writes the message, ends the program: the default */
extern const PDI_errhandler_t PDI_EXPORT PDI_WARN_HANDLER;   /* writes the message */
extern const PDI_errhandler_t PDI_EXPORT PDI_NULL_HANDLER;   /* does nothing */

/* The message of this thread's last error; empty where there was none. */
const char PDI_EXPORT *PDI_errmsg(void);

/* Sets the error handler of this thread and returns the one before. */
PDI_errhandler_t PDI_EXPORT PDI_errhandler(PDI_errhandler_t handler);

/* Makes the store that a specification tree describes; one that is there is closed. */
PDI_status_t PDI_EXPORT PDI_init(PC_tree_t conf);

/* Closes the store. */
PDI_status_t PDI_EXPORT PDI_finalize(void);

/* Gives the version of this library, and an error where a program that expects
 * another one cannot use it. Either argument may be zero. */
PDI_status_t PDI_EXPORT PDI_version(unsigned long *provided, unsigned long expected);

/* In which direction data goes, seen from the program. */
typedef enum PDI_inout_e {
	PDI_NONE = 0,
	PDI_IN = 1,   /* into the program */
	PDI_OUT = 2,  /* out of the program */
	PDI_INOUT = 3
} PDI_inout_t;

/* Puts data of the program into the store, where it stays until PDI_reclaim or
 * PDI_release. Nothing is copied. */
PDI_status_t PDI_EXPORT PDI_share(const char *name, const void *data, PDI_inout_t access);

/* Asks for data of the store, until PDI_release or PDI_reclaim. */
PDI_status_t PDI_EXPORT PDI_access(const char *name, void **buffer, PDI_inout_t inout);

/* Leaves data to the store, which calls free() when nothing needs it any more. */
PDI_status_t PDI_EXPORT PDI_release(const char *name);

/* Takes data back: the program is responsible for its memory again. */
PDI_status_t PDI_EXPORT PDI_reclaim(const char *name);

/* Triggers an event. */
PDI_status_t PDI_EXPORT PDI_event(const char *event);

/* PDI_share and PDI_reclaim in one. */
PDI_status_t PDI_EXPORT PDI_expose(const char *name, const void *data, PDI_inout_t access);

/* Shares several data, triggers an event while they are there, and reclaims them in
 * reverse order. The list of (name, data, access) ends with NULL. */
PDI_status_t PDI_EXPORT PDI_multi_expose(const char *event_name, const char *name, const void *data, PDI_inout_t access, ...);

#ifdef PDI_WITH_DEPRECATED

/* Begins a transaction: what PDI_expose shares stays until PDI_transaction_end, which
 * triggers the event of this name. */
PDI_status_t PDI_DEPRECATED_EXPORT PDI_transaction_begin(const char *name);

/* Ends the transaction. */
PDI_status_t PDI_DEPRECATED_EXPORT PDI_transaction_end(void);

#endif

#ifdef __cplusplus
}
#endif

#endif
