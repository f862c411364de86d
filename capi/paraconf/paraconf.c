/* libparaconf: YAML trees for C programs.
 *
 * libpdi parses texts; the functions here walk the documents that libpdi or libyaml
 * has built. */
#define _GNU_SOURCE

#include "paraconf.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../pentode.h"

/* ---- errors ----
 *
 * The texts are the original's, including the line breaks at their ends: libpdi passes them on. */

static void fail_and_abort(PC_status_t status, const char *message, void *context)
{
	(void)context;
	if (status) {
		fprintf(stderr, "Error in paraconf: %s\n", message);
		abort();
	}
}

const PC_errhandler_t PC_ASSERT_HANDLER = {fail_and_abort, NULL};
const PC_errhandler_t PC_NULL_HANDLER = {NULL, NULL};

static __thread PC_errhandler_t handler = {fail_and_abort, NULL};
static __thread char *message;

/* The key exists only for its destructor, which frees the message of a thread when it ends. */
static pthread_key_t message_key;
static pthread_once_t message_once = PTHREAD_ONCE_INIT;

static void make_message_key(void)
{
	pthread_key_create(&message_key, free);
}

char *PC_errmsg(void)
{
	return message;
}

PC_errhandler_t PC_errhandler(PC_errhandler_t next)
{
	PC_errhandler_t before = handler;
	handler = next;
	return before;
}

__attribute__((format(printf, 2, 3))) static PC_status_t fail(PC_status_t status, const char *format, ...)
{
	char *before = message; /* may be one of the arguments */
	va_list args;
	va_start(args, format);
	if (vasprintf(&message, format, args) < 0) message = NULL;
	va_end(args);
	free(before);
	pthread_once(&message_once, make_message_key);
	pthread_setspecific(message_key, message);
	if (handler.func) handler.func(status, message ? message : "", handler.context);
	return status;
}

static PC_tree_t failed(PC_status_t status)
{
	PC_tree_t tree = {status, NULL, NULL};
	return tree;
}

/* ---- reading ---- */

/* reader returns the functions that parse texts, from the libpdi next to this library. If the program uses
 * another libpdi, this one is loaded in addition, only for that purpose. */
static const struct pentode_private *reader(void)
{
	if (pentode_private) return pentode_private;
	Dl_info self;
	char path[4096];
	if (!dladdr((void *)reader, &self) || !strrchr(self.dli_fname, '/')) return NULL;
	snprintf(path, sizeof path, "%.*s/libpdi.so.1", (int)(strrchr(self.dli_fname, '/') - self.dli_fname), self.dli_fname);
	dlopen(path, RTLD_NOW | RTLD_LOCAL);
	return pentode_private;
}

static PC_tree_t parse(const char *text, size_t length, const char *path)
{
	if (!reader()) return failed(fail(PC_SYSTEM_ERROR, "the libpdi that belongs to this library was not found"));
	char *problem = NULL;
	yaml_document_t *document = pentode_private->parse(text, length, path, &problem);
	if (document) return PC_root(document);
	PC_status_t status;
	if (path)
		status = fail(PC_INVALID_FORMAT, "can not parse file `%s`\n%s", path, problem);
	else
		status = fail(PC_INVALID_FORMAT, "%s", problem);
	free(problem);
	return failed(status);
}

PC_tree_t PC_parse_string(const char *document)
{
	return parse(document, strlen(document), NULL);
}

/* read_all reads a text to its end; more reads a piece of it and returns 0 at the end and -1 on failure.
 *
 * The text is stored in separate pages and not in the heap. There it would be freed before the program allocates
 * its arrays, which would then begin with its remains; a program that reads an element that it never set would
 * see them. So only memory that the program receives and frees, or that stays, comes from the heap. */
static PC_tree_t read_all(ssize_t (*more)(void *from, char *at, size_t room), void *from, const char *path)
{
	size_t length = 0, room = 1 << 16;
	ssize_t got = 0;
	char *text = mmap(NULL, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (text == MAP_FAILED) return failed(fail(PC_SYSTEM_ERROR, "%s", strerror(ENOMEM)));
	while ((got = more(from, text + length, room - length)) > 0) {
		length += got;
		if (length < room) continue;
		char *larger = mremap(text, room, 2 * room, MREMAP_MAYMOVE);
		if (larger == MAP_FAILED) {
			got = -1;
			break;
		}
		text = larger;
		room *= 2;
	}
	PC_tree_t tree = got < 0 ? failed(fail(PC_SYSTEM_ERROR, "%s", strerror(errno))) : parse(text, length, path);
	munmap(text, room);
	return tree;
}

static ssize_t of_stream(void *from, char *at, size_t room)
{
	size_t got = fread(at, 1, room, from);
	return ferror(from) ? -1 : (ssize_t)got;
}

static ssize_t of_file(void *from, char *at, size_t room)
{
	ssize_t got;
	do got = read(*(int *)from, at, room);
	while (got < 0 && errno == EINTR);
	return got;
}

PC_tree_t PC_parse_file(FILE *file)
{
	return read_all(of_stream, file, NULL);
}

PC_tree_t PC_parse_path(const char *path)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0) return failed(fail(PC_SYSTEM_ERROR, "%s", strerror(errno)));
	PC_tree_t tree = read_all(of_file, &file, path);
	close(file);
	return tree;
}

