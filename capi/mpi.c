// Calls of the MPI library that the program has loaded. The library is unknown when this file is compiled: a
// handle is a pointer in Open MPI and an int in MPICH and libraries that share its interface.
#define _GNU_SOURCE

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bridge.h"

enum { TAG = 1 }; // one tag is enough, because these communicators are used only by this library

typedef union {
	int number;
	void *pointer;
	unsigned char bytes[sizeof(void *)];
} handle;

static struct {
	bool numbers; // true: handles are ints; false: pointers
	handle byte, errors_return;
	void *rank, *size, *inter, *compare, *idup, *free, *handler, *isend, *iprobe, *recv, *test, *count, *initialized, *finalized;
} mpi;

int bridge_mpi_load(void)
{
	const struct {
		void **to;
		const char *name;
	} calls[] = {
		{&mpi.rank, "MPI_Comm_rank"}, {&mpi.size, "MPI_Comm_size"}, {&mpi.inter, "MPI_Comm_test_inter"}, {&mpi.compare, "MPI_Comm_compare"},
		{&mpi.idup, "MPI_Comm_idup"}, {&mpi.free, "MPI_Comm_free"}, {&mpi.handler, "MPI_Comm_set_errhandler"}, {&mpi.isend, "MPI_Isend"},
		{&mpi.iprobe, "MPI_Iprobe"}, {&mpi.recv, "MPI_Recv"}, {&mpi.test, "MPI_Test"}, {&mpi.count, "MPI_Get_count"},
		{&mpi.initialized, "MPI_Initialized"}, {&mpi.finalized, "MPI_Finalized"},
	};
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
		*calls[i].to = bridge_find(calls[i].name);
		if (!*calls[i].to) return MPI_NONE;
	}
	if (bridge_find("ompi_mpi_comm_world")) {
		mpi.byte.pointer = bridge_find("ompi_mpi_byte");
		mpi.errors_return.pointer = bridge_find("ompi_mpi_errors_return");
		return mpi.byte.pointer && mpi.errors_return.pointer ? MPI_POINTERS : MPI_OTHER;
	}
	char version[8192] = "";
	int length = 0;
	int (*get)(char *, int *) = (int (*)(char *, int *))bridge_find("MPI_Get_library_version");
	if (get) get(version, &length);
	if (!strstr(version, "MPICH") && !strstr(version, "Intel(R) MPI") && !strstr(version, "MVAPICH")) return MPI_OTHER;
	mpi.numbers = true;
	mpi.byte.number = 0x4c00010d;
	mpi.errors_return.number = 0x54000001;
	return MPI_NUMBERS;
}

bool bridge_mpi_active(void)
{
	int begun = 0, ended = 0;
	((int (*)(int *))mpi.initialized)(&begun);
	if (begun) ((int (*)(int *))mpi.finalized)(&ended);
	return begun && !ended;
}

static int number_of(void *call, const handle *comm)
{
	int number = 0;
	if (mpi.numbers)
		((int (*)(int, int *))call)(comm->number, &number);
	else
		((int (*)(void *, int *))call)(comm->pointer, &number);
	return number;
}

static handle of(const void *comm)
{
	handle h = {0};
	memcpy(h.bytes, comm, mpi.numbers ? sizeof(int) : sizeof(void *));
	return h;
}

int bridge_mpi_rank(const void *comm) { handle h = of(comm); return number_of(mpi.rank, &h); }
int bridge_mpi_size(const void *comm) { handle h = of(comm); return number_of(mpi.size, &h); }
bool bridge_mpi_inter(const void *comm) { handle h = of(comm); return number_of(mpi.inter, &h); }

bool bridge_mpi_congruent(const void *a, const void *b)
{
	handle x = of(a), y = of(b);
	int result = 3; // MPI_Comm_compare gives 0 for the same communicator, 1 for the same processes in the same order
	if (mpi.numbers)
		((int (*)(int, int, int *))mpi.compare)(x.number, y.number, &result);
	else
		((int (*)(void *, void *, int *))mpi.compare)(x.pointer, y.pointer, &result);
	return result <= 1;
}

