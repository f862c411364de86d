# PDI::PDI_C (also PDI::pdi), PDI::PDI_f90, PDI::PDI_plugins and PDI::pdirun
#
# The plugins are part of the library, so the component `plugins` adds nothing to link.
get_filename_component(_PDI_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

include(CMakeFindDependencyMacro)
find_dependency(paraconf CONFIG PATHS "${_PDI_prefix}" NO_DEFAULT_PATH)

if(NOT TARGET PDI::PDI_C)
  add_library(PDI::PDI_C SHARED IMPORTED)
  set_target_properties(PDI::PDI_C PROPERTIES
    IMPORTED_LOCATION "${_PDI_prefix}/lib/libpdi.so.1"
    IMPORTED_SONAME "libpdi.so.1"
    INTERFACE_INCLUDE_DIRECTORIES "${_PDI_prefix}/include"
    INTERFACE_LINK_LIBRARIES paraconf::paraconf)
  add_library(PDI::pdi INTERFACE IMPORTED)
  set_target_properties(PDI::pdi PROPERTIES INTERFACE_LINK_LIBRARIES PDI::PDI_C)
  add_library(PDI::PDI_plugins INTERFACE IMPORTED)
  add_executable(PDI::pdirun IMPORTED)
  set_target_properties(PDI::pdirun PROPERTIES IMPORTED_LOCATION "${_PDI_prefix}/bin/pdirun")
endif()

if(EXISTS "${_PDI_prefix}/lib/libpdi_f90.so.1" AND NOT TARGET PDI::PDI_f90)
  file(GLOB _PDI_modules "${_PDI_prefix}/lib/pdi/finclude/*")
  add_library(PDI::PDI_f90 SHARED IMPORTED)
  set_target_properties(PDI::PDI_f90 PROPERTIES
    IMPORTED_LOCATION "${_PDI_prefix}/lib/libpdi_f90.so.1"
    IMPORTED_SONAME "libpdi_f90.so.1"
    INTERFACE_INCLUDE_DIRECTORIES "${_PDI_modules}"
    INTERFACE_LINK_LIBRARIES "PDI::PDI_C;paraconf::paraconf_f90")
  add_library(PDI::pdi_f90 INTERFACE IMPORTED)
  set_target_properties(PDI::pdi_f90 PROPERTIES INTERFACE_LINK_LIBRARIES PDI::PDI_f90)
endif()

foreach(_PDI_component ${PDI_FIND_COMPONENTS})
  set(PDI_${_PDI_component}_FOUND FALSE)
  if(_PDI_component MATCHES "^(C|plugins|python)$" OR (_PDI_component MATCHES "^(f90|Fortran)$" AND TARGET PDI::PDI_f90))
    set(PDI_${_PDI_component}_FOUND TRUE)
  elseif(PDI_FIND_REQUIRED_${_PDI_component})
    set(PDI_FOUND FALSE)
    set(PDI_NOT_FOUND_MESSAGE "component ${_PDI_component} is not installed")
  endif()
endforeach()
