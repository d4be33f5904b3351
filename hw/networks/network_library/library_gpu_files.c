/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The files that all libraries for GPUs have, from the folder gpu/, and those for OpenCL, from
 * there and from the folder opencl/. */

#include "library_internal.h"

const opevo_i_library_gpu_text opevo_i_library_gpu_texts[] = {
    {"device.h", opevo_i_library_gpu_file_device_h},
    {"emulate.c", opevo_i_library_gpu_file_emulate_c},
    {"emulate.h", opevo_i_library_gpu_file_emulate_h},
    {"kernel.h", opevo_i_library_gpu_file_kernel_h},
    {"main.c", opevo_i_library_gpu_file_main_c},
    {"move.cu", opevo_i_library_gpu_file_move_cu},
    {"plan.h", opevo_i_library_gpu_file_plan_h},
    {"run.c", opevo_i_library_gpu_file_run_c},
    {NULL, NULL},
};

const opevo_i_library_gpu_text opevo_i_library_opencl_texts[] = {
    {"device.h", opevo_i_library_gpu_file_device_h},
    {"kernel.h", opevo_i_library_opencl_file_kernel_h},
    {"main.c", opevo_i_library_gpu_file_main_c},
    {"move.c", opevo_i_library_opencl_file_move_c},
    {"opencl.c", opevo_i_library_opencl_file_opencl_c},
    {"opencl.h", opevo_i_library_opencl_file_opencl_h},
    {"plan.h", opevo_i_library_gpu_file_plan_h},
    {"run.c", opevo_i_library_gpu_file_run_c},
    {NULL, NULL},
};

const opevo_i_library_gpu_text *opevo_i_library_fixed_texts(const opevo_network_library *self)
{
    return opevo_i_library_is_for_opencl(self) ? opevo_i_library_opencl_texts
                                               : opevo_i_library_gpu_texts;
}
