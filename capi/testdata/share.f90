! Numbers, arrays and texts from Fortran.
program share
  use paraconf
  use PDI
  implicit none
  type(PC_tree_t) :: tree
  integer, target :: n
  integer, pointer :: pn
  real(8), target :: a(3, 2)
  real(8), pointer, contiguous :: pa(:, :)
  integer :: err, value
  character(len=64) :: path, text

  call get_command_argument(1, path)
  call PC_parse_path(path, tree)
  call PC_int(PC_get(tree, '.answer'), value)
  if (value /= 42) stop 1
  call PC_string(PC_get(tree, '.word'), text)
  if (text /= 'heat') stop 2
  call PC_errhandler(PC_NULL_HANDLER)
  if (PC_status(PC_get(tree, '.nothing')) /= PC_NODE_NOT_FOUND) stop 3
  call PC_errhandler(PC_ASSERT_HANDLER)

  call PDI_init(PC_get(tree, '.pdi'))
  n = 7
  call PDI_expose('n  ', n, PDI_OUT, err)
  if (err /= 0) stop 4
  call PDI_access('n', pn, PDI_IN)
  if (pn /= 7) stop 5
  call PDI_release('n')
  a = 1.5d0
  call PDI_share('a', a, PDI_INOUT)
  call PDI_access('a', pa, PDI_OUT, [3, 2])
  pa(3, 2) = 9
  call PDI_release('a')
  call PDI_reclaim('a')
  if (a(3, 2) /= 9) stop 6
  call PDI_event('done')
  call PDI_finalize()
  call PC_tree_destroy(tree)
end program
