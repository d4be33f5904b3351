# SPDX-License-Identifier: GPL-3.0-or-later
# LLVM's C interface as the target opevo::llvm, which folders link PRIVATE; used only where it is found. It takes LLVM 19
# or newer (Debian: llvm-19-dev): 19 is preferred, then 22, then any. The program opevo itself never links it.
option(OPEVO_LLVM "Build what needs LLVM, where LLVM 19 or newer is found" ON)

# The interpreter computes in half precision, which clang knows on most processors from version 15 on.
if(OPEVO_LLVM)
  include(CheckCSourceCompiles)
  check_c_source_compiles("__extension__ typedef _Float16 half;\nint main(int argc, char **argv) { (void)argv; half x = (half)argc; return (int)(x * x); }"
    OPEVO_HAS_FLOAT16)
  if(NOT OPEVO_HAS_FLOAT16)
    message(STATUS "The compiler lacks _Float16, which gcc 12 and clang 15 have: opevo evolve is built without its worker")
  endif()
endif()

if(OPEVO_LLVM AND OPEVO_HAS_FLOAT16)
  find_program(OPEVO_LLVM_CONFIG NAMES llvm-config-19 llvm-config-22 llvm-config-20 llvm-config-21 llvm-config-23
    llvm-config-24 llvm-config DOC "llvm-config of the LLVM that opevo-evolver is built with")
  if(OPEVO_LLVM_CONFIG)
    foreach(property version includedir libdir bindir)
      execute_process(COMMAND ${OPEVO_LLVM_CONFIG} --${property} OUTPUT_VARIABLE llvm_${property}
        OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    endforeach()
    string(REGEX MATCH "^[0-9]+" OPEVO_LLVM_VERSION "${llvm_version}")
    find_library(OPEVO_LLVM_LIBRARY NAMES LLVM-${OPEVO_LLVM_VERSION} LLVM PATHS ${llvm_libdir} NO_DEFAULT_PATH)
    if(OPEVO_LLVM_VERSION GREATER_EQUAL 19 AND OPEVO_LLVM_LIBRARY AND EXISTS ${llvm_includedir}/llvm-c/Core.h)
      add_library(opevo::llvm INTERFACE IMPORTED GLOBAL)
      target_include_directories(opevo::llvm INTERFACE ${llvm_includedir})
      # Programs with the property OPEVO_LLVM_STATIC hold what they need of LLVM, which is a fifth of it, instead.
      set(static $<BOOL:$<TARGET_PROPERTY:OPEVO_LLVM_STATIC>>)
      execute_process(COMMAND ${OPEVO_LLVM_CONFIG} --link-static --libfiles
        nvptx amdgpu native bitwriter irreader linker orcjit passes
        OUTPUT_VARIABLE OPEVO_LLVM_ARCHIVES OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
      separate_arguments(OPEVO_LLVM_ARCHIVES)
      target_link_libraries(opevo::llvm INTERFACE $<IF:${static},${OPEVO_LLVM_ARCHIVES};stdc++;z;zstd;m,${OPEVO_LLVM_LIBRARY}>)
      target_link_options(opevo::llvm INTERFACE $<${static}:-Wl,--gc-sections>)
      target_compile_definitions(opevo::llvm INTERFACE OPEVO_LLVM_VERSION=${OPEVO_LLVM_VERSION}
        OPEVO_LLVM_FOLDER="${llvm_bindir}")
      message(STATUS "Found LLVM ${llvm_version}: ${OPEVO_LLVM_LIBRARY}")
    endif()
  endif()
  if(NOT TARGET opevo::llvm)
    message(STATUS "LLVM 19 or newer is missing (Debian: llvm-19-dev): opevo evolve is built without its worker")
  endif()
endif()
