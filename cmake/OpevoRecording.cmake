# SPDX-License-Identifier: GPL-3.0-or-later
# opevo_embed_recording(RECORDING OUTPUT): a rule that writes the C file with the recording of
# landscapes/recorded_internal.h from RECORDING.csv.xz and RECORDING.json.
function(opevo_embed_recording recording output)
  set(embed ${PROJECT_SOURCE_DIR}/cmake/EmbedRecording.cmake)
  add_custom_command(OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DRECORDING=${recording} -DOUTPUT=${output} -P ${embed}
    DEPENDS ${recording}.csv.xz ${recording}.json ${embed} ${PROJECT_SOURCE_DIR}/cmake/FileBytes.cmake
    COMMENT "Embedding the recording of --on recorded:" VERBATIM)
endfunction()
