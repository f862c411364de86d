/* MPI functions without a separate event, and messages that are probed,
 * tested and waited for in every way: other, on two ranks or more. */
#include <mpi.h>
#include <stdio.h>

enum { TAG = 40, BYTES = 12 };

int main(int argc, char **argv)
{
	int yes, rank, size, index, done, indices[2];
	char text[BYTES] = "hello world", name[MPI_MAX_OBJECT_NAME];
	MPI_Initialized(&yes); /* before MPI_Init */
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Pcontrol(2, "for tools", 3.5);
	MPI_Comm_get_name(MPI_COMM_WORLD, name, &index);

	MPI_Comm backwards;
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &backwards);
	MPI_Comm grid;
	MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (int[]){0}, 0, &grid);

	MPI_Request requests[2];
	MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	if (rank == 0) {
		for (int i = 0; i < 6; i++)
			MPI_Send(text, BYTES - i, MPI_CHAR, 1, TAG + i, MPI_COMM_WORLD);
	} else if (rank == 1) {
		MPI_Status status;
		MPI_Recv(text, BYTES, MPI_CHAR, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Probe(0, TAG + 1, MPI_COMM_WORLD, &status);
		MPI_Recv(text, BYTES, MPI_CHAR, 0, TAG + 1, MPI_COMM_WORLD, &status);
		if (status.MPI_TAG != TAG + 1 || MPI_Get_count(&status, MPI_CHAR, &index) || index != BYTES - 1)
			return 3;
		MPI_Irecv(text, BYTES, MPI_CHAR, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
		MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
		MPI_Irecv(text, BYTES, MPI_CHAR, 0, TAG + 3, MPI_COMM_WORLD, &requests[0]);
		requests[1] = MPI_REQUEST_NULL;
		MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
		MPI_Irecv(text, BYTES, MPI_CHAR, 0, TAG + 4, MPI_COMM_WORLD, &requests[1]);
		MPI_Waitsome(2, requests, &done, indices, MPI_STATUSES_IGNORE);
		MPI_Irecv(text, BYTES, MPI_CHAR, 0, TAG + 5, MPI_COMM_WORLD, &requests[0]);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	}
	MPI_Comm_free(&backwards);
	MPI_Comm_free(&grid);
	MPI_Finalize();
	MPI_Finalized(&yes); /* and after it */
	return !yes;
}
