# pentode::trace for C and C++, pentode::trace_f90 for Fortran
#
# The Fortran module is compiled with the project: only the compiler that wrote a module can read it.
get_filename_component(_pentode_trace_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET pentode::trace)
  add_library(pentode::trace INTERFACE IMPORTED)
  set_target_properties(pentode::trace PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_pentode_trace_prefix}/include")
endif()

if(CMAKE_Fortran_COMPILER_LOADED AND NOT TARGET pentode_trace_f90)
  set(_pentode_trace_modules "${CMAKE_CURRENT_BINARY_DIR}/pentode_trace")
  add_library(pentode_trace_f90 STATIC EXCLUDE_FROM_ALL "${_pentode_trace_prefix}/share/pentode_trace/pentode_trace.f90")
  set_target_properties(pentode_trace_f90 PROPERTIES Fortran_MODULE_DIRECTORY "${_pentode_trace_modules}" POSITION_INDEPENDENT_CODE ON)
  target_include_directories(pentode_trace_f90 INTERFACE "${_pentode_trace_modules}")
  target_link_libraries(pentode_trace_f90 INTERFACE ${CMAKE_DL_LIBS})
  add_library(pentode::trace_f90 ALIAS pentode_trace_f90)
endif()

foreach(_pentode_trace_component ${pentode_trace_FIND_COMPONENTS})
  set(pentode_trace_${_pentode_trace_component}_FOUND FALSE)
  if(_pentode_trace_component STREQUAL "C" OR (_pentode_trace_component STREQUAL "f90" AND TARGET pentode::trace_f90))
    set(pentode_trace_${_pentode_trace_component}_FOUND TRUE)
  elseif(pentode_trace_FIND_REQUIRED_${_pentode_trace_component})
    set(pentode_trace_FOUND FALSE)
    set(pentode_trace_NOT_FOUND_MESSAGE "there are the components C and f90; f90 needs the language Fortran in project()")
  endif()
endforeach()
