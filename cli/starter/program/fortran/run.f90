! A drop falls on a membrane. Each frame is one line of JSON, which the pipeline reads.
program membrane
  use, intrinsic :: iso_fortran_env, only: real64, output_unit
  implicit none
  integer, parameter :: size = 32, frames = 16, every = 4 ! as in the tree
  real(real64) :: before(size, size) = 0, now(size, size) = 0, next(size, size) = 0
  integer :: r, c, i

  ! The last axis of the line is the first one here.
  do r = 2, size - 1
    do c = 2, size - 1
      now(c, r) = exp(-real((r - 11)**2 + (c - 15)**2, real64) / 6)
    end do
  end do
  before = now
  do i = 0, frames * every - 1
    if (mod(i, every) == 0) call print_frame(i / every, now)
    call step(next, now, before)
    before = now
    now = next
  end do

contains

  ! step computes the next moment; the edge does not move.
  subroutine step(next, now, before)
    real(real64), intent(inout) :: next(:, :)
    real(real64), intent(in) :: now(:, :), before(:, :)
    integer :: r, c
    !$omp parallel do private(c)
    do r = 2, size - 1
      do c = 2, size - 1
        next(c, r) = 2 * now(c, r) - before(c, r) &
          + 0.25_real64 * (now(c, r - 1) + now(c, r + 1) + now(c - 1, r) + now(c + 1, r) - 4 * now(c, r))
      end do
    end do
  end subroutine

  subroutine print_frame(frame, field)
    integer, intent(in) :: frame
    real(real64), intent(in) :: field(:, :)
    integer :: r
    write (output_unit, '("{""frame"": ", i0, ", ""field"": [")', advance='no') frame
    do r = 1, size
      if (r > 1) write (output_unit, '(", ")', advance='no')
      write (output_unit, '("[", *(es14.7e2, :, ", "))', advance='no') field(:, r)
      write (output_unit, '("]")', advance='no')
    end do
    write (output_unit, '("]}")')
    flush (output_unit) ! each frame at once
  end subroutine
end program
