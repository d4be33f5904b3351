/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Structs of a caller that was compiled with another version of the headers. */

#include <opevo/struct_size.h>

#include <opevo/version.h>

#include <string.h>

opevo_status opevo_struct_read(const void *from, size_t size, const char *type, void *out,
                               size_t out_size, opevo_error *err)
{
    const unsigned char *bytes = from;

    if (size == 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "The size of %s is 0: give sizeof(%s).", type, type);
    for (size_t i = out_size; i < size; i++) {
        if (bytes[i] != 0)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%s has a member that opevo " OPEVO_VERSION
                              " does not know: leave it "
                              "0, or run the program with the libopevo that it was compiled for.",
                              type);
    }
    memset(out, 0, out_size);
    memcpy(out, from, size < out_size ? size : out_size);
    return OPEVO_OK;
}
