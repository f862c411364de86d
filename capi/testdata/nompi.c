// A tree uses a communicator in a program without MPI or, with OTHER, with an MPI that the library does not know.
// It prints the message of the call.
#include "check.h"

#ifdef OTHER
int MPI_Comm_rank(void) { abort(); }
int MPI_Comm_size(void) { abort(); }
int MPI_Comm_test_inter(void) { abort(); }
int MPI_Comm_compare(void) { abort(); }
int MPI_Comm_idup(void) { abort(); }
int MPI_Comm_free(void) { abort(); }
int MPI_Comm_set_errhandler(void) { abort(); }
int MPI_Isend(void) { abort(); }
int MPI_Iprobe(void) { abort(); }
int MPI_Recv(void) { abort(); }
int MPI_Test(void) { abort(); }
int MPI_Get_count(void) { abort(); }
int MPI_Initialized(int *flag) { return !(*flag = 1); }
int MPI_Finalized(int *flag) { return *flag = 0; }

int MPI_Get_library_version(char *version, int *length)
{
	*length = sprintf(version, "Another MPI 1.0");
	return 0;
}
#endif

int main(void)
{
	begin("data: {x: int}\nlogging: off\nplugins: {mpi: , decl_hdf5: {file: x.h5, communicator: $MPI_COMM_WORLD, write: [x]}}\n");
	int x = 1;
	EXPECT(PDI_expose("x", &x, PDI_OUT) == PDI_ERR_SYSTEM);
	printf("%s\n", PDI_errmsg());
	FILE *file = fopen("x.h5", "r");
	EXPECT(!file);
	EXPECT(PDI_finalize() == PDI_OK);
	return 0;
}
