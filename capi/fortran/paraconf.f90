! YAML trees for Fortran programs.

module paraconf
  use iso_c_binding
  implicit none
  private :: c_int, c_ptr, c_funptr

  type, bind(C) :: PC_tree_t
    integer(c_int) :: status
    type(c_ptr) :: document
    type(c_ptr) :: node
  end type

  type, bind(C) :: PC_errhandler_t
    type(c_funptr) :: func
    type(c_ptr) :: context
  end type

  enum, bind(C)
    enumerator :: PC_OK = 0
    enumerator :: PC_INVALID_PARAMETER
    enumerator :: PC_INVALID_NODE_TYPE
    enumerator :: PC_NODE_NOT_FOUND
    enumerator :: PC_INVALID_FORMAT
    enumerator :: PC_SYSTEM_ERROR
  end enum

  integer, parameter :: PC_ERRMSG_MAXLENGTH = 1024

  ! The two handlers are identified by their addresses; their contents belong to C.
  type(PC_errhandler_t), target, save :: PC_ASSERT_HANDLER
  type(PC_errhandler_t), target, save :: PC_NULL_HANDLER

  interface
    integer function PC_status(tree)
      import :: PC_tree_t
      type(PC_tree_t), intent(in) :: tree
    end function
    subroutine PC_errmsg(errmsg)
      character(len=*), intent(out) :: errmsg
    end subroutine
    subroutine PC_errhandler(new_handler, old_handler)
      import :: PC_errhandler_t
      type(PC_errhandler_t), intent(in), target :: new_handler
      type(PC_errhandler_t), intent(out), optional :: old_handler
    end subroutine
    subroutine PC_parse_path(path, tree)
      import :: PC_tree_t
      character(len=*), intent(in) :: path
      type(PC_tree_t), intent(out) :: tree
    end subroutine
    type(PC_tree_t) function PC_get(tree, index_fmt)
      import :: PC_tree_t
      type(PC_tree_t), intent(in) :: tree
      character(len=*), intent(in) :: index_fmt
    end function
    subroutine PC_len(tree_in, value, status)
      import :: PC_tree_t
      type(PC_tree_t), intent(in) :: tree_in
      integer, intent(out), target :: value
      integer, intent(out), optional :: status
    end subroutine
    subroutine PC_int(tree_in, value, status)
      import :: PC_tree_t
      type(PC_tree_t), intent(in) :: tree_in
      integer, intent(out) :: value
      integer, intent(out), optional :: status
    end subroutine
    subroutine PC_double(tree_in, value, status)
      import :: PC_tree_t
      type(PC_tree_t), intent(in) :: tree_in
      real(8), intent(out) :: value
      integer, intent(out), optional :: status
    end subroutine
    subroutine PC_string(tree_in, value, status)
      import :: PC_tree_t
      type(PC_tree_t), intent(in) :: tree_in
      character(len=*), intent(out) :: value
      integer, intent(out), optional :: status
    end subroutine
    subroutine PC_log(tree_in, value, status)
      import :: PC_tree_t
      type(PC_tree_t), intent(in) :: tree_in
      logical, intent(out) :: value
      integer, intent(out), optional :: status
    end subroutine
    subroutine PC_tree_destroy(tree_in, status)
      import :: PC_tree_t
      type(PC_tree_t), intent(inout), target :: tree_in
      integer, intent(out), optional :: status
    end subroutine
  end interface
end module

module paraconf_C
  use iso_c_binding
  use paraconf
  implicit none

  interface
    type(c_ptr) function PC_errmsg_C() bind(C, name="PC_errmsg")
      import :: c_ptr
    end function
    type(PC_errhandler_t) function PC_errhandler_C(handler) bind(C, name="PC_errhandler")
      import :: PC_errhandler_t
      type(PC_errhandler_t), value :: handler
    end function
    type(PC_tree_t) function PC_parse_path_C(path) bind(C, name="PC_parse_path")
      import :: PC_tree_t, c_char
      character(kind=c_char), intent(in) :: path(*)
    end function
    type(PC_tree_t) function PC_sget_C(tree, path) bind(C, name="PC_sget")
      import :: PC_tree_t, c_char
      type(PC_tree_t), value :: tree
      character(kind=c_char), intent(in) :: path(*)
    end function
    integer(c_int) function PC_len_C(tree, value) bind(C, name="PC_len")
      import :: PC_tree_t, c_int
      type(PC_tree_t), value :: tree
      integer(c_int), intent(out) :: value
    end function
    integer(c_int) function PC_int_C(tree, value) bind(C, name="PC_int")
      import :: PC_tree_t, c_int, c_long
      type(PC_tree_t), value :: tree
      integer(c_long), intent(out) :: value
    end function
    integer(c_int) function PC_double_C(tree, value) bind(C, name="PC_double")
      import :: PC_tree_t, c_int, c_double
      type(PC_tree_t), value :: tree
      real(c_double), intent(out) :: value
    end function
    integer(c_int) function PC_string_C(tree, value) bind(C, name="PC_string")
      import :: PC_tree_t, c_int, c_ptr
      type(PC_tree_t), value :: tree
      type(c_ptr), intent(out) :: value
    end function
    integer(c_int) function PC_bool_C(tree, value) bind(C, name="PC_bool")
      import :: PC_tree_t, c_int
      type(PC_tree_t), value :: tree
      integer(c_int), intent(out) :: value
    end function
    integer(c_int) function PC_tree_destroy_C(tree) bind(C, name="PC_tree_destroy")
      import :: PC_tree_t, c_int
      type(PC_tree_t), intent(inout) :: tree
    end function
    integer(c_size_t) function strlen(text) bind(C, name="strlen")
      import :: c_size_t, c_ptr
      type(c_ptr), value :: text
    end function
    subroutine free(memory) bind(C, name="free")
      import :: c_ptr
      type(c_ptr), value :: memory
    end subroutine
  end interface

