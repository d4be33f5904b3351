/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels that one run of the compiler builds: most of the time that a small one takes is the start
 * of the compiler and the linker. */

#ifndef OPEVO_TESTS_KERNEL_BATCH_H
#define OPEVO_TESTS_KERNEL_BATCH_H

#include "check.h"

#include <opevo/kernel.h>
#include <opevo/text.h>

#include <ctype.h>

/* Every name that a kernel gives away begins with this. */
#define BATCH_PREFIX "opevo_"

static inline bool batch_is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* End the macros of a source, which the next one may define in another way. */
static inline void batch_end_macros(opevo_text *all, const char *source)
{
    static const char define[] = "#define ";

    for (const char *at = strstr(source, define); at; at = strstr(at, define)) {
        size_t length = 0;

        at += sizeof define - 1;
        while (batch_is_name(at[length]))
            length++;
        if (strncmp(at, BATCH_PREFIX, sizeof BATCH_PREFIX - 1) == 0)
            continue; /* it has another name in each */
        opevo_text_add(all, "#undef ");
        opevo_text_add_bytes(all, at, length);
        opevo_text_add(all, "\n");
    }
}

/* The types of a source, which the next one may define in another way, get names of their own: by
 * macros in front of it, which end behind it. */
static inline void batch_name_types(opevo_text *all, const char *source, const char *prefix)
{
    static const char head[] = "\ntypedef ";
    bool first = strncmp(source, head + 1, sizeof head - 2) == 0;

    for (const char *at = first ? source : strstr(source, head); at; at = strstr(at, head)) {
        const char *body = strchr(at, '{'), *end = strchr(at, ';');
        const char *attribute = NULL;

        if (body && body < end)
            end = strchr(strchr(body, '}'), ';');
        attribute = strstr(body && body < end ? strchr(body, '}') : at, " __attribute__");
        if (end[-1] == ')' && attribute && attribute < end)
            end = attribute;
        for (at = end; batch_is_name(at[-1]);)
            at--;
        if (prefix)
            opevo_text_printf(all, "#define %.*s %s%.*s\n", (int)(end - at), at, prefix,
                              (int)(end - at), at);
        else
            opevo_text_printf(all, "#undef %.*s\n", (int)(end - at), at);
    }
}

/* Append the source of a kernel so that others can stand beside it: its names get the prefix
 * "kNUMBER_", which is also put into kernel->entry. */
static inline void batch_add(opevo_text *all, opevo_kernel *kernel, int number)
{
    const char *source = opevo_text_string(&kernel->source), *rest = source;
    char prefix[16], entry[sizeof kernel->entry];

    snprintf(prefix, sizeof prefix, "k%d_", number);
    batch_name_types(all, source, prefix);
    for (const char *at = strstr(rest, BATCH_PREFIX); at; at = strstr(rest, BATCH_PREFIX)) {
        opevo_text_add_bytes(all, rest, (size_t)(at - rest));
        opevo_text_add(all, prefix);
        rest = at + sizeof BATCH_PREFIX - 1;
    }
    opevo_text_add(all, rest);
    batch_end_macros(all, source);
    batch_name_types(all, source, NULL);
    assert_true(strncmp(kernel->entry, BATCH_PREFIX, sizeof BATCH_PREFIX - 1) == 0);
    snprintf(entry, sizeof entry, "%s%s", prefix, kernel->entry + sizeof BATCH_PREFIX - 1);
    memcpy(kernel->entry, entry, sizeof entry);
}

#endif
