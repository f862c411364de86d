! A message from rank 0 to rank 1, and functions without a separate event.
! BINDING is the module, mpi or mpi_f08, and REQUEST is its type of requests.
program messages
  use BINDING
  implicit none
  integer :: ierror, rank, token, length
  character(len=MPI_MAX_OBJECT_NAME) :: name
  REQUEST :: request
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  token = rank
  if (rank == 0) call MPI_Send(token, 1, MPI_INTEGER, 1, 5, MPI_COMM_WORLD, ierror)
  if (rank == 1) call MPI_Recv(token, 1, MPI_INTEGER, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  call MPI_Barrier(MPI_COMM_WORLD, ierror)
  call MPI_Ibcast(token, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, request, ierror)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  call MPI_Comm_get_name(MPI_COMM_WORLD, name, length, ierror)
  if (name(1:length) /= 'MPI_COMM_WORLD') stop 3
  call MPI_Finalize(ierror)
end program messages