PC_tree_t PC_root(yaml_document_t *document)
{
	PC_tree_t tree = {PC_OK, document, document->top > document->start ? document->start : NULL};
	return tree;
}

PC_status_t PC_tree_destroy(PC_tree_t *tree)
{
	yaml_document_t *d = tree->document;
	tree->node = NULL;
	tree->document = NULL;
	if (!d) return tree->status;
	if (pentode_private) pentode_private->forget(d);
	for (yaml_node_t *n = d->start; n != d->top; n++) {
		free(n->tag);
		switch (n->type) {
		case NODE_SCALAR: free(n->data.scalar.value); break;
		case NODE_SEQUENCE: free(n->data.sequence.start); break;
		case NODE_MAPPING: free(n->data.mapping.start); break;
		}
	}
	free(d->start);
	free(d->version_directive);
	size_t tags = d->tag_directives.end - d->tag_directives.start;
	for (size_t i = 0; i < tags; i++) {
		free(d->tag_directives.start[i].handle);
		free(d->tag_directives.start[i].prefix);
	}
	free(d->tag_directives.start);
	free(d);
	return tree->status;
}

/* ---- paths ---- */

static const char *kind(const yaml_node_t *n)
{
	static const char *const names[] = {"none", "scalar", "sequence", "mapping"};
	return n->type >= NODE_NONE && n->type <= NODE_MAPPING ? names[n->type] : "none";
}

static yaml_node_t *numbered(const yaml_document_t *d, int number)
{
	return number > 0 && d->start + number <= d->top ? d->start + number - 1 : NULL;
}

/* The part of a path that has been followed, for messages. */
#define DONE(path, at) (int)((at) - (path)), (path)

/* expect checks that a node has the type that a step of a path needs. */
static PC_status_t expect(const yaml_node_t *n, int type, const char *name, const char *path, const char *at)
{
	if (n->type == type) return PC_OK;
	return fail(PC_INVALID_NODE_TYPE, "Expected %s, found %s (ROOT)%.*s\n", name, kind(n), DONE(path, at));
}

/* by_key follows `.key`. Every key before the right one must be a scalar; another
 * key ends the search. */
static PC_status_t by_key(PC_tree_t *tree, const char **at, const char *path)
{
	const char *key = *at + 1;
	size_t length = strcspn(key, ".[{<");
	PC_status_t status = expect(tree->node, NODE_MAPPING, "mapping", path, *at);
	if (status) return status;
	const yaml_node_t *map = tree->node;
	for (struct yaml_pair *p = map->data.mapping.start; p != map->data.mapping.top; p++) {
		const yaml_node_t *k = numbered(tree->document, p->key);
		if (k->type != NODE_SCALAR) return fail(PC_INVALID_NODE_TYPE, "Expected a scalar, found %s\n", kind(k));
		if (strlen(k->data.scalar.value) == length && !memcmp(k->data.scalar.value, key, length)) {
			tree->node = numbered(tree->document, p->value);
			*at = key + length;
			return PC_OK;
		}
	}
	return fail(PC_NODE_NOT_FOUND, "Key `%.*s' not found in (ROOT)%.*s\n", (int)length, key, DONE(path, *at));
}

/* by_index follows `[i]`, `{i}` or `<i>`. */
static PC_status_t by_index(PC_tree_t *tree, const char **at, const char *path)
{
	static const char opening[] = "[{<", closing[] = "]}>";
	char open = **at, close = closing[strchr(opening, open) - opening];
	char *end;
	long i = strtol(*at + 1, &end, 0);
	if (end == *at + 1) return fail(PC_INVALID_PARAMETER, "Expected integer at char #%ld of `%s'\n", (long)(*at + 1 - path), path);
	if (*end != close) return fail(PC_INVALID_PARAMETER, "Expected `%c' at char #%ld of `%s'\n", close, (long)(end - path), path);

	const yaml_node_t *n = tree->node;
	PC_status_t status = open == '[' ? expect(n, NODE_SEQUENCE, "sequence", path, *at) : expect(n, NODE_MAPPING, "mapping", path, *at + 1);
	if (status) return status;
	long count = open == '[' ? n->data.sequence.top - n->data.sequence.start : n->data.mapping.top - n->data.mapping.start;
	if (i < 0 || i >= count) return fail(PC_NODE_NOT_FOUND, "Index %ld out of range [0...%ld%c in (ROOT)%.*s\n", i, count, open == '[' ? '[' : ']', DONE(path, *at));
	int number = open == '[' ? n->data.sequence.start[i] : open == '{' ? n->data.mapping.start[i].key : n->data.mapping.start[i].value;
	tree->node = numbered(tree->document, number);
	*at = end + 1;
	return PC_OK;
}

