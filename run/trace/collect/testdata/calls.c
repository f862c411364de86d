/* MPI calls of several threads of one process: calls ROUNDS. */
#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 4 };
static int rounds;

static void *talk(void *index)
{
	int tag = 1 + (int)(long)index, out = tag, in = 0;
	for (int i = 0; i < rounds; i++) {
		MPI_Request request;
		MPI_Irecv(&in, 1, MPI_INT, 0, tag, MPI_COMM_SELF, &request);
		MPI_Send(&out, 1, MPI_INT, 0, tag, MPI_COMM_SELF);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	return in == out || !rounds ? NULL : (void *)1;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	int level, wrong = 0;
	rounds = argc > 1 ? atoi(argv[1]) : 10;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
	if (level != MPI_THREAD_MULTIPLE)
		return 3;
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, talk, (void *)i);
	for (int i = 0; i < THREADS; i++) {
		void *failed;
		pthread_join(threads[i], &failed);
		wrong |= failed != NULL;
	}
	MPI_Finalize();
	return wrong;
}
