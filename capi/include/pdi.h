/* pdi.h: the data store of Pentode with PDI's C interface.
 *
 * A program written for PDI compiles with this header and runs with this
 * libpdi.so.1 unchanged. Every function returns a status. If it is not PDI_OK,
 * the error handler of the calling thread is called before the function returns. */
#ifndef PDI_H_
#define PDI_H_

#include <paraconf.h>

#include <pdi/export.h>
#include <pdi/version.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The class of an error. */
typedef enum PDI_status_e {
	PDI_OK = 0,
	PDI_UNAVAILABLE = 1,                  /* deprecated: never returned */
	PDI_ERR_SPECTREE = 2,                 /* the specification tree is invalid */
	PDI_ERR_CONFIG = PDI_ERR_SPECTREE,    /* deprecated name */
	PDI_ERR_VALUE = 3,                    /* an expression cannot be evaluated */
	PDI_ERR_PLUGIN = 4,                   /* a plugin cannot be loaded or failed */
	PDI_ERR_IMPL = 5,                     /* something is not implemented */
	PDI_ERR_SYSTEM = 6,                   /* the operating system refused */
	PDI_ERR_STATE = 7,                    /* the call is not allowed at this point */
	PDI_ERR_PERMISSION = 8,               /* an access right is missing */
	PDI_ERR_RIGHT = PDI_ERR_PERMISSION,   /* deprecated name */
	PDI_ERR_TYPE = 9,                     /* a value has a type that cannot be used here */
	PDI_ERR_INVALIDACTION = 10,           /* a plugin was asked for an action that it does not have */
	PDI_ERR_MULTIPLE = 11                 /* several errors in one call */
} PDI_status_t;

/* An error handler. Its function is called for every error, on the thread of the error,
 * and may leave with longjmp. A handler whose function is NULL does nothing. */
typedef void (*PDI_errfunc_f)(PDI_status_t status, const char *message, void *context);

typedef struct PDI_errhandler_s {
	PDI_errfunc_f func;
	void *context;
} PDI_errhandler_t;

extern const PDI_errhandler_t PDI_EXPORT PDI_ASSERT_HANDLER; /* writes the message and ends the program: the default */
extern const PDI_errhandler_t PDI_EXPORT PDI_WARN_HANDLER;   /* writes the message */
extern const PDI_errhandler_t PDI_EXPORT PDI_NULL_HANDLER;   /* does nothing */

/* Returns the message of this thread's last error, or "" if there was none. */
const char PDI_EXPORT *PDI_errmsg(void);

/* Sets the error handler of this thread and returns the previous one. */
PDI_errhandler_t PDI_EXPORT PDI_errhandler(PDI_errhandler_t handler);

/* Makes the store that a specification tree describes. An existing store is closed. */
PDI_status_t PDI_EXPORT PDI_init(PC_tree_t conf);

/* Closes the store. */
PDI_status_t PDI_EXPORT PDI_finalize(void);

/* Stores the version of this library in *provided. Fails if a program that expects
 * the version `expected` cannot use the library. Either argument may be zero. */
PDI_status_t PDI_EXPORT PDI_version(unsigned long *provided, unsigned long expected);

/* The direction of data, as the program sees it. */
typedef enum PDI_inout_e {
	PDI_NONE = 0,
	PDI_IN = 1,   /* into the program */
	PDI_OUT = 2,  /* out of the program */
	PDI_INOUT = 3
} PDI_inout_t;

/* Shares data of the program with the store until PDI_reclaim or PDI_release.
 * Nothing is copied. */
PDI_status_t PDI_EXPORT PDI_share(const char *name, const void *data, PDI_inout_t access);

/* Gives the program access to data of the store until PDI_release or PDI_reclaim. */
PDI_status_t PDI_EXPORT PDI_access(const char *name, void **buffer, PDI_inout_t inout);

/* Ends an access; without one, hands shared data over to the store, which calls free()
 * when the data is no longer needed. */
PDI_status_t PDI_EXPORT PDI_release(const char *name);

/* Ends the sharing of data: the program is responsible for its memory again. */
PDI_status_t PDI_EXPORT PDI_reclaim(const char *name);

/* Triggers an event. */
PDI_status_t PDI_EXPORT PDI_event(const char *event);

/* Shares data and reclaims it at once. */
PDI_status_t PDI_EXPORT PDI_expose(const char *name, const void *data, PDI_inout_t access);

/* Shares several data, triggers an event, and reclaims the data in reverse order. The
 * list of (name, data, access) ends with NULL. */
PDI_status_t PDI_EXPORT PDI_multi_expose(const char *event_name, const char *name, const void *data, PDI_inout_t access, ...);

#ifdef PDI_WITH_DEPRECATED

/* Begins a transaction: data that PDI_expose shares stays shared until
 * PDI_transaction_end, which triggers the named event. */
PDI_status_t PDI_DEPRECATED_EXPORT PDI_transaction_begin(const char *name);

/* Triggers the event of the transaction and reclaims its data. */
PDI_status_t PDI_DEPRECATED_EXPORT PDI_transaction_end(void);

#endif

#ifdef __cplusplus
}
#endif

#endif
