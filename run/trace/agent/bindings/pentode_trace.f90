! Regions and marks of your own in a trace, and knobs of the trace configuration.
!
!     use pentode_trace
!     call pentode_region_begin("step")
!     depth = pentode_knob_int("depth", 4)
!     call pentode_region_end("step")
!
! Compile this file with the compiler of your program. Without `pentode trace record` every call
! returns at once, and knobs have the default values given in the calls. Link no library, except
! `-ldl` if the C library is older than glibc 2.34.
module pentode_trace
  use, intrinsic :: iso_c_binding, only: c_associated, c_char, c_double, c_f_pointer, c_f_procpointer, c_funptr, c_int, &
    c_null_char, c_null_funptr, c_null_ptr, c_ptr, c_size_t
  implicit none
  private
  public :: pentode_region_begin, pentode_region_end, pentode_mark
  public :: pentode_knob_int, pentode_knob_double, pentode_knob_string

  ! The functions of the tracer, which are looked up once. Threads that look them up at the same
  ! time find the same ones.
  logical, save :: looked = .false.
  type(c_funptr), save :: begin_at = c_null_funptr, end_at = c_null_funptr, mark_at = c_null_funptr
  type(c_funptr), save :: int_at = c_null_funptr, double_at = c_null_funptr, string_at = c_null_funptr

  integer, parameter :: longest = 255 ! of a name

  abstract interface
    subroutine named(name) bind(c)
      import :: c_char
      character(kind=c_char), intent(in) :: name(*)
    end subroutine named
    integer(c_int) function int_of(name, otherwise) bind(c)
      import :: c_char, c_int
      character(kind=c_char), intent(in) :: name(*)
      integer(c_int), value :: otherwise
    end function int_of
    real(c_double) function double_of(name, otherwise) bind(c)
      import :: c_char, c_double
      character(kind=c_char), intent(in) :: name(*)
      real(c_double), value :: otherwise
    end function double_of
    type(c_ptr) function string_of(name, otherwise) bind(c)
      import :: c_char, c_ptr
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), value :: otherwise
    end function string_of
  end interface

  interface
    type(c_funptr) function dlsym(library, name) bind(c, name="dlsym")
      import :: c_char, c_funptr, c_ptr
      type(c_ptr), value :: library
      character(kind=c_char), intent(in) :: name(*)
    end function dlsym
    integer(c_size_t) function strlen(text) bind(c, name="strlen")
      import :: c_ptr, c_size_t
      type(c_ptr), value :: text
    end function strlen
  end interface

contains

  ! pentode_region_begin begins a region. Blanks at the end of a name are ignored.
  subroutine pentode_region_begin(name)
    character(len=*), intent(in) :: name
    if (.not. looked) call look()
    if (c_associated(begin_at)) call tell(begin_at, name)
  end subroutine pentode_region_begin

  subroutine pentode_region_end(name)
    character(len=*), intent(in) :: name
    if (.not. looked) call look()
    if (c_associated(end_at)) call tell(end_at, name)
  end subroutine pentode_region_end

  ! pentode_mark marks a moment, such as a checkpoint.
  subroutine pentode_mark(name)
    character(len=*), intent(in) :: name
    if (.not. looked) call look()
    if (c_associated(mark_at)) call tell(mark_at, name)
  end subroutine pentode_mark

  integer(c_int) function pentode_knob_int(name, otherwise) result(knob)
    character(len=*), intent(in) :: name
    integer(c_int), intent(in) :: otherwise
    procedure(int_of), pointer :: ask
    if (.not. looked) call look()
    knob = otherwise
    if (.not. c_associated(int_at)) return
    call c_f_procpointer(int_at, ask)
    knob = ask(text_of(name), otherwise)
  end function pentode_knob_int

  real(c_double) function pentode_knob_double(name, otherwise) result(knob)
    character(len=*), intent(in) :: name
    real(c_double), intent(in) :: otherwise
    procedure(double_of), pointer :: ask
    if (.not. looked) call look()
    knob = otherwise
    if (.not. c_associated(double_at)) return
    call c_f_procpointer(double_at, ask)
    knob = ask(text_of(name), otherwise)
  end function pentode_knob_double

  function pentode_knob_string(name, otherwise) result(knob)
    character(len=*), intent(in) :: name, otherwise
    character(len=:), allocatable :: knob
    procedure(string_of), pointer :: ask
    character(kind=c_char), pointer :: letters(:)
    type(c_ptr) :: at
    integer :: i
    if (.not. looked) call look()
    knob = otherwise
    if (.not. c_associated(string_at)) return
    call c_f_procpointer(string_at, ask)
    at = ask(text_of(name), c_null_ptr)
    if (.not. c_associated(at)) return
    call c_f_pointer(at, letters, [strlen(at)])
    knob = repeat(" ", size(letters))
    do i = 1, size(letters)
      knob(i:i) = letters(i)
    end do
  end function pentode_knob_string

  subroutine look()
    begin_at = found("pentode_trace_region_begin")
    end_at = found("pentode_trace_region_end")
    mark_at = found("pentode_trace_mark")
    int_at = found("pentode_trace_knob_int")
    double_at = found("pentode_trace_knob_double")
    string_at = found("pentode_trace_knob_string")
    looked = .true.
  end subroutine look

  type(c_funptr) function found(name)
    character(len=*), intent(in) :: name
    found = dlsym(c_null_ptr, name // c_null_char)
  end function found

  subroutine tell(function_at, name)
    type(c_funptr), intent(in) :: function_at
    character(len=*), intent(in) :: name
    procedure(named), pointer :: call_it
    call c_f_procpointer(function_at, call_it)
    call call_it(text_of(name))
  end subroutine tell

  ! text_of returns a name as a C string.
  pure function text_of(name) result(text)
    character(len=*), intent(in) :: name
    character(kind=c_char) :: text(longest + 1)
    integer :: i, length
    length = min(len_trim(name), longest)
    do i = 1, length
      text(i) = name(i:i)
    end do
    text(length + 1) = c_null_char
  end function text_of
end module pentode_trace
