/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A device with a context, which the launcher of cases and its life share. */

#ifndef OPEVO_GPU_LAUNCHER_INTERNAL_H
#define OPEVO_GPU_LAUNCHER_INTERNAL_H

#include <opevo/gpu_launcher.h>

#include "gpu_internal.h"

enum { OPEVO_I_GPU_WINDOWS = 99 /* of a case at most */ };

struct opevo_gpu {
    const opevo_i_gpu_vendor *vendor;
    opevo_i_gpu_driver driver;
    opevo_i_gpu_facts facts;
    opevo_gpu_options options;
    void *start, *end; /* events */
    opevo_case_times *times;
    int lock; /* at measuring; -1: none */
    bool context_lost;
};

/* IO with the device's title, `what`, and the driver's code and words. */
opevo_status opevo_i_gpu_fail(const opevo_gpu *self, int code, const char *what, opevo_error *err);

#endif
