# SPDX-License-Identifier: GPL-3.0-or-later
# The known devices: NAME stands for NAME.json in this folder. A new device is a file and a row.
set(OPEVO_DEVICES
  a100
  gtx1080ti
  h200
  mi50
  v100)

# opevo_embed_devices(OUTPUT): write a C file with the table of landscapes/simulated_internal.h.
function(opevo_embed_devices output)
  set(folder ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  set(rows "")
  foreach(name ${OPEVO_DEVICES})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/${name}.json)
    file(READ ${folder}/${name}.json json)
    string(JSON title GET "${json}" title)
    string(REPLACE "\\" "\\\\" json "${json}")
    string(REPLACE "\"" "\\\"" json "${json}")
    string(REPLACE "\n" "\\n\"\n     \"" json "${json}")
    string(APPEND rows "    {\"${name}\", \"${title}\",\n     \"${json}\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"#include \"simulated_internal.h\"

const opevo_i_landscape_embedded_device opevo_i_landscape_embedded_devices[] = {
@rows@};
const size_t opevo_i_landscape_embedded_device_count =
    sizeof opevo_i_landscape_embedded_devices / sizeof *opevo_i_landscape_embedded_devices;
")
endfunction()
