# SPDX-License-Identifier: GPL-3.0-or-later
# One room, one static library. Its headers are visible only to the targets that link it, so that an
# include against the order of the rooms fails to compile.

add_library(opevo_flags INTERFACE)
target_compile_definitions(opevo_flags INTERFACE _GNU_SOURCE)
target_compile_options(opevo_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wconversion -Wvla
  -ffp-contract=off $<$<BOOL:${OPEVO_WERROR}>:-Werror>)
if(OPEVO_SANITIZE)
  target_compile_options(opevo_flags INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(opevo_flags INTERFACE -fsanitize=address,undefined)
endif()

# opevo_add_module(NAME SOURCES file... HEADERS name.h... [DEPENDS target...] [PRIVATE target...])
#
# HEADERS lie in include/opevo/ and are also compiled alone, so that each includes what it needs.
# DEPENDS is what the public headers need; PRIVATE appears in no public header.
function(opevo_add_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;HEADERS;DEPENDS;PRIVATE" ${ARGN})
  set(checks)
  foreach(header ${ARG_HEADERS})
    set(check ${CMAKE_CURRENT_BINARY_DIR}/check_${header}.c)
    file(CONFIGURE OUTPUT ${check} CONTENT "#include <opevo/${header}>\n")
    list(APPEND checks ${check})
  endforeach()
  add_library(opevo_${name} STATIC ${ARG_SOURCES} ${checks})
  add_library(opevo::${name} ALIAS opevo_${name})
  target_include_directories(opevo_${name} PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}/include)
  target_link_libraries(opevo_${name} PUBLIC ${ARG_DEPENDS} PRIVATE opevo_flags ${ARG_PRIVATE})
endfunction()
