# SPDX-License-Identifier: GPL-3.0-or-later
# The page of `opevo report`: its own files, and the chart library of Debian's package libjs-dygraphs with its licence.

find_file(OPEVO_DYGRAPHS dygraph.min.js PATHS /usr/share/javascript/dygraphs NO_DEFAULT_PATH)
find_file(OPEVO_DYGRAPHS_LICENCE copyright PATHS /usr/share/doc/libjs-dygraphs NO_DEFAULT_PATH)
if(NOT OPEVO_DYGRAPHS OR NOT OPEVO_DYGRAPHS_LICENCE)
  message(FATAL_ERROR "The chart library of opevo report is missing: install the package libjs-dygraphs.")
endif()

# opevo_report_page(OUTPUT): a rule that writes the C file with the page of report_internal.h.
function(opevo_report_page output)
  set(source ${CMAKE_CURRENT_SOURCE_DIR})
  file(GLOB parts CONFIGURE_DEPENDS ${source}/*.html ${source}/*.css ${source}/*.js)
  list(APPEND parts ${OPEVO_DYGRAPHS} ${OPEVO_DYGRAPHS_LICENCE})
  set(assemble ${PROJECT_SOURCE_DIR}/cmake/AssembleReport.cmake)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} "-DPARTS=${parts}" -DOUTPUT=${output} -P ${assemble}
    DEPENDS ${parts} ${assemble} ${PROJECT_SOURCE_DIR}/cmake/FileBytes.cmake
    COMMENT "Assembling the page of opevo report" VERBATIM)
endfunction()
