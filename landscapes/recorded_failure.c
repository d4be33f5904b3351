/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Sentences about files: each begins with the path, and the line where there is one. */

#include "recorded_internal.h"

#include <stdio.h>
#include <string.h>

opevo_status opevo_i_landscape_fail_at(opevo_error *err, opevo_status status, const char *path,
                                       size_t line, const char *format, ...)
{
    char sentence[OPEVO_ERROR_SIZE];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    if (line)
        return OPEVO_FAIL(err, status, "%s:%zu: %s", path, line, sentence);
    return OPEVO_FAIL(err, status, "%s: %s", path, sentence);
}

opevo_status opevo_i_landscape_fail_status(const char *path, size_t line, const char *word,
                                           opevo_error *err)
{
    return opevo_i_landscape_fail_at(err, OPEVO_INVALID, path, line,
                                     "unknown status '%.80s'; use ok, compile_error, "
                                     "runtime_error, invalid, timeout, wrong or crashed.",
                                     word);
}

opevo_status opevo_i_landscape_fail_short(const char *path, size_t line, double time_s,
                                          opevo_error *err)
{
    return opevo_i_landscape_fail_at(err, OPEVO_INVALID, path, line,
                                     "a time of %g s is too short to be a measurement.", time_s);
}

opevo_status opevo_i_landscape_fail_in(opevo_error *err, const opevo_error *inner, const char *path)
{
    if (strncmp(inner->message, path, strlen(path)) == 0)
        return OPEVO_FAIL(err, inner->status, "%s", inner->message);
    return OPEVO_FAIL(err, inner->status, "%.256s: %.700s", path, inner->message);
}