PC_tree_t PC_sget(PC_tree_t tree, const char *path)
{
	if (!tree.status && *path && !tree.node) tree.status = fail(PC_INVALID_NODE_TYPE, "Expected node, found empty tree\n");
	const char *at = path;
	while (!tree.status && *at) {
		switch (*at) {
		case '.': tree.status = by_key(&tree, &at, path); break;
		case '[':
		case '{':
		case '<': tree.status = by_index(&tree, &at, path); break;
		default: tree.status = fail(PC_INVALID_PARAMETER, "Invalid character at char #%ld of `%s'\n", (long)(at - path), path);
		}
	}
	return tree;
}

PC_tree_t PC_vget(PC_tree_t tree, const char *format, va_list args)
{
	if (tree.status) return tree;
	char usual[512]; /* large enough for most paths, which then do not use the heap */
	va_list again;
	va_copy(again, args);
	int length = vsnprintf(usual, sizeof usual, format, args);
	char *path = usual;
	if (length >= (int)sizeof usual && vasprintf(&path, format, again) < 0) length = -1;
	va_end(again);
	if (length < 0) {
		tree.status = fail(PC_SYSTEM_ERROR, "%s", strerror(errno));
		return tree;
	}
	tree = PC_sget(tree, path);
	if (path != usual) free(path);
	return tree;
}

PC_tree_t PC_get(PC_tree_t tree, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	tree = PC_vget(tree, format, args);
	va_end(args);
	return tree;
}

/* ---- values ---- */

PC_status_t PC_len(PC_tree_t tree, int *value)
{
	if (tree.status) return tree.status;
	if (!tree.node) return fail(PC_INVALID_NODE_TYPE, "Expected node, found empty tree\n");
	switch (tree.node->type) {
	case NODE_SCALAR: *value = tree.node->data.scalar.length; return PC_OK;
	case NODE_SEQUENCE: *value = tree.node->data.sequence.top - tree.node->data.sequence.start; return PC_OK;
	case NODE_MAPPING: *value = tree.node->data.mapping.top - tree.node->data.mapping.start; return PC_OK;
	}
	return fail(PC_INVALID_NODE_TYPE, "Unknown yaml node type: #%d", tree.node->type);
}

/* scalar returns the text of a scalar. */
static PC_status_t scalar(PC_tree_t tree, const char **text)
{
	if (tree.status) return tree.status;
	if (!tree.node) return fail(PC_INVALID_NODE_TYPE, "Expected node, found empty tree\n");
	if (tree.node->type != NODE_SCALAR) return fail(PC_INVALID_NODE_TYPE, "Expected a scalar, found %s\n", kind(tree.node));
	*text = tree.node->data.scalar.value;
	return PC_OK;
}

PC_status_t PC_int(PC_tree_t tree, long *value)
{
	const char *text = NULL;
	PC_status_t status = scalar(tree, &text);
	if (status) return status;
	char *end;
	long v = strtol(text, &end, 0);
	if (*end) return fail(PC_INVALID_NODE_TYPE, "Expected integer, found `%s'\n", text);
	*value = v;
	return PC_OK;
}

PC_status_t PC_double(PC_tree_t tree, double *value)
{
	const char *text = NULL;
	PC_status_t status = scalar(tree, &text);
	if (status) return status;
	char *end;
	*value = strtod(text, &end);
	if (*end) return fail(PC_INVALID_PARAMETER, "Expected floating point, found `%s'\n", text);
	return PC_OK;
}

PC_status_t PC_string(PC_tree_t tree, char **value)
{
	const char *text = NULL;
	PC_status_t status = scalar(tree, &text);
	if (status) return status;
	*value = malloc(tree.node->data.scalar.length + 1);
	if (!*value) return fail(PC_SYSTEM_ERROR, "%s", strerror(ENOMEM));
	memcpy(*value, text, tree.node->data.scalar.length + 1);
	return PC_OK;
}

PC_status_t PC_bool(PC_tree_t tree, int *value)
{
	static const char *const words[2][6] = {
		{"no", "No", "NO", "false", "False", "FALSE"},
		{"yes", "Yes", "YES", "true", "True", "TRUE"},
	};
	const char *text = NULL;
	PC_status_t status = scalar(tree, &text);
	if (status) return status;
	for (int v = 0; v < 2; v++) {
		for (int i = 0; i < 6; i++) {
			if (!strcmp(text, words[v][i])) {
				*value = v;
				return PC_OK;
			}
		}
	}
	return fail(PC_INVALID_PARAMETER, "Expected logical expression, found `%s'\n", text);
}
