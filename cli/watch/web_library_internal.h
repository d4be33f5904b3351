/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The functions of GNU libmicrohttpd, which only `opevo watch` opens. */

#ifndef OPEVO_WEB_LIBRARY_INTERNAL_H
#define OPEVO_WEB_LIBRARY_INTERNAL_H

#include <opevo/shared_library.h>

#include <microhttpd.h>

#define OPEVO_I_WEB_FUNCTIONS(ONE)                                                                 \
    ONE(MHD_add_response_header)                                                                   \
    ONE(MHD_create_response_from_buffer)                                                           \
    ONE(MHD_destroy_response)                                                                      \
    ONE(MHD_get_connection_info)                                                                   \
    ONE(MHD_get_daemon_info)                                                                       \
    ONE(MHD_lookup_connection_value)                                                               \
    ONE(MHD_queue_response)                                                                        \
    ONE(MHD_run_wait)                                                                              \
    ONE(MHD_start_daemon)                                                                          \
    ONE(MHD_stop_daemon)

typedef struct opevo_i_cli_web_library {
    OPEVO_I_WEB_FUNCTIONS(OPEVO_LIBRARY_MEMBER)
} opevo_i_cli_web_library;

/* The functions, for the rest of the program. For one thread. Errors: IO where the library is
 * missing or lacks one. */
opevo_status opevo_i_cli_web_library_open(const opevo_i_cli_web_library **out, opevo_error *err);

#endif
