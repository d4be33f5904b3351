# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -DMODEL=FILE -DOUTPUT=FILE.c -P EmbedModel.cmake
include(${CMAKE_CURRENT_LIST_DIR}/FileBytes.cmake)
opevo_file_bytes(${MODEL} bytes size)
file(WRITE ${OUTPUT} "#include \"shipped_model_internal.h\"

const unsigned char opevo_i_cli_shipped_model[] = {${bytes}};
const size_t opevo_i_cli_shipped_model_size = ${size};
")
