# SPDX-License-Identifier: GPL-3.0-or-later
# What `cmake --install` installs: the two programs side by side, for the one starts the other from its own folder; the
# man page and the completion script, which the program prints; the manual and the licence.
include(GNUInstallDirs)

# opevo_printed(NAME ARGUMENT...): a file in the build folder with what `opevo ARGUMENT...` prints.
function(opevo_printed name)
  add_custom_command(OUTPUT ${PROJECT_BINARY_DIR}/${name} COMMAND opevo ${ARGN} > ${PROJECT_BINARY_DIR}/${name}
    DEPENDS opevo COMMENT "Writing ${name}" VERBATIM)
endfunction()

opevo_printed(opevo.1 man)
opevo_printed(opevo.bash completion bash)
add_custom_target(opevo_printed ALL DEPENDS ${PROJECT_BINARY_DIR}/opevo.1 ${PROJECT_BINARY_DIR}/opevo.bash)

install(TARGETS opevo opevo-worker RUNTIME)
install(FILES ${PROJECT_BINARY_DIR}/opevo.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_BINARY_DIR}/opevo.bash RENAME opevo
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE TYPE DOC)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs TYPE DOC)
