# SPDX-License-Identifier: GPL-3.0-or-later
# What `cmake --install` installs: the two programs side by side, for the one starts the other from its own folder; the
# man page and the completion script, which the program prints; the manual and the licence.
include(GNUInstallDirs)

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

install(TARGETS opevo opevo-worker RUNTIME)
install(FILES ${PROJECT_BINARY_DIR}/opevo.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES ${PROJECT_BINARY_DIR}/opevo.bash RENAME opevo
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${PROJECT_BINARY_DIR}/opevo.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(FILES ${PROJECT_BINARY_DIR}/_opevo DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/LICENSE TYPE DOC)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs TYPE DOC)
