// C functions that Go calls.
#ifndef BRIDGE_H_
#define BRIDGE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pentode.h"

// bridge_call is the call that this thread is in, for the message about a fault. Code that calls functions of the
// program clears it meanwhile.
struct bridge_call {
	const char *function, *name;
};
extern __thread struct bridge_call bridge_call __attribute__((tls_model("initial-exec")));

// bridge_guard makes faults end the program with their own signals. Go must be running.
void bridge_guard(void);

// bridge_fail stores the message of this thread's error.
void bridge_fail(const char *text, size_t length);

// bridge_call_user calls a function of the program with the program's floating-point traps.
void bridge_call_user(void *function);

// bridge_write writes to C's standard output, in order with the program's own output.
void bridge_write(const char *text, size_t length);

// bridge_find returns a function or a variable of the program and its libraries, or NULL.
void *bridge_find(const char *name);

// These functions call Open MPI, whose communicators are pointers.
int bridge_comm_c2f(void *function, const void *comm);
void bridge_comm_f2c(void *function, int number, void *comm);

// The program's MPI library: none, one whose handles are pointers, one whose handles are ints, or an unknown one.
enum { MPI_NONE, MPI_POINTERS, MPI_NUMBERS, MPI_OTHER };
int bridge_mpi_load(void);

// These functions call the MPI library. A communicator is passed as the bytes of its handle; the buffer for a request
// must be large enough for a pointer. Functions that can fail return 0, an MPI error code, or MPI_LATE after a timeout; a timeout of 0
// seconds waits forever.
enum { MPI_LATE = -1 };
bool bridge_mpi_active(void); // between MPI_Init and MPI_Finalize
int bridge_mpi_rank(const void *comm);
int bridge_mpi_size(const void *comm);
bool bridge_mpi_inter(const void *comm);
bool bridge_mpi_congruent(const void *a, const void *b);
int bridge_mpi_duplicate(const void *comm, void *copy, double seconds);
int bridge_mpi_free(const void *comm);
int bridge_mpi_send(const void *comm, int to, const void *bytes, int length, void *request);
int bridge_mpi_sent(void *request, bool wait);
int bridge_mpi_probe(const void *comm, int from, double seconds, int *length);
int bridge_mpi_receive(const void *comm, int from, void *bytes, int length);

// bridge_python runs Python code. It returns 1 if the code failed, and 2 if there is no Python.
int bridge_python(const char *code);

// bridge_node is a node of a document in a form without pointers, which Go can pass to C. For a sequence or a
// mapping, `first` and `count` select a part of the array `list`: the numbers of its items, or of its keys and
// values in turn. For a scalar, they select its text in `text`.
struct bridge_node {
	int32_t type, style;
	uint32_t first, count;
	uint32_t start[3], end[3]; // index, line, column
};

// bridge_document builds a libyaml document, or returns NULL if there is not enough memory.
struct yaml_document_s *bridge_document(const struct bridge_node *nodes, size_t count, const int32_t *list, const char *text);

#endif
