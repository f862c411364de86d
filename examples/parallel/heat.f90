! The same as heat.c. Fortran has the first index next to each other in memory, so rows of the file are columns here.
program heat
  use mpi
  use paraconf
  use PDI
  implicit none
  integer, parameter :: n = 16, m = 48, steps = 100
  type(PC_tree_t) :: tree
  integer, target :: rows = n, columns = m, first, height, step
  double precision, target :: plate(m, 0:n + 1) = 0
  double precision :: next(m, 0:n + 1) = 0
  integer :: rank, size, above, below, i, j, err
  character(len=256) :: path

  call MPI_Init(err)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, err)
  call MPI_Comm_size(MPI_COMM_WORLD, size, err)
  path = 'heat.yml'
  if (command_argument_count() > 0) call get_command_argument(1, path)
  call PC_parse_path(path, tree)
  call PDI_init(tree)

  first = rank * n
  height = size * n
  call PDI_expose('rows', rows, PDI_OUT)
  call PDI_expose('columns', columns, PDI_OUT)
  call PDI_expose('first', first, PDI_OUT)
  call PDI_expose('height', height, PDI_OUT)

  above = merge(rank - 1, MPI_PROC_NULL, rank > 0)
  below = merge(rank + 1, MPI_PROC_NULL, rank < size - 1)
  if (rank == 0) plate(:, 0) = 100
  do step = 0, steps
    if (mod(step, 10) == 0) then
      call PDI_expose('step', step, PDI_OUT)
      call PDI_share('plate', plate, PDI_OUT)
      call PDI_event('save')
      call PDI_reclaim('plate')
    end if
    call MPI_Sendrecv(plate(:, 1), m, MPI_DOUBLE_PRECISION, above, 0, plate(:, n + 1), m, MPI_DOUBLE_PRECISION, below, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, err)
    call MPI_Sendrecv(plate(:, n), m, MPI_DOUBLE_PRECISION, below, 1, plate(:, 0), m, MPI_DOUBLE_PRECISION, above, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, err)
    do j = 1, n
      do i = 2, m - 1
        next(i, j) = 0.25d0 * (plate(i, j - 1) + plate(i, j + 1) + plate(i - 1, j) + plate(i + 1, j))
      end do
    end do
    plate(:, 1:n) = next(:, 1:n)
  end do
  call PDI_finalize()
  call PC_tree_destroy(tree)
  call MPI_Finalize(err)
end program
