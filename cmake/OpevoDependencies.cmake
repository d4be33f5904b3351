# SPDX-License-Identifier: GPL-3.0-or-later
# The libraries that opevo is made with, as targets PkgConfig::OPEVO_NAME. Used by the build and, installed, by whoever
# links the static library.

# opevo_find_dependencies(WORD...): by pkg_check_modules with these words, such as REQUIRED.
function(opevo_find_dependencies)
  foreach(library gsl lapacke openblas igraph jansson liblzma libprotobuf-c libxml-2.0 zlib sqlite3 xgboost)
    string(TOUPPER OPEVO_${library} prefix)
    string(MAKE_C_IDENTIFIER ${prefix} prefix)
    pkg_check_modules(${prefix} ${ARGN} IMPORTED_TARGET ${library})
  endforeach()
  if(TARGET PkgConfig::OPEVO_GSL AND TARGET PkgConfig::OPEVO_OPENBLAS)
    # GSL asks for its own reference CBLAS, which is up to twenty times slower and would hide OpenBLAS's
    # functions of the same names from whatever is linked after it.
    get_target_property(libraries PkgConfig::OPEVO_GSL INTERFACE_LINK_LIBRARIES)
    list(FILTER libraries EXCLUDE REGEX gslcblas)
    set_target_properties(PkgConfig::OPEVO_GSL PROPERTIES
      INTERFACE_LINK_LIBRARIES "${libraries};PkgConfig::OPEVO_OPENBLAS")
  endif()
endfunction()
