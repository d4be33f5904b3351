/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <opevo/text.h>

#include <opevo/memory.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool make_room(opevo_text *text, size_t extra)
{
    void *data = text->data;

    if (text->failed)
        return false;
    if (!opevo_reserve(&data, &text->capacity, text->length + extra + 1, 1)) {
        text->failed = true;
        return false;
    }
    text->data = data;
    return true;
}

void opevo_text_add_bytes(opevo_text *text, const char *piece, size_t length)
{
    if (!make_room(text, length))
        return;
    memcpy(text->data + text->length, piece, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void opevo_text_add(opevo_text *text, const char *piece)
{
    opevo_text_add_bytes(text, piece, strlen(piece));
}

void opevo_text_printf(opevo_text *text, const char *format, ...)
{
    va_list arguments;
    int length = 0;

    va_start(arguments, format);
    length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0) {
        text->failed = true;
        return;
    }
    if (!make_room(text, (size_t)length))
        return;
    va_start(arguments, format);
    vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)length;
}

void opevo_text_add_json(opevo_text *text, const char *piece)
{
    opevo_text_add(text, "\"");
    for (; *piece; piece++) {
        unsigned char c = (unsigned char)*piece;

        if (c == '"' || c == '\\')
            opevo_text_printf(text, "\\%c", c);
        else if (c == '\n')
            opevo_text_add(text, "\\n");
        else if (c < 0x20)
            opevo_text_printf(text, "\\u%04x", (unsigned)c);
        else
            opevo_text_add_bytes(text, piece, 1);
    }
    opevo_text_add(text, "\"");
}

void opevo_text_add_xml(opevo_text *text, const char *piece)
{
    for (; *piece; piece++) {
        switch (*piece) {
        case '<':
            opevo_text_add(text, "&lt;");
            break;
        case '>':
            opevo_text_add(text, "&gt;");
            break;
        case '&':
            opevo_text_add(text, "&amp;");
            break;
        case '"':
            opevo_text_add(text, "&quot;");
            break;
        default:
            opevo_text_add_bytes(text, piece, 1);
        }
    }
}

void opevo_text_add_csv(opevo_text *text, const char *piece)
{
    if (!strpbrk(piece, ",\"\r\n")) {
        opevo_text_add(text, piece);
        return;
    }
    opevo_text_add(text, "\"");
    for (; *piece; piece++)
        opevo_text_add_bytes(text, *piece == '"' ? "\"\"" : piece, *piece == '"' ? 2 : 1);
    opevo_text_add(text, "\"");
}

char *opevo_csv_row_end(char *at, const char *end, bool *quoted)
{
    bool inside = false;
    bool starts = true; /* a field starts here: only there a quote opens */

    for (; at < end && (inside || *at != '\n'); at++) {
        if (*at == '"' && (inside || starts))
            inside = !inside; /* a doubled one closes, and opens again where `starts` holds */
        starts = *at == ',' || (*at == '"' && !inside);
    }
    if (quoted)
        *quoted = inside;
    return at < end ? at + 1 : NULL;
}

char *opevo_double_format(double value, char *out)
{
    if (!isfinite(value))
        return strcpy(out, "null");
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(out, OPEVO_DOUBLE_TEXT_SIZE, "%.*g", digits, value);
        if (strtod(out, NULL) == value)
            break;
    }
    return out;
}

void opevo_text_add_double(opevo_text *text, double value)
{
    char buffer[OPEVO_DOUBLE_TEXT_SIZE];

    opevo_text_add(text, opevo_double_format(value, buffer));
}

void opevo_text_add_index(opevo_text *text, opevo_index value)
{
    char buffer[OPEVO_INDEX_TEXT_SIZE];

    opevo_text_add(text, opevo_index_format(value, buffer));
}

void opevo_text_clear(opevo_text *text)
{
    text->length = 0;
    if (text->data)
        text->data[0] = '\0';
}

const char *opevo_text_string(const opevo_text *text)
{
    return text->data ? text->data : "";
}

opevo_status opevo_text_check(const opevo_text *text, opevo_error *err)
{
    return text->failed ? OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a text.") : OPEVO_OK;
}

void opevo_text_free(opevo_text *text)
{
    opevo_free(text->data);
    *text = (opevo_text){0};
}

static bool starts_number(const char *text, const char *allowed)
{
    return *text && strchr(allowed, *text);
}

bool opevo_parse_double(const char *text, double *out)
{
    char *end = NULL;
    double value = 0;

    if (!starts_number(text, "+-.0123456789"))
        return false;
    errno = 0;
    value = strtod(text, &end);
    if (*end || !isfinite(value) || (errno == ERANGE && fabs(value) > 1))
        return false;
    *out = value;
    return true;
}

bool opevo_parse_i64(const char *text, int64_t *out)
{
    char *end = NULL;
    long long value = 0;

    if (!starts_number(text, "+-0123456789"))
        return false;
    errno = 0;
    value = strtoll(text, &end, 10);
    if (*end || end == text || errno)
        return false;
    *out = value;
    return true;
}

bool opevo_parse_u64(const char *text, uint64_t *out)
{
    char *end = NULL;
    unsigned long long value = 0;

    if (!starts_number(text, "0123456789"))
        return false;
    errno = 0;
    value = strtoull(text, &end, 10);
    if (*end || errno)
        return false;
    *out = value;
    return true;
}
