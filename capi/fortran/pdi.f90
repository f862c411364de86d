! The data store for Fortran programs. The installation writes the procedures of
! PDI_access, one for each type, kind and rank, and appends them to this file.

module PDI_C
  use iso_c_binding
  use paraconf
  implicit none

  interface
    integer(c_int) function PDI_init_C(tree) bind(C, name="PDI_init")
      import :: c_int, PC_tree_t
      type(PC_tree_t), value :: tree
    end function
    integer(c_int) function PDI_finalize_C() bind(C, name="PDI_finalize")
      import :: c_int
    end function
    integer(c_int) function PDI_event_C(name) bind(C, name="PDI_event")
      import :: c_int, c_char
      character(kind=c_char), intent(in) :: name(*)
    end function
    integer(c_int) function PDI_share_C(name, at, access) bind(C, name="PDI_share")
      import :: c_int, c_char, c_ptr
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), value :: at
      integer(c_int), value :: access
    end function
    integer(c_int) function PDI_expose_C(name, at, access) bind(C, name="PDI_expose")
      import :: c_int, c_char, c_ptr
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), value :: at
      integer(c_int), value :: access
    end function
    integer(c_int) function PDI_access_C(name, at, access) bind(C, name="PDI_access")
      import :: c_int, c_char, c_ptr
      character(kind=c_char), intent(in) :: name(*)
      type(c_ptr), intent(inout) :: at
      integer(c_int), value :: access
    end function
    integer(c_int) function PDI_release_C(name) bind(C, name="PDI_release")
      import :: c_int, c_char
      character(kind=c_char), intent(in) :: name(*)
    end function
    integer(c_int) function PDI_reclaim_C(name) bind(C, name="PDI_reclaim")
      import :: c_int, c_char
      character(kind=c_char), intent(in) :: name(*)
    end function
    integer(c_int) function PDI_transaction_begin_C(name) bind(C, name="PDI_transaction_begin")
      import :: c_int, c_char
      character(kind=c_char), intent(in) :: name(*)
    end function
    integer(c_int) function PDI_transaction_end_C() bind(C, name="PDI_transaction_end")
      import :: c_int
    end function
  end interface

contains

  ! c_text returns a text for C: without trailing blanks, and with a NUL.
  function c_text(text)
    character(len=*), intent(in) :: text
    character(kind=c_char, len=len_trim(text) + 1) :: c_text
    c_text = trim(text)//c_null_char
  end function

end module

module PDI
  use paraconf
  implicit none
  include 'pdif.h'
end module

subroutine PDI_init(treeconf, err)
  use PDI_C
  implicit none
  type(PC_tree_t), intent(in) :: treeconf
  integer, intent(out), optional :: err
  integer :: status
  status = PDI_init_C(treeconf)
  if (present(err)) err = status
end subroutine

subroutine PDI_finalize(err)
  use PDI_C
  implicit none
  integer, intent(out), optional :: err
  integer :: status
  status = PDI_finalize_C()
  if (present(err)) err = status
end subroutine

subroutine PDI_event(name, err)
  use PDI_C
  implicit none
  character(len=*), intent(in) :: name
  integer, intent(out), optional :: err
  integer :: status
  status = PDI_event_C(c_text(name))
  if (present(err)) err = status
end subroutine

subroutine PDI_share(name, data, accessf, err)
  use PDI_C
  implicit none
  character(len=*), intent(in) :: name
  type(*), target, asynchronous :: data(..)
  integer, intent(in) :: accessf
  integer, intent(out), optional :: err
  integer :: status
  status = PDI_share_C(c_text(name), c_loc(data), accessf)
  if (present(err)) err = status
end subroutine

subroutine PDI_expose(name, data, accessf, err)
  use PDI_C
  implicit none
  character(len=*), intent(in) :: name
  type(*), target, asynchronous :: data(..)
  integer, intent(in) :: accessf
  integer, intent(out), optional :: err
  integer :: status
  status = PDI_expose_C(c_text(name), c_loc(data), accessf)
  if (present(err)) err = status
end subroutine

subroutine PDI_release(name, err)
  use PDI_C
  implicit none
  character(len=*), intent(in) :: name
  integer, intent(out), optional :: err
  integer :: status
  status = PDI_release_C(c_text(name))
  if (present(err)) err = status
end subroutine

subroutine PDI_reclaim(name, err)
  use PDI_C
  implicit none
  character(len=*), intent(in) :: name
  integer, intent(out), optional :: err
  integer :: status
  status = PDI_reclaim_C(c_text(name))
  if (present(err)) err = status
end subroutine

subroutine PDI_transaction_begin(name, err)
  use PDI_C
  implicit none
  character(len=*), intent(in) :: name
  integer, intent(out), optional :: err
  integer :: status
  status = PDI_transaction_begin_C(c_text(name))
  if (present(err)) err = status
end subroutine

subroutine PDI_transaction_end(err)
  use PDI_C
  implicit none
  integer, intent(out), optional :: err
  integer :: status
  status = PDI_transaction_end_C()
  if (present(err)) err = status
end subroutine
