// What Go calls in C.
#ifndef BRIDGE_H_
#define BRIDGE_H_

#include <stddef.h>
#include <stdint.h>

#include "pentode.h"

// bridge_call is the call that this thread is in, for the message of a fault. What calls code of the
// program sets it aside.
struct bridge_call {
	const char *function, *name;
};
extern __thread struct bridge_call bridge_call __attribute__((tls_model("initial-exec")));

// bridge_guard lets faults end the program by their own signals. Go must be running.
void bridge_guard(void);

// bridge_fail keeps the message of this thread's error.
void bridge_fail(const char *text, size_t length);

// bridge_call_user calls a function of the program, with the program's floating-point traps.
void bridge_call_user(void *function);

// bridge_write writes to the standard output of C, in order with what the program writes there.
void bridge_write(const char *text, size_t length);

// bridge_find finds a function or a variable of the program and its libraries, or NULL.
void *bridge_find(const char *name);

// These call functions of the program's MPI library. A communicator has the size of a
// pointer or of an int.
int bridge_comm_number(void *function, const void *comm, size_t size); // MPI_Comm_rank, MPI_Comm_size
int bridge_comm_c2f(void *function, const void *comm, size_t size);
void bridge_comm_f2c(void *function, int number, void *comm, size_t size);

// bridge_python runs Python code. It returns 1 where the code failed, 2 where there is no Python.
int bridge_python(const char *code);

// bridge_node is a node of a document without pointers, as Go hands it over. Items are
// in `list` from `first`: the numbers of nodes, of a mapping by turns keys and values.
// The text of a scalar is in `text`.
struct bridge_node {
	int32_t type, style;
	uint32_t first, count;
	uint32_t start[3], end[3]; // index, line, column
};

// bridge_document builds a document of libyaml; NULL where there is no memory.
struct yaml_document_s *bridge_document(const struct bridge_node *nodes, size_t count, const int32_t *list, const char *text);

#endif
