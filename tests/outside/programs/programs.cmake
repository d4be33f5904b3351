# SPDX-License-Identifier: GPL-3.0-or-later
# The programs here with opevo::opevo, and the one in C with opevo::opevo_static, too, where that is; however these targets
# came about.
function(outside_program name source library)
  add_executable(${name} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/${source})
  target_compile_options(${name} PRIVATE -Wall -Wextra -Werror)
  target_link_libraries(${name} PRIVATE ${library})
endfunction()

outside_program(ask_tell ask_tell.c opevo::opevo)
if(TARGET opevo::opevo_static)
  outside_program(ask_tell_static ask_tell.c opevo::opevo_static)
endif()
include(CheckLanguage)
check_language(CXX)
if(CMAKE_CXX_COMPILER)
  enable_language(CXX)
  outside_program(ask_tell_cpp ask_tell.cpp opevo::opevo)
  target_compile_features(ask_tell_cpp PRIVATE cxx_std_17)
endif()
