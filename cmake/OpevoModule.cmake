# SPDX-License-Identifier: GPL-3.0-or-later
# One folder, one static library. Its headers are visible only to the targets that link it, so that an
# include against the order of the folders fails to compile.

include(CheckCCompilerFlag)
include(CheckCSourceCompiles)
include(CheckPIESupported)
check_pie_supported(LANGUAGES C)
set(CMAKE_POSITION_INDEPENDENT_CODE ON) # and executables that are loaded anywhere

# opevo_harden(TARGET): what makes a fault in memory end the program instead of being of use to who feeds it: canaries
# on the stack, probes of a stack that grows, checked sizes in the C library, no table of functions that stays
# writable. FORTIFY takes an optimising build; level 3 is refused by older C libraries, which have level 2. In a build
# type that is not CMake's, such as the None of packagers, the builder's flags decide: FORTIFY is added where they
# optimise and do not name it.
function(opevo_harden target)
  foreach(flag -fstack-protector-strong -fstack-clash-protection)
    string(MAKE_C_IDENTIFIER OPEVO_HAS${flag} has)
    check_c_compiler_flag(${flag} ${has})
    if(${has})
      target_compile_options(${target} INTERFACE ${flag})
    endif()
  endforeach()
  set(CMAKE_REQUIRED_FLAGS "-O2 -Werror -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3")
  check_c_source_compiles("#include <stdio.h>\nint main(void) { return 0; }" OPEVO_HAS_FORTIFY_3)
  set(level 2)
  if(OPEVO_HAS_FORTIFY_3)
    set(level 3)
  endif()
  set(CMAKE_REQUIRED_FLAGS)
  check_c_source_compiles("#if !defined __OPTIMIZE__ || defined _FORTIFY_SOURCE\n#error\n#endif\nint main(void) { return 0; }"
    OPEVO_FLAGS_LACK_FORTIFY)
  set(none "$<AND:$<BOOL:${OPEVO_FLAGS_LACK_FORTIFY}>,$<NOT:$<CONFIG:Debug>>>")
  target_compile_options(${target} INTERFACE
    "$<$<OR:$<CONFIG:Release,RelWithDebInfo,MinSizeRel>,${none}>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=${level}>")
  target_link_options(${target} INTERFACE LINKER:-z,relro,-z,now)
endfunction()

add_library(opevo_flags INTERFACE)
target_compile_definitions(opevo_flags INTERFACE _GNU_SOURCE)
target_compile_options(opevo_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wconversion -Wvla
  -ffp-contract=off -fvisibility=hidden $<$<BOOL:${OPEVO_WERROR}>:-Werror>)
