! The cost of a program's own region in Fortran: pairs ROUNDS, as in pairs.c.
program pairs
  use pentode_trace
  implicit none
  character(len=20) :: argument
  integer :: rounds, i, pass
  double precision :: begun, done, least
  rounds = 1000000
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *) rounds
  end if
  least = 1d18
  do pass = 1, 10
    call cpu_time(begun)
    do i = 1, rounds
      call pentode_region_begin("step")
      call pentode_region_end("step")
    end do
    call cpu_time(done)
    least = min(least, (done - begun) * 1d9 / rounds)
  end do
  print '(f0.2)', least
end program pairs