// MPI has no wait with a timeout, so a wait polls. At first it only yields the processor between two polls, because
// the process that it waits for may run on the same machine; later it sleeps for a short time.
struct wait {
	double end; // the time when the wait ends; 0: never
	unsigned turns;
};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

static struct wait begin(double seconds)
{
	return (struct wait){seconds > 0 ? now() + seconds : 0, 0};
}

// again waits a moment before the next poll. It returns false if the wait has timed out.
static bool again(struct wait *w)
{
	if (++w->turns < 2000) {
		sched_yield();
	} else {
		nanosleep(&(struct timespec){0, 20000}, NULL);
	}
	return !w->end || now() < w->end;
}

// An MPI_Status has 20 to 24 bytes in all known libraries; this one is larger to be safe.
struct status {
	long room[32];
};

static int finished(handle *request, int *flag)
{
	struct status status;
	return ((int (*)(void *, int *, void *))mpi.test)(request, flag, &status);
}

int bridge_mpi_duplicate(const void *comm, void *copy, double seconds)
{
	handle from = of(comm), to = {0}, request = {0};
	int code;
	if (mpi.numbers)
		code = ((int (*)(int, void *, void *))mpi.idup)(from.number, &to, &request);
	else
		code = ((int (*)(void *, void *, void *))mpi.idup)(from.pointer, &to, &request);
	struct wait w = begin(seconds);
	for (int done = 0; !code;) {
		code = finished(&request, &done);
		if (done) break;
		if (!again(&w)) return MPI_LATE;
	}
	if (code) return code;
	memcpy(copy, to.bytes, sizeof to.bytes);
	if (mpi.numbers) return ((int (*)(int, int))mpi.handler)(to.number, mpi.errors_return.number);
	return ((int (*)(void *, void *))mpi.handler)(to.pointer, mpi.errors_return.pointer);
}

int bridge_mpi_free(const void *comm)
{
	handle h = of(comm);
	return ((int (*)(void *))mpi.free)(&h);
}

int bridge_mpi_send(const void *comm, int to, const void *bytes, int length, void *request)
{
	handle h = of(comm);
	if (mpi.numbers)
		return ((int (*)(const void *, int, int, int, int, int, void *))mpi.isend)(bytes, length, mpi.byte.number, to, TAG, h.number, request);
	return ((int (*)(const void *, int, void *, int, int, void *, void *))mpi.isend)(bytes, length, mpi.byte.pointer, to, TAG, h.pointer, request);
}

int bridge_mpi_sent(void *request, bool wait)
{
	struct wait w = begin(0);
	for (;;) {
		int done = 0, code = finished(request, &done);
		if (code) return code;
		if (done) return 0;
		if (!wait) return MPI_LATE;
		again(&w);
	}
}

int bridge_mpi_probe(const void *comm, int from, double seconds, int *length)
{
	handle h = of(comm);
	struct status status;
	struct wait w = begin(seconds);
	for (;;) {
		int flag = 0, code;
		if (mpi.numbers)
			code = ((int (*)(int, int, int, int *, void *))mpi.iprobe)(from, TAG, h.number, &flag, &status);
		else
			code = ((int (*)(int, int, void *, int *, void *))mpi.iprobe)(from, TAG, h.pointer, &flag, &status);
		if (code) return code;
		if (flag) break;
		if (!again(&w)) return MPI_LATE;
	}
	if (mpi.numbers) return ((int (*)(void *, int, int *))mpi.count)(&status, mpi.byte.number, length);
	return ((int (*)(void *, void *, int *))mpi.count)(&status, mpi.byte.pointer, length);
}

int bridge_mpi_receive(const void *comm, int from, void *bytes, int length)
{
	handle h = of(comm);
	struct status status;
	if (mpi.numbers)
		return ((int (*)(void *, int, int, int, int, int, void *))mpi.recv)(bytes, length, mpi.byte.number, from, TAG, h.number, &status);
	return ((int (*)(void *, int, void *, int, int, void *, void *))mpi.recv)(bytes, length, mpi.byte.pointer, from, TAG, h.pointer, &status);
}
