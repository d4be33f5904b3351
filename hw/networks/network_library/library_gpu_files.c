/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The files that all libraries for GPUs have, from the folder gpu/. */

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