target_link_options(opevo_flags INTERFACE LINKER:--build-id=sha1) # opevo_build() reads it
# Constants are enumerators here, ints that a double holds; clang from 19 on warns of each where both meet.
target_compile_options(opevo_flags INTERFACE $<$<C_COMPILER_ID:Clang>:-Wno-enum-float-conversion>)
if(OPEVO_FUZZ)
  set(OPEVO_SANITIZE ON)
  target_compile_options(opevo_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(OPEVO_SANITIZE)
  target_compile_options(opevo_flags INTERFACE
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(opevo_flags INTERFACE -fsanitize=address,undefined)
else()
  opevo_harden(opevo_flags)
endif()

# opevo_add_module(NAME [LIBRARY] SOURCES file... [API name.h...] [HEADERS name.h...] [DEPENDS target...]
#                  [INTERNAL module...] [PRIVATE target...])
#
# A folder as the library opevo::NAME. API and HEADERS lie in include/opevo/, here or in the build folder, and are also
# compiled alone, so that each includes what it needs. DEPENDS is what the public headers need; PRIVATE appears in no
# public header. The folder's other headers, *_internal.h, are seen by what links opevo::NAME_internal: the folders of the
# same room that name this one behind INTERNAL, and tests.
#
# LIBRARY: the folder is a part of libopevo (OpevoLibrary.cmake), which installs the headers behind API; those behind
# HEADERS are for the other folders of opevo only.
function(opevo_add_module name)
  cmake_parse_arguments(ARG "LIBRARY" "" "SOURCES;API;HEADERS;DEPENDS;INTERNAL;PRIVATE" ${ARGN})
  set(checks)
  set(folders)
  foreach(header ${ARG_API} ${ARG_HEADERS})
    set(check ${CMAKE_CURRENT_BINARY_DIR}/check_${header}.c)
    file(CONFIGURE OUTPUT ${check} CONTENT "#include <opevo/${header}>\nextern int opevo_check;\n") # C forbids a file of macros only
    list(APPEND checks ${check})
    set(folder ${CMAKE_CURRENT_SOURCE_DIR}/include)
    if(NOT EXISTS ${folder}/opevo/${header})
      set(folder ${CMAKE_CURRENT_BINARY_DIR}/include)
    endif()
    list(APPEND folders ${folder})
    if(header IN_LIST ARG_API)
      set_property(GLOBAL APPEND PROPERTY OPEVO_LIBRARY_HEADERS ${folder}/opevo/${header})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  list(TRANSFORM ARG_INTERNAL REPLACE "(.+)" "opevo::\\1_internal")
  add_library(opevo_${name} STATIC ${ARG_SOURCES} ${checks})
  add_library(opevo::${name} ALIAS opevo_${name})
  target_include_directories(opevo_${name} PUBLIC ${folders})
  target_link_libraries(opevo_${name} PUBLIC ${ARG_DEPENDS} PRIVATE opevo_flags ${ARG_INTERNAL} ${ARG_PRIVATE})
  if(ARG_LIBRARY)
    set_property(GLOBAL APPEND PROPERTY OPEVO_LIBRARY_MODULES opevo_${name})
  endif()
  file(GLOB private CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.h)
  set_property(GLOBAL APPEND PROPERTY OPEVO_PRIVATE_HEADERS ${private})
  set_property(GLOBAL APPEND PROPERTY OPEVO_INTERNAL_MODULES opevo_${name}_internal)
  add_library(opevo_${name}_internal INTERFACE)
  add_library(opevo::${name}_internal ALIAS opevo_${name}_internal)
  target_include_directories(opevo_${name}_internal INTERFACE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(opevo_${name}_internal INTERFACE opevo_${name} ${ARG_INTERNAL})
endfunction()

# opevo_opens(NAME LIBRARY): the folder NAME calls a library that it opens at run time (opevo/shared_library.h): it sees the
# headers of PkgConfig::OPEVO_LIBRARY, and the library's path as OPEVO_LIBRARY_PATH, by the name that links to it use.
function(opevo_opens name library)
  get_target_property(path PkgConfig::OPEVO_${library} INTERFACE_LINK_LIBRARIES)
  list(GET path 0 path)
  execute_process(COMMAND ${CMAKE_OBJDUMP} -p ${path} OUTPUT_VARIABLE facts ERROR_QUIET)
  if(facts MATCHES "SONAME +([^\n ]+)")
    cmake_path(REPLACE_FILENAME path ${CMAKE_MATCH_1})
  endif()
  target_compile_definitions(opevo_${name} PRIVATE OPEVO_${library}_PATH="${path}")
  target_include_directories(opevo_${name} PRIVATE
    $<TARGET_PROPERTY:PkgConfig::OPEVO_${library},INTERFACE_INCLUDE_DIRECTORIES>)
endfunction()

# opevo_add_room(NAME MODULES folder... PUBLIC folder...): a room of the modules NAME_FOLDER, as opevo::NAME with the public
# headers of PUBLIC, and as opevo::NAME_internal with all headers, for its tests.
function(opevo_add_room name)
  cmake_parse_arguments(ARG "" "" "MODULES;PUBLIC" ${ARGN})
  list(TRANSFORM ARG_PUBLIC REPLACE "(.+)" "opevo::${name}_\\1")
  list(TRANSFORM ARG_MODULES REPLACE "(.+)" "opevo::${name}_\\1_internal")
  foreach(kind PUBLIC MODULES)
    set(target opevo_${name})
    set(alias opevo::${name})
    if(kind STREQUAL MODULES)
      string(APPEND target _internal)
      string(APPEND alias _internal)
    endif()
    add_library(${target} INTERFACE)
    add_library(${alias} ALIAS ${target})
    target_link_libraries(${target} INTERFACE ${ARG_${kind}})
  endforeach()
endfunction()

# opevo_embed_texts(OUTPUT FOLDER PREFIX WORD HEADER name.h [ENDINGS in...]): a rule that writes a C file with the texts
# FOLDER/*.in, or of these endings, as arrays, declared in a header of the current folder: see EmbedTexts.cmake. Its path
# is set in OUTPUT.
function(opevo_embed_texts output folder)
  cmake_parse_arguments(ARG "" "PREFIX;HEADER" "ENDINGS" ${ARGN})
  if(NOT ARG_ENDINGS)
    set(ARG_ENDINGS in)
  endif()
  list(TRANSFORM ARG_ENDINGS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.)
  file(GLOB texts CONFIGURE_DEPENDS ${ARG_ENDINGS})
  string(REPLACE ";" "," list "${texts}")
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${folder}_embedded.c)
  set(embed ${PROJECT_SOURCE_DIR}/cmake/EmbedTexts.cmake)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DFILES=${list} -DPREFIX=${ARG_PREFIX} -DHEADER=${ARG_HEADER} -DOUTPUT=${source} -P ${embed}
    DEPENDS ${texts} ${embed} ${PROJECT_SOURCE_DIR}/cmake/FileBytes.cmake
    COMMENT "Embedding the texts of ${folder}" VERBATIM)
  # It lies in the build folder and includes a private header.
  set_property(SOURCE ${source} APPEND PROPERTY INCLUDE_DIRECTORIES ${CMAKE_CURRENT_SOURCE_DIR})
  set(${output} ${source} PARENT_SCOPE)
endfunction()
