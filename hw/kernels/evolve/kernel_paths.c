/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Where kernels and their harnesses are. */

#include <opevo/evolver.h>
#include <opevo/kernel_harness.h>

#include <opevo/memory.h>

opevo_status opevo_evolver_paths(const char *name, char **kernel, char **harness,
                                 opevo_error *err_harness, opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = opevo_kernel_path(name, kernel, err);

    *harness = NULL;
    if (status != OPEVO_OK)
        return status;
    status = opevo_harness_path(*kernel, harness, &inner);
    if (status == OPEVO_OK)
        return OPEVO_OK;
    if (err_harness)
        *err_harness = inner;
    if (status == OPEVO_IO)
        return OPEVO_OK;
    opevo_free(*kernel);
    *kernel = NULL;
    return OPEVO_FAIL(err, status, "%s", inner.message);
}
