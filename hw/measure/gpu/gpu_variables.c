/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Variables of a module, in constant or device memory, that the host fills. */

#include "gpu_internal.h"

#include <stdio.h>

int opevo_i_gpu_set_variables(const opevo_i_gpu_driver *driver, void *module,
                              const opevo_buffer *buffers, size_t count, opevo_evaluation *out)
{
    int code = 0;

    for (size_t i = 0; i < count && !code; i++) {
        const opevo_buffer *buffer = &buffers[i];
        uint64_t place = 0;
        size_t bytes = 0;

        if (!buffer->symbol)
            continue;
        if (!driver->get_global ||
            driver->get_global(&place, &bytes, module, buffer->symbol) != 0 ||
            bytes < buffer->size_bytes) {
            out->verdict = OPEVO_VERDICT_UNSUPPORTED;
            snprintf(out->message, sizeof out->message,
                     "The module has no variable %.60s of at least %zu bytes.", buffer->symbol,
                     buffer->size_bytes);
            return 0;
        }
        code = driver->copy_in(place, buffer->data, buffer->size_bytes);
    }
    return code;
}
