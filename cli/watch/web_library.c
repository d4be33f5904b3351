/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "web_library_internal.h"

#define SYMBOL(name) OPEVO_LIBRARY_SYMBOL(opevo_i_cli_web_library, name)

static const opevo_library_symbol symbols[] = {OPEVO_I_WEB_FUNCTIONS(SYMBOL)};

opevo_status opevo_i_cli_web_library_open(const opevo_i_cli_web_library **out, opevo_error *err)
{
    static opevo_i_cli_web_library functions;
    opevo_status status =
        opevo_shared_library_open(OPEVO_LIBMICROHTTPD_PATH, "GNU libmicrohttpd", symbols,
                                  sizeof symbols / sizeof *symbols, &functions, err);

    if (status == OPEVO_OK)
        *out = &functions;
    return status;
}
