# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -DPARTS=FILE;... -DOUTPUT=FILE.c -P AssembleReport.cmake
# Put the other parts into template.html, each in the place of its name, @FILE@, and write the page as a C file. The marks
# @CONNECT@, @TITLE@, @DATA@ and @LIVE@ stay for the program.
include(${CMAKE_CURRENT_LIST_DIR}/FileBytes.cmake)
set(template ${PARTS})
list(FILTER template INCLUDE REGEX "/template\\.html$")
list(REMOVE_ITEM PARTS ${template})
file(READ ${template} page)
foreach(part IN LISTS PARTS)
  get_filename_component(name ${part} NAME)
  file(READ ${part} content)
  if(content MATCHES "</(script|style)" OR content MATCHES "<!--")
    message(FATAL_ERROR "${name} would end the element that it stands in.")
  endif()
  # A map of the source would be looked for beside the page.
  string(REGEX REPLACE "\n//# sourceMappingURL=[^\n]*" "" content "${content}")
  string(REPLACE "@${name}@" "${content}" page "${page}")
endforeach()
file(WRITE ${OUTPUT}.html "${page}")
opevo_file_bytes(${OUTPUT}.html bytes size)
file(WRITE ${OUTPUT} "#include \"report_internal.h\"

const unsigned char opevo_i_cli_report_page[] = {${bytes}};
")
