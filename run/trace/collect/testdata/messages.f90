! A message from rank 0 to rank 1. BINDING is the module: mpi or mpi_f08.
program messages
  use BINDING
  implicit none
  integer :: ierror, rank, token
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  token = rank
  if (rank == 0) call MPI_Send(token, 1, MPI_INTEGER, 1, 5, MPI_COMM_WORLD, ierror)
  if (rank == 1) call MPI_Recv(token, 1, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call MPI_Finalize(ierror)
end program messages
