/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Text: a growing string, strict reading of numbers, and shortest exact printing of them. */

#ifndef OPEVO_TEXT_H
#define OPEVO_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <opevo/api.h>
#include <opevo/index.h>
#include <opevo/status.h>

OPEVO_BEGIN_C

/* A growing string, a plain value: start from {0}. The first failed allocation is remembered, later
 * calls do nothing, and opevo_text_check reports it once for all. */
typedef struct opevo_text {
    char *data; /* terminated; NULL before the first addition */
    size_t length;
    size_t capacity;
    bool failed;
} opevo_text;

OPEVO_API void opevo_text_add(opevo_text *text, const char *piece);
OPEVO_API void opevo_text_add_bytes(opevo_text *text, const char *piece, size_t length);
OPEVO_API void opevo_text_printf(opevo_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
OPEVO_API void opevo_text_vprintf(opevo_text *text, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));
/* Untrusted text made safe for display: control characters, those that change the direction of text
 * and bytes that are not UTF-8 are written as \n, \x1b or \u202e. Every printer uses it for names,
 * units and messages of files, stores and workers. */
OPEVO_API void opevo_text_add_visible(opevo_text *text, const char *piece);
/* Bytes of the character at `at`, at least 1, and whether it may be shown as it is. */
OPEVO_API size_t opevo_text_character(const char *at, bool *visible);
/* Characters of UTF-8 text: bytes that continue none. Those that opevo prints are one column
 * wide. */
OPEVO_API size_t opevo_text_character_count(const char *text);
/* The piece as a JSON string with its quotes; as XML character data; as a CSV field (RFC 4180).
 * JSON and XML come out as visible UTF-8: JSON escapes what is not visible, and U+FFFD replaces
 * bytes that are not UTF-8 and, in XML, control characters. */
OPEVO_API void opevo_text_add_json(opevo_text *text, const char *piece);
OPEVO_API void opevo_text_add_xml(opevo_text *text, const char *piece);
OPEVO_API void opevo_text_add_csv(opevo_text *text, const char *piece);
/* Behind the line feed that ends the CSV row (RFC 4180) that starts at `at`; NULL if none exists
 * before `end`. A field in double quotes may hold line feeds. *quoted, which may be NULL: whether
 * it was looked for inside quotes at last. */
OPEVO_API char *opevo_csv_row_end(char *at, const char *end, bool *quoted);
/* The shortest decimal that reads back as the same double; "null" when it is not finite. */
OPEVO_API void opevo_text_add_double(opevo_text *text, double value);
OPEVO_API void opevo_text_add_index(opevo_text *text, opevo_index value);
/* Empty it, keeping its memory. */
OPEVO_API void opevo_text_clear(opevo_text *text);
/* The terminated string, "" when nothing was added; borrowed until the next change. */
OPEVO_API const char *opevo_text_string(const opevo_text *text);
OPEVO_API opevo_status opevo_text_check(const opevo_text *text, opevo_error *err);
OPEVO_API void opevo_text_free(opevo_text *text);

enum { OPEVO_DOUBLE_TEXT_SIZE = 32 };
/* As opevo_text_add_double, into `out` of OPEVO_DOUBLE_TEXT_SIZE bytes; returns `out`. */
OPEVO_API char *opevo_double_format(double value, char *out);

/* Each reads a number that fills the whole text, in the C locale's form and without leading space;
 * false, with *out untouched, for anything else or out of range. */
OPEVO_API bool opevo_parse_double(const char *text, double *out); /* finite only */
OPEVO_API bool opevo_parse_i64(const char *text, int64_t *out);
OPEVO_API bool opevo_parse_u64(const char *text, uint64_t *out);

OPEVO_END_C

#endif
