# paraconf::paraconf and paraconf::paraconf_f90
get_filename_component(_paraconf_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET paraconf::paraconf)
  add_library(paraconf::paraconf SHARED IMPORTED)
  set_target_properties(paraconf::paraconf PROPERTIES
    IMPORTED_LOCATION "${_paraconf_prefix}/lib/libparaconf.so.1"
    IMPORTED_SONAME "libparaconf.so.1"
    INTERFACE_INCLUDE_DIRECTORIES "${_paraconf_prefix}/include")
endif()

if(EXISTS "${_paraconf_prefix}/lib/libparaconf_f90.so.1" AND NOT TARGET paraconf::paraconf_f90)
  file(GLOB _paraconf_modules "${_paraconf_prefix}/lib/paraconf/finclude/*")
  add_library(paraconf::paraconf_f90 SHARED IMPORTED)
  set_target_properties(paraconf::paraconf_f90 PROPERTIES
    IMPORTED_LOCATION "${_paraconf_prefix}/lib/libparaconf_f90.so.1"
    IMPORTED_SONAME "libparaconf_f90.so.1"
    INTERFACE_INCLUDE_DIRECTORIES "${_paraconf_modules}"
    INTERFACE_LINK_LIBRARIES paraconf::paraconf)
endif()

foreach(_paraconf_component ${paraconf_FIND_COMPONENTS})
  set(paraconf_${_paraconf_component}_FOUND TRUE)
  if(_paraconf_component STREQUAL "f90" AND NOT TARGET paraconf::paraconf_f90)
    set(paraconf_f90_FOUND FALSE)
    if(paraconf_FIND_REQUIRED_f90)
      set(paraconf_FOUND FALSE)
    endif()
  endif()
endforeach()
