# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -DSOURCE=cli/report -DUPLOT=FOLDER -DMISSING=TEXT -DOUTPUT=FILE.c -P AssembleReport.cmake
# Put the files that template.html names as @FILE@ in their places, and write the page as a C file. The marks @TITLE@
# and @DATA@ stay for the program. Without UPLOT the page is empty.
include(${CMAKE_CURRENT_LIST_DIR}/FileBytes.cmake)
set(page "")
if(UPLOT)
  file(READ ${SOURCE}/template.html page)
  string(REGEX MATCHALL "@[a-zA-Z./-]+@" marks "${page}")
  foreach(mark IN LISTS marks)
    string(REPLACE "@" "" name "${mark}")
    if(EXISTS ${SOURCE}/${name})
      file(READ ${SOURCE}/${name} content)
    elseif(EXISTS ${UPLOT}/${name})
      file(READ ${UPLOT}/${name} content)
    else()
      continue()
    endif()
    if(content MATCHES "</(script|style)" OR content MATCHES "<!--")
      message(FATAL_ERROR "${name} would end the element that it stands in.")
    endif()
    string(REPLACE "${mark}" "${content}" page "${page}")
  endforeach()
endif()
file(WRITE ${OUTPUT}.html "${page}")
opevo_file_bytes(${OUTPUT}.html bytes size)
string(REPLACE "\\" "\\\\" MISSING "${MISSING}")
string(REPLACE "\"" "\\\"" MISSING "${MISSING}")
file(WRITE ${OUTPUT} "#include \"report_internal.h\"

const unsigned char opevo_i_report_page[] = {${bytes}};
const size_t opevo_i_report_page_size = ${size};
const char opevo_i_report_missing[] = \"${MISSING}\";
")
