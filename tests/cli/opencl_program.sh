# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by cases that build programs for a device of OpenCL: skips without one, and has opencl_program.h in the folder.
opevo devices 2>/dev/null | grep -q opencl:0 || { echo "skipped: no OpenCL device: install pocl-opencl-icd" >&2; exit 77; }
[ -e /usr/include/CL/cl.h ] || { echo "skipped: no CL/cl.h: install opencl-c-headers" >&2; exit 77; }
cp "${0%/*}/../opencl_program.h" .
# run_program LIBRARY: main.c with the library, and what it prints
run_program() {
    cc -Wall -Wno-deprecated-declarations -Werror main.c "$1" -o main -l:libOpenCL.so.1 && ./main
}