contains

  ! copy_text copies a C text to a Fortran text.
  subroutine copy_text(from, to)
    type(c_ptr), intent(in) :: from
    character(len=*), intent(out) :: to
    character(kind=c_char), pointer :: text(:)
    integer :: i
    to = ''
    if (.not. c_associated(from)) return
    call c_f_pointer(from, text, [int(strlen(from))])
    do i = 1, min(len(to), size(text))
      to(i:i) = text(i)
    end do
  end subroutine
end module

integer function PC_status(tree)
  use paraconf, only: PC_tree_t
  implicit none
  type(PC_tree_t), intent(in) :: tree
  PC_status = tree%status
end function

subroutine PC_errmsg(errmsg)
  use paraconf_C, only: PC_errmsg_C, copy_text
  implicit none
  character(len=*), intent(out) :: errmsg
  call copy_text(PC_errmsg_C(), errmsg)
end subroutine

! A thread starts with C's default handler, which is also returned when another handler is
! set for the first time.
subroutine PC_errhandler(new_handler, old_handler)
  use iso_c_binding
  use paraconf, only: PC_errhandler_t, PC_ASSERT_HANDLER, PC_NULL_HANDLER
  use paraconf_C, only: PC_errhandler_C
  implicit none
  type(PC_errhandler_t), intent(in), target :: new_handler
  type(PC_errhandler_t), intent(out), optional :: old_handler
  type(PC_errhandler_t) :: old
  type(PC_errhandler_t), save :: default
  logical, save :: known = .false.
  type(PC_errhandler_t) :: null

  null = PC_errhandler_t(c_null_funptr, c_null_ptr)
  if (.not. known) then
    default = PC_errhandler_C(null)
    old = PC_errhandler_C(default)
    known = .true.
  end if
  if (c_associated(c_loc(new_handler), c_loc(PC_ASSERT_HANDLER))) then
    old = PC_errhandler_C(default)
  else if (c_associated(c_loc(new_handler), c_loc(PC_NULL_HANDLER))) then
    old = PC_errhandler_C(null)
  else
    old = PC_errhandler_C(new_handler)
  end if
  if (present(old_handler)) old_handler = old
end subroutine

subroutine PC_parse_path(path, tree)
  use iso_c_binding
  use paraconf, only: PC_tree_t
  use paraconf_C, only: PC_parse_path_C
  implicit none
  character(len=*), intent(in) :: path
  type(PC_tree_t), intent(out) :: tree
  tree = PC_parse_path_C(trim(path)//c_null_char)
end subroutine

function PC_get(tree, index_fmt)
  use iso_c_binding
  use paraconf, only: PC_tree_t
  use paraconf_C, only: PC_sget_C
  implicit none
  type(PC_tree_t) :: PC_get
  type(PC_tree_t), intent(in) :: tree
  character(len=*), intent(in) :: index_fmt
  PC_get = PC_sget_C(tree, trim(index_fmt)//c_null_char)
end function

subroutine PC_len(tree_in, value, status)
  use paraconf, only: PC_tree_t
  use paraconf_C, only: PC_len_C
  implicit none
  type(PC_tree_t), intent(in) :: tree_in
  integer, intent(out), target :: value
  integer, intent(out), optional :: status
  integer :: s
  s = PC_len_C(tree_in, value)
  if (present(status)) status = s
end subroutine

subroutine PC_int(tree_in, value, status)
  use iso_c_binding
  use paraconf, only: PC_tree_t
  use paraconf_C, only: PC_int_C
  implicit none
  type(PC_tree_t), intent(in) :: tree_in
  integer, intent(out) :: value
  integer, intent(out), optional :: status
  integer(c_long) :: v
  integer :: s
  v = 0
  s = PC_int_C(tree_in, v)
  value = int(v)
  if (present(status)) status = s
end subroutine

subroutine PC_double(tree_in, value, status)
  use paraconf, only: PC_tree_t
  use paraconf_C, only: PC_double_C
  implicit none
  type(PC_tree_t), intent(in) :: tree_in
  real(8), intent(out) :: value
  integer, intent(out), optional :: status
  integer :: s
  s = PC_double_C(tree_in, value)
  if (present(status)) status = s
end subroutine

subroutine PC_string(tree_in, value, status)
  use iso_c_binding
  use paraconf, only: PC_tree_t
  use paraconf_C, only: PC_string_C, copy_text, free
  implicit none
  type(PC_tree_t), intent(in) :: tree_in
  character(len=*), intent(out) :: value
  integer, intent(out), optional :: status
  type(c_ptr) :: text
  integer :: s
  s = PC_string_C(tree_in, text)
  if (s == 0) then
    call copy_text(text, value)
    call free(text)
  end if
  if (present(status)) status = s
end subroutine

subroutine PC_log(tree_in, value, status)
  use iso_c_binding
  use paraconf, only: PC_tree_t
  use paraconf_C, only: PC_bool_C
  implicit none
  type(PC_tree_t), intent(in) :: tree_in
  logical, intent(out) :: value
  integer, intent(out), optional :: status
  integer(c_int) :: v
  integer :: s
  v = 0
  s = PC_bool_C(tree_in, v)
  value = v /= 0
  if (present(status)) status = s
end subroutine

subroutine PC_tree_destroy(tree_in, status)
  use paraconf, only: PC_tree_t
  use paraconf_C, only: PC_tree_destroy_C
  implicit none
  type(PC_tree_t), intent(inout), target :: tree_in
  integer, intent(out), optional :: status
  integer :: s
  s = PC_tree_destroy_C(tree_in)
  if (present(status)) status = s
end subroutine
