# SPDX-License-Identifier: GPL-3.0-or-later
# cmake -DRECORDING=FOLDER/NAME -DOUTPUT=FILE.c -P EmbedRecording.cmake
include(${CMAKE_CURRENT_LIST_DIR}/FileBytes.cmake)
opevo_file_bytes(${RECORDING}.csv.xz table table_size)
opevo_file_bytes(${RECORDING}.json json json_size)
get_filename_component(name ${RECORDING} NAME)
file(WRITE ${OUTPUT} "#include \"recorded_internal.h\"

static const unsigned char table[] = {${table}};
static const unsigned char json[] = {${json}};
const opevo_i_landscape_embedded_recording opevo_i_landscape_embedded = {
    .table_name = \"${name}.csv.xz\",
    .table = (const char *)table,
    .json = (const char *)json,
    .table_size = ${table_size},
    .json_size = ${json_size},
};
")
