# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -DFILES=FILE.in,... -DPREFIX=WORD -DHEADER=NAME.h -DOUTPUT=FILE.c -P EmbedTexts.cmake: each text as
# const char PREFIXFILE[], declared in the header. Dots in names of files become underscores.
include(${CMAKE_CURRENT_LIST_DIR}/FileBytes.cmake)
string(REPLACE "," ";" FILES "${FILES}")
set(texts "#include \"${HEADER}\"\n\n")
foreach(file ${FILES})
  opevo_file_bytes(${file} bytes size)
  get_filename_component(name ${file} NAME)
  string(REGEX REPLACE "\\.in$" "" name ${name})
  string(MAKE_C_IDENTIFIER ${name} name)
  string(APPEND texts "const char ${PREFIX}${name}[] = {${bytes}};\n")
endforeach()
file(WRITE ${OUTPUT} "${texts}")
