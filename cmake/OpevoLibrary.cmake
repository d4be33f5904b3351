# SPDX-License-Identifier: GPL-3.0-or-later
# libopevo, shared and static, from the objects of all modules that are marked LIBRARY, so that nothing is compiled
# twice. Other projects link opevo::opevo or opevo::opevo_static, by add_subdirectory as by find_package. The program and
# the tests link the modules themselves: they also use what libopevo does not export, and the program needs no library
# of its own beside it.

get_property(modules GLOBAL PROPERTY OPEVO_LIBRARY_MODULES)
get_property(headers GLOBAL PROPERTY OPEVO_LIBRARY_HEADERS)

# <opevo/opevo.h>: all installed headers in one.
set(includes ${headers})
list(TRANSFORM includes REPLACE ".*/(opevo/[^/]+)$" "#include <\\1>")
list(SORT includes)
list(JOIN includes "\n" includes)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/include/opevo/opevo.h @ONLY
  CONTENT "/* SPDX-License-Identifier: GPL-3.0-or-later */

/* All of libopevo. */

#ifndef OPEVO_OPEVO_H
#define OPEVO_OPEVO_H

@includes@

#endif
")
list(APPEND headers ${PROJECT_BINARY_DIR}/include/opevo/opevo.h)
set(folders ${headers})
list(TRANSFORM folders REPLACE "/opevo/[^/]+$" "")
list(REMOVE_DUPLICATES folders)

# What the modules link that is not opevo.
set(dependencies)
foreach(module IN LISTS modules)
  get_target_property(linked ${module} LINK_LIBRARIES)
  list(APPEND dependencies ${linked})
endforeach()
list(FILTER dependencies INCLUDE REGEX "^(PkgConfig::.*|Threads::Threads|dl|m)$")
list(REMOVE_DUPLICATES dependencies)

list(TRANSFORM modules REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>" OUTPUT_VARIABLE objects)
add_library(opevo_shared SHARED ${objects})
add_library(opevo_static STATIC ${objects})
add_library(opevo::opevo ALIAS opevo_shared)
add_library(opevo::opevo_static ALIAS opevo_static)
set_target_properties(opevo_shared PROPERTIES
  SOVERSION ${OPEVO_SOVERSION} VERSION ${OPEVO_SOVERSION}.${PROJECT_VERSION} EXPORT_NAME opevo)
foreach(target opevo_shared opevo_static)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME opevo LINKER_LANGUAGE C)
  target_link_libraries(${target} PRIVATE ${dependencies})
endforeach()
target_sources(opevo_shared PUBLIC FILE_SET HEADERS BASE_DIRS ${folders} FILES ${headers}) # installed once
target_include_directories(opevo_static INTERFACE "$<BUILD_INTERFACE:${folders}>")
target_link_libraries(opevo_shared PRIVATE opevo_flags)
if(NOT OPEVO_SANITIZE) # whose functions are in the program
  target_link_options(opevo_shared PRIVATE LINKER:--no-undefined)
endif()
