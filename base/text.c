/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Growing text, strict parsing of numbers, shortest exact printing. */

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

void opevo_text_vprintf(opevo_text *text, const char *format, va_list arguments)
{
    va_list again;
    int length = 0;

    va_copy(again, arguments);
    length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0) {
        text->failed = true;
        return;
    }
    if (!make_room(text, (size_t)length))
        return;
    vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
    text->length += (size_t)length;
}

void opevo_text_printf(opevo_text *text, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    opevo_text_vprintf(text, format, arguments);
    va_end(arguments);
}

/* ---- Foreign text --------------------------------------------------------------------------- */

/* Length of the UTF-8 character at `at`, which goes into *character; 0 if none exists. */
static size_t read_character(const unsigned char *at, uint32_t *character)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = *at < 0x80 ? 1 : *at < 0xc2 ? 0 : *at < 0xe0 ? 2 : *at < 0xf0 ? 3 : 4;
    uint32_t value = *at;

    if (length < 2) {
        *character = value;
        return length;
    }
    value &= 0x7fU >> length;
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        value = value << 6 | (at[i] & 0x3fU);
    }
    *character = value;
    return value < least[length] || value > 0x10ffff || (value >= 0xd800 && value < 0xe000)
               ? 0
               : length;
}

static bool is_control(uint32_t character)
{
    return character < 0x20 || (character >= 0x7f && character < 0xa0);
}

/* Control characters, ends of lines and paragraphs, and what turns the direction of text. */
static bool is_hidden(uint32_t character)
{
    return is_control(character) || (character >= 0x200e && character <= 0x200f) ||
           (character >= 0x2028 && character <= 0x202e) ||
           (character >= 0x2066 && character <= 0x2069);
}

size_t opevo_text_character(const char *at, bool *visible)
{
    uint32_t character = 0;
    size_t length = read_character((const unsigned char *)at, &character);

    *visible = length > 0 && !is_hidden(character);
    return length ? length : 1;
}

size_t opevo_text_character_count(const char *text)
{
    size_t count = 0;

    for (; *text; text++)
        count += ((unsigned char)*text & 0xc0) != 0x80;
    return count;
}

void opevo_text_add_visible(opevo_text *text, const char *piece)
{
    while (*piece) {
        uint32_t character = 0;
        size_t length = read_character((const unsigned char *)piece, &character);

        if (length == 0)
            opevo_text_printf(text, "\\x%02x", (unsigned char)*piece);
        else if (character == '\n' || character == '\t' || character == '\r')
            opevo_text_add(text, character == '\n' ? "\\n" : character == '\t' ? "\\t" : "\\r");
        else if (is_hidden(character))
            opevo_text_printf(text, character < 0x100 ? "\\x%02x" : "\\u%04x", (unsigned)character);
        else
            opevo_text_add_bytes(text, piece, length);
        piece += length ? length : 1;
    }
}

void opevo_text_add_json(opevo_text *text, const char *piece)
{
    opevo_text_add(text, "\"");
    while (*piece) {
        uint32_t character = 0;
        size_t length = read_character((const unsigned char *)piece, &character);

        if (length == 0)
            opevo_text_add(text, "\\ufffd");
        else if (character == '"' || character == '\\')
            opevo_text_printf(text, "\\%c", (char)character);
        else if (character == '\n')
            opevo_text_add(text, "\\n");
        else if (is_hidden(character))
            opevo_text_printf(text, "\\u%04x", (unsigned)character);
        else
            opevo_text_add_bytes(text, piece, length);
        piece += length ? length : 1;
    }
    opevo_text_add(text, "\"");
}

void opevo_text_add_xml(opevo_text *text, const char *piece)
{
    while (*piece) {
        uint32_t character = 0;
        size_t length = read_character((const unsigned char *)piece, &character);

        if (*piece == '<')
            opevo_text_add(text, "&lt;");
        else if (*piece == '>')
            opevo_text_add(text, "&gt;");
        else if (*piece == '&')
            opevo_text_add(text, "&amp;");
        else if (*piece == '"')
            opevo_text_add(text, "&quot;");
        else if (length && (!is_control(character) || character == '\n' || character == '\t'))
            opevo_text_add_bytes(text, piece, length);
        else
            opevo_text_add(text, "\xef\xbf\xbd"); /* U+FFFD; XML has no control characters */
        piece += length ? length : 1;
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
