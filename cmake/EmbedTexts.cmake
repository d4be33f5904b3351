# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -DFILES=FILE.in,... -DOUTPUT=FILE.c -P EmbedTexts.cmake: the table of opevo_i_gpu_text
# (hw/network_library/library_internal.h).
include(${CMAKE_CURRENT_LIST_DIR}/FileBytes.cmake)
string(REPLACE "," ";" FILES "${FILES}")
set(texts)
set(rows)
set(number 0)
foreach(file ${FILES})
  opevo_file_bytes(${file} bytes size)
  get_filename_component(name ${file} NAME)
  string(REGEX REPLACE "\\.in$" "" name ${name})
  string(APPEND texts "static const unsigned char text_${number}[] = {${bytes}};\n")
  string(APPEND rows "    {\"${name}\", (const char *)text_${number}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "#include \"library_internal.h\"

${texts}
const opevo_i_gpu_text opevo_i_gpu_texts[] = {
${rows}    {NULL, NULL},
};
")
