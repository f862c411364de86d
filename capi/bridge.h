// What Go calls in C.
#ifndef BRIDGE_H_
#define BRIDGE_H_

#include <stdbool.h>
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

// These call functions of Open MPI, whose communicators are pointers.
int bridge_comm_c2f(void *function, const void *comm);
void bridge_comm_f2c(void *function, int number, void *comm);

// What a program has of MPI: nothing, a library whose handles are pointers or ints, or another one.
enum { MPI_NONE, MPI_POINTERS, MPI_NUMBERS, MPI_OTHER };
int bridge_mpi_load(void);

// These call it. A communicator is the bytes of its handle, a request has room for a pointer. What can fail gives
// 0, a code of MPI, or MPI_LATE where the time is over; 0 seconds have no end.
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
