/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Statuses, and error sentences within a fixed buffer. */

#include <opevo/status.h>

#include <stdio.h>

const char *opevo_status_name(opevo_status status)
{
    switch (status) {
#define STATUS_CASE(suffix, text)                                                                  \
    case OPEVO_##suffix:                                                                           \
        return text;
        OPEVO_STATUS_LIST(STATUS_CASE)
#undef STATUS_CASE
    }
    return "unknown status";
}

opevo_status opevo_error_set(opevo_error *err, opevo_status status, const char *format, ...)
{
    if (err) {
        va_list arguments;

        err->status = status;
        va_start(arguments, format);
        vsnprintf(err->message, sizeof err->message, format, arguments);
        va_end(arguments);
    }
    return status;
}
