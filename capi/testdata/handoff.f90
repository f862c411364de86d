! The same as handoff.c, in Fortran: handoff TREE STEPS MICROSECONDS. The rows of the picture are the second axis.
program handoff
  use iso_c_binding, only: c_int
  use paraconf
  use PDI
  implicit none
  interface
    integer(c_int) function usleep(us) bind(c)
      import :: c_int
      integer(c_int), value :: us
    end function
  end interface
  type(PC_tree_t) :: tree
  integer, target :: i, n = 32
  integer :: err, steps, x
  integer(c_int) :: pause
  real(8) :: dt = 1
  real(8), allocatable, target :: field(:, :)
  character(len=256) :: path, text

  call get_command_argument(1, path)
  call get_command_argument(2, text)
  read (text, *) steps
  call get_command_argument(3, text)
  read (text, *) pause
  call PC_parse_path(path, tree)
  call PDI_init(tree, err)
  if (err /= 0) stop 1
  call PDI_expose('n', n, PDI_OUT, err)
  if (err /= 0) stop 1
  allocate (field(n, n))
  call setting()
  do i = 0, steps - 1
    do x = 1, n
      field(x, :) = dt * (x - 1 + i)
    end do
    call PDI_share('i', i, PDI_OUT)
    call PDI_share('field', field, PDI_OUT)
    call PDI_event('step', err)
    if (err /= 0) stop 2
    call PDI_reclaim('field')
    call PDI_reclaim('i')
    call setting()
    print '(i0, 1x, a)', i, trim(shown(dt))
    flush (6)
    if (usleep(pause) /= 0) stop 3
  end do
  call PDI_finalize()
  call PC_tree_destroy(tree)
  print '(a)', 'finalized'
contains
  subroutine setting()
    real(8), pointer :: set
    call PDI_access('dt', set, PDI_IN, err)
    if (err /= 0) return
    dt = set
    call PDI_release('dt')
  end subroutine

  ! shown formats a number as %g does.
  function shown(x) result(text)
    real(8), intent(in) :: x
    character(len=16) :: text
    if (x == anint(x)) then
      write (text, '(i0)') nint(x)
    else
      write (text, '(f0.1)') x
      if (text(1:1) == '.') text = '0' // text
    end if
  end function
end program
