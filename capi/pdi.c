// The interface of PDI: the work in C before and after the work in Go.
#define _GNU_SOURCE
#define PDI_WITH_DEPRECATED

#include "pdi.h"

#include <dlfcn.h>
#include <fenv.h>
#include <pthread.h>
#include <stdbool.h>

#include "_cgo_export.h"
#include "bridge.h"

// ---- the state of a thread ----

static void fail_and_exit(PDI_status_t status, const char *message, void *context);
static void warn(PDI_status_t status, const char *message, void *context);

const PDI_errhandler_t PDI_ASSERT_HANDLER = {fail_and_exit, NULL};
const PDI_errhandler_t PDI_WARN_HANDLER = {warn, NULL};
const PDI_errhandler_t PDI_NULL_HANDLER = {NULL, NULL};

static __thread PDI_errhandler_t handler = {fail_and_exit, NULL};
static __thread char *message;
static __thread int traps; // the floating-point traps that the program had enabled when it called the library

// The key exists only for its destructor, which frees the message of a thread when it ends.
static pthread_key_t message_key;

static bool forked;

static void in_child(void)
{
	forked = true;
}

__attribute__((constructor)) static void prepare(void)
{
	pthread_key_create(&message_key, free);
	pthread_atfork(NULL, NULL, in_child);
}

void bridge_fail(const char *text, size_t length)
{
	free(message);
	message = malloc(length + 1);
	if (message) {
		memcpy(message, text, length);
		message[length] = 0;
	}
	pthread_setspecific(message_key, message);
}

const char *PDI_errmsg(void)
{
	return message ? message : "";
}

PDI_errhandler_t PDI_errhandler(PDI_errhandler_t next)
{
	PDI_errhandler_t before = handler;
	handler = next;
	return before;
}

// ---- around a call ----

// Functions of the program that the store calls may call the store again.
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

// report calls the handler when the call has left nothing on the stack.
static PDI_status_t report(int status)
{
	if (status && handler.func) handler.func(status, PDI_errmsg(), handler.context);
	return status;
}

// enter begins a call of a library function; name is the datum or event of the call, or NULL. In a forked child,
// every call fails, because the child lacks the threads that Go needs.
static int enter(const char *function, const char *name)
{
	if (forked) {
		static const char text[] = "System error: the store belongs to the process that made it: this one was forked from it";
		bridge_fail(text, sizeof text - 1);
		return PDI_ERR_SYSTEM;
	}
	pthread_mutex_lock(&lock);
	bridge_call = (struct bridge_call){function, name};
	traps = fegetexcept();
	if (traps) fedisableexcept(FE_ALL_EXCEPT);
	return PDI_OK;
}

static void leave(void)
{
	if (traps) {
		feclearexcept(FE_ALL_EXCEPT);
		feenableexcept(traps);
	}
	bridge_call = (struct bridge_call){NULL, NULL};
	pthread_mutex_unlock(&lock);
}

// CALL_OF calls a Go function and reports its status. name is the datum or event of the call, or NULL.
#define CALL_OF(name, go)                        \
	do {                                         \
		int status = enter(__func__, (name));    \
		if (!status) {                           \
			status = (go);                       \
			leave();                             \
		}                                        \
		return report(status);                   \
	} while (0)

#define CALL(go) CALL_OF(NULL, go)

void bridge_call_user(void *function)
{
	int theirs = traps;
	struct bridge_call call = bridge_call;
	bridge_call = (struct bridge_call){NULL, NULL};
	if (theirs) feenableexcept(theirs);
	((void (*)(void))function)();
	if (theirs) fedisableexcept(FE_ALL_EXCEPT);
	traps = theirs; // calls of the library inside the function have overwritten it
	bridge_call = call;
}

// ---- the handlers ----

// write_log writes to the log of the store. It returns false if there is no store.
static bool write_log(bool error, const char *text)
{
	if (forked) return false;
	enter(__func__, NULL);
	bool written = pentode_log(error, (char *)text, strlen(text));
	leave();
	return written;
}

static void fail_and_exit(PDI_status_t status, const char *text, void *context)
{
	(void)context;
	if (!status) return;
	if (!write_log(true, text)) fprintf(stderr, "[PDI][NOINIT] *** Fatal error: %s\n", text);
	exit(status);
}

static void warn(PDI_status_t status, const char *text, void *context)
{
	(void)context;
	if (status) write_log(false, text);
}

// ---- the calls ----

// transaction holds the data that PDI_expose shares between PDI_transaction_begin and its end.
static struct {
	char *event; // NULL: there is no transaction
	char **names;
	size_t count;
	PDI_status_t status; // the first error of the transaction; as in the original, it is kept until the next one begins
} transaction;

// first stores a status if it is the first error of the transaction.
static void first(PDI_status_t status)
{
	if (!transaction.status) transaction.status = status;
}

static void end_transaction(void)
{
	for (size_t i = 0; i < transaction.count; i++) free(transaction.names[i]);
	free(transaction.names);
	free(transaction.event);
	transaction.names = NULL;
	transaction.event = NULL;
	transaction.count = 0;
}

static int init(PC_tree_t conf)
{
	end_transaction();
	return pentode_init(conf.status, conf.document, conf.node);
}

PDI_status_t PDI_init(PC_tree_t conf)
{
	CALL(init(conf));
}

static int finalize(void)
{
	end_transaction();
	return pentode_finalize();
}

PDI_status_t PDI_finalize(void)
{
	CALL(finalize());
}

