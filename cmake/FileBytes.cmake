# SPDX-License-Identifier: GPL-3.0-or-later
# opevo_file_bytes(FILE BYTES SIZE): what stands between the braces of a C array with the bytes of a file, which a zero
# byte ends, and their number without it.
function(opevo_file_bytes file bytes size)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," list "${hex}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" list
    "${list}")
  string(LENGTH "${hex}" length)
  math(EXPR length "${length} / 2")
  set(${bytes} "\n${list}0" PARENT_SCOPE)
  set(${size} ${length} PARENT_SCOPE)
endfunction()
