# SPDX-License-Identifier: GPL-3.0-or-later
# What `cmake --install` installs, in three components. program: the two programs side by side, for the one starts the
# other from its own folder; the man page and the completion scripts, which the program prints; the manual and the
# licence. library: libopevo.so.N. development: all that programs with libopevo are made with. The Python package is a
# component of its own (cli/python).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# ---- program ----

# opevo_printed(NAME ARGUMENT...): a file in the build folder with what `opevo ARGUMENT...` prints.
function(opevo_printed name)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/${name} COMMAND opevo ${ARGN} > ${PROJECT_BINARY_DIR}/${name}
    DEPENDS opevo COMMENT "Writing ${name}" VERBATIM)
  set(opevo_printed_files ${opevo_printed_files} ${name} PARENT_SCOPE)
endfunction()

opevo_printed(opevo.1 man)
opevo_printed(opevo.bash completion bash)
opevo_printed(opevo.fish completion fish)
opevo_printed(_opevo completion zsh)
list(TRANSFORM opevo_printed_files PREPEND ${PROJECT_BINARY_DIR}/)
add_custom_target(opevo_printed ALL DEPENDS ${opevo_printed_files})

install(TARGETS opevo opevo-worker RUNTIME COMPONENT program)
if(TARGET opevo-evolver)
  install(TARGETS opevo-evolver opevo-worker-simt RUNTIME COMPONENT program)
endif()
file(GLOB kernels CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/hw/kernels/examples/*.c ${PROJECT_SOURCE_DIR}/hw/kernels/examples/*.h
  ${PROJECT_SOURCE_DIR}/hw/kernels/examples/*.ll ${PROJECT_SOURCE_DIR}/hw/kernels/examples/*.json)
install(FILES ${kernels} DESTINATION ${CMAKE_INSTALL_DATADIR}/opevo/kernels COMPONENT program)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/hw/kernels/examples/vendors DESTINATION ${CMAKE_INSTALL_DATADIR}/opevo/kernels
  COMPONENT program)
install(FILES ${PROJECT_BINARY_DIR}/opevo.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT program)
install(FILES ${PROJECT_BINARY_DIR}/opevo.bash RENAME opevo
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
install(FILES ${PROJECT_BINARY_DIR}/opevo.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d
  COMPONENT program)
install(FILES ${PROJECT_BINARY_DIR}/_opevo DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions COMPONENT program)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE TYPE DOC COMPONENT program)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs TYPE DOC COMPONENT program PATTERN man EXCLUDE)

# ---- library and development ----

install(TARGETS opevo_shared EXPORT opevo-shared
  LIBRARY COMPONENT library NAMELINK_COMPONENT development
  FILE_SET HEADERS COMPONENT development)
install(TARGETS opevo_static EXPORT opevo-static
  ARCHIVE COMPONENT development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

set(opevo_cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/opevo)
get_target_property(dependencies opevo_static LINK_LIBRARIES)
configure_package_config_file(cmake/opevo-config.cmake.in opevo-config.cmake INSTALL_DESTINATION ${opevo_cmake_folder}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/opevo-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/opevo-config.cmake ${PROJECT_BINARY_DIR}/opevo-config-version.cmake
    ${PROJECT_SOURCE_DIR}/cmake/OpevoDependencies.cmake
  DESTINATION ${opevo_cmake_folder} COMPONENT development)
foreach(kind shared static)
  install(EXPORT opevo-${kind} NAMESPACE opevo:: DESTINATION ${opevo_cmake_folder} COMPONENT development)
endforeach()

# The libraries are listed with their flags, not by Requires.private: that would take their development files to link the
# shared library, too. OpenBLAS comes before GSL, and GSL's own CBLAS is left out (OpevoDependencies.cmake).
set(opevo_pc_private ${OPEVO_OPENBLAS_LDFLAGS})
foreach(dependency IN LISTS dependencies)
  if(dependency MATCHES "^PkgConfig::(.*)")
    list(APPEND opevo_pc_private ${${CMAKE_MATCH_1}_LDFLAGS})
  endif()
endforeach()
list(REMOVE_DUPLICATES opevo_pc_private)
set(opevo_pc_left_out ${CMAKE_C_IMPLICIT_LINK_DIRECTORIES})
list(TRANSFORM opevo_pc_left_out PREPEND -L)
list(REMOVE_ITEM opevo_pc_private -lgslcblas -lm ${opevo_pc_left_out})
list(APPEND opevo_pc_private -lm -pthread)
list(JOIN opevo_pc_private " " opevo_pc_private)
file(RELATIVE_PATH opevo_pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" opevo_pc_prefix "${opevo_pc_prefix}")
configure_file(cmake/opevo.pc.in ${PROJECT_BINARY_DIR}/opevo.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/opevo.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# The man pages, and for each function of a SYNOPSIS a page that leads there.
file(GLOB opevo_pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.3)
install(FILES ${opevo_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 COMPONENT development)
foreach(page IN LISTS opevo_pages)
  get_filename_component(name ${page} NAME)
  file(STRINGS ${page} lines REGEX "^[a-z][A-Za-z0-9_ *]*[ *]opevo_[a-z0-9_]+\\(")
  foreach(line IN LISTS lines)
    string(REGEX REPLACE "^[^(]*[ *](opevo_[a-z0-9_]+)\\(.*" "\\1" function "${line}")
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/man3/${function}.3 CONTENT ".so man3/${name}\n")
    install(FILES ${PROJECT_BINARY_DIR}/man3/${function}.3 DESTINATION ${CMAKE_INSTALL_MANDIR}/man3 COMPONENT development)
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page})
endforeach()