// end closes the store of a program that ends without PDI_finalize, as the original does, because
// plugins still have files to write. If another thread is inside the library, end does nothing, because
// it could wait forever.
__attribute__((destructor)) static void end(void)
{
	if (forked || pthread_mutex_trylock(&lock)) return;
	enter("PDI_finalize", NULL);
	finalize();
	leave();
	pthread_mutex_unlock(&lock);
}

PDI_status_t PDI_version(unsigned long *provided, unsigned long expected)
{
	if (provided) *provided = PDI_VERSION;
	CALL(pentode_version(expected, PDI_VERSION));
}

// NAMED is CALL_OF for functions that need a name. A NULL name is an error, as in the original.
#define NAMED(name, go)                         \
	do {                                        \
		if (!(name)) CALL(pentode_nameless());  \
		CALL_OF(name, go);                      \
	} while (0)

PDI_status_t PDI_share(const char *name, const void *data, PDI_inout_t access)
{
	NAMED(name, pentode_share((char *)name, strlen(name), (void *)data, access));
}

PDI_status_t PDI_access(const char *name, void **buffer, PDI_inout_t inout)
{
	NAMED(name, pentode_access((char *)name, strlen(name), buffer, inout));
}

PDI_status_t PDI_release(const char *name)
{
	NAMED(name, pentode_release((char *)name, strlen(name)));
}

PDI_status_t PDI_reclaim(const char *name)
{
	NAMED(name, pentode_reclaim((char *)name, strlen(name)));
}

PDI_status_t PDI_event(const char *event)
{
	NAMED(event, pentode_event((char *)event, strlen(event)));
}

// The calls below consist of other calls, each of which reports its own error.

PDI_status_t PDI_expose(const char *name, const void *data, PDI_inout_t access)
{
	if (!transaction.event) NAMED(name, pentode_expose((char *)name, strlen(name), (void *)data, access));

	PDI_status_t status = PDI_share(name, data, access);
	if (status) {
		first(status);
		return status;
	}
	char **names = realloc(transaction.names, (transaction.count + 1) * sizeof *names);
	char *copy = strdup(name);
	if (names) transaction.names = names;
	if (!names || !copy) abort(); // out of memory
	names[transaction.count++] = copy;
	return PDI_OK;
}

// misplaced reports the error of a transaction that cannot begin or end.
static PDI_status_t misplaced(char *text)
{
	CALL(pentode_misplaced(text));
}

PDI_status_t PDI_transaction_begin(const char *name)
{
	if (transaction.event) return misplaced("Transaction already in progress, cannot start a new one");
	if (!name) CALL(pentode_nameless());
	transaction.event = strdup(name);
	return transaction.status = PDI_OK;
}

PDI_status_t PDI_transaction_end(void)
{
	if (!transaction.event) {
		first(misplaced("No transaction in progress, cannot end one"));
		return transaction.status;
	}
	if (!transaction.status) first(PDI_event(transaction.event));
	for (size_t i = transaction.count; i-- > 0;) first(PDI_reclaim(transaction.names[i]));
	end_transaction();
	return transaction.status;
}

PDI_status_t PDI_multi_expose(const char *event, const char *name, const void *data, PDI_inout_t access, ...)
{
	PDI_status_t status = PDI_share(name, data, access);
	if (status) return status;

	// The names that were shared are those before the failed one. They are found by going through the
	// list again, so counting them is enough.
	size_t shared = 1;
	va_list args, again;
	va_start(args, access);
	va_copy(again, args);
	for (const char *next; !status && (next = va_arg(args, const char *)) != NULL;) {
		const void *at = va_arg(args, const void *);
		status = PDI_share(next, at, va_arg(args, int));
		if (!status) shared++;
	}
	va_end(args);
	if (!status) status = PDI_event(event);

	const char *names[shared];
	names[0] = name;
	for (size_t i = 1; i < shared; i++) {
		names[i] = va_arg(again, const char *);
		(void)va_arg(again, const void *);
		(void)va_arg(again, int);
	}
	va_end(again);
	for (size_t i = shared; i-- > 0;) {
		PDI_status_t reclaimed = PDI_reclaim(names[i]);
		if (!status) status = reclaimed;
	}
	return status;
}

// ---- for the libraries beside this one ----

static struct yaml_document_s *parse(const char *text, size_t length, const char *path, char **problem)
{
	if (forked || enter("PC_parse", NULL)) {
		*problem = strdup("the library belongs to the process that loaded it: this one was forked from it");
		return NULL;
	}
	struct yaml_document_s *d = pentode_parse((char *)text, length, (char *)(path ? path : ""), problem);
	leave();
	return d;
}

static void forget(struct yaml_document_s *document)
{
	if (enter("PC_tree_destroy", NULL)) return;
	pentode_forget(document);
	leave();
}

static char *type(const char *name)
{
	if (enter("PDI_access", name)) return NULL;
	char *json = pentode_type((char *)name, strlen(name));
	leave();
	return json;
}

static int share_as(const char *name, const char *type, void *data, int access)
{
	CALL_OF(name, pentode_share_as((char *)name, strlen(name), (char *)type, data, access));
}

static const struct pentode_private table = {1, parse, forget, type, share_as};

// Weak: the linker finds libpdi_private only when an installation is built.
#pragma weak pentode_private

__attribute__((constructor)) static void offer(void)
{
	if (&pentode_private) pentode_private = &table;
}
