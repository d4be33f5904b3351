/* SPDX-License-Identifier: GPL-3.0-or-later */

/* OpenCL's row of vendors. */

#include "opencl_internal.h"

const opevo_i_gpu_own opevo_i_gpu_own_opencl = {
    .open = opevo_i_opencl_driver,
    .find = opevo_i_opencl_find,
    .describe = opevo_i_opencl_describe,
    .words = opevo_i_opencl_words,
    .compile = opevo_i_opencl_compile,
    .explain = opevo_i_opencl_explain,
    .expect = opevo_i_opencl_expect,
    .list = opevo_i_opencl_list,
    .open_math = opevo_i_opencl_math_open,
    .run_math = opevo_i_opencl_math_run,
};
