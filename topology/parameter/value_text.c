/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Quotes are those of JSON. A byte that is not UTF-8 stays as it is, so that the text reads back as
 * itself. */

#include "value_text.h"

#include <string.h>

/* ---- Quoting ---- */

/* Of opevo_text_character: one byte that is not UTF-8. */
static bool is_stray(char byte, size_t bytes)
{
    return bytes == 1 && (unsigned char)byte >= 0x80;
}

/* Turn the JSON string at the end of `out`, from `begin`, into its contents. */
static void drop_quotes(opevo_text *out, size_t begin)
{
    if (out->failed)
        return;
    memmove(out->data + begin, out->data + begin + 1, out->length - begin - 2);
    out->length -= 2;
    out->data[out->length] = '\0';
}

static void quote(opevo_text *out, const char *text)
{
    opevo_text_add(out, "\"");
    while (*text) {
        bool visible = true;
        char one[8] = "";
        size_t bytes = opevo_text_character(text, &visible);

        memcpy(one, text, bytes);
        if (is_stray(*text, bytes)) {
            opevo_text_add(out, one);
        } else {
            size_t begin = out->length;

            opevo_text_add_json(out, one);
            drop_quotes(out, begin);
        }
        text += bytes;
    }
    opevo_text_add(out, "\"");
}

/* `signs` are the bytes that a bare text may not hold. */
static bool needs_quotes(const char *text, const char *signs)
{
    size_t length = strlen(text);

    if (opevo_value_parse(text).kind != OPEVO_VALUE_TEXT || length == 0 || text[0] == ' ' ||
        text[length - 1] == ' ')
        return true;
    while (*text) {
        bool visible = true;
        size_t bytes = opevo_text_character(text, &visible);

        if ((!visible && !is_stray(*text, bytes)) || strchr(signs, *text))
            return true;
        text += bytes;
    }
    return false;
}

static void print(opevo_text *out, opevo_value value, const char *signs)
{
    if (value.kind == OPEVO_VALUE_TEXT && needs_quotes(value.as.text, signs))
        quote(out, value.as.text);
    else
        opevo_value_print(out, value);
}

void opevo_i_topology_value_print(opevo_text *out, opevo_value value)
{
    print(out, value, "\"'\\,()");
}

void opevo_i_topology_value_print_in_point(opevo_text *out, opevo_value value)
{
    print(out, value, "\"'\\,() =");
}

const char *opevo_i_topology_quoted_end(const char *text)
{
    for (text++; *text && *text != '"'; text++)
        if (*text == '\\' && text[1])
            text++;
    return *text ? text + 1 : NULL;
}

/* The four hexadecimal digits behind "\u". */
static bool read_hex4(const char *digits, uint32_t *out)
{
    uint32_t value = 0;

    for (int i = 0; i < 4; i++) {
        static const char known[] = "0123456789abcdefABCDEF";
        const char *found = digits[i] ? strchr(known, digits[i]) : NULL;

        if (!found)
            return false;
        value = value * 16 + (uint32_t)(found - known < 16 ? found - known : found - known - 6);
    }
    *out = value;
    return true;
}

/* A character up to 0x10ffff as UTF-8, up to four bytes; returns the place behind it. */
static char *put_character(char *out, uint32_t character)
{
    if (character < 0x80) {
        *out++ = (char)character;
        return out;
    }
    if (character < 0x800) {
        *out++ = (char)(0xc0 | character >> 6);
    } else {
        if (character < 0x10000) {
            *out++ = (char)(0xe0 | character >> 12);
        } else {
            *out++ = (char)(0xf0 | character >> 18);
            *out++ = (char)(0x80 | (character >> 12 & 0x3f));
        }
        *out++ = (char)(0x80 | (character >> 6 & 0x3f));
    }
    *out++ = (char)(0x80 | (character & 0x3f));
    return out;
}

/* What stands behind the "\u" at *at, a pair of surrogates included, and step over it. It is never
 * longer in UTF-8. */
static bool read_character(const char **at, char **out)
{
    uint32_t high = 0, low = 0;

    if (!read_hex4(*at, &high) || high == 0)
        return false;
    *at += 4;
    if (high >= 0xd800 && high < 0xe000) {
        if (high >= 0xdc00 || (*at)[0] != '\\' || (*at)[1] != 'u' || !read_hex4(*at + 2, &low) ||
            low < 0xdc00 || low >= 0xe000)
            return false;
        *at += 6;
        high = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
    }
    *out = put_character(*out, high);
    return true;
}

bool opevo_i_topology_unquote(char *text)
{
    static const char escapes[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char *at = text + 1;
    char *out = text;

    while (*at && *at != '"') {
        const char *escape = NULL;

        if (*at != '\\') {
            *out++ = *at++;
            continue;
        }
        at++;
        escape = *at ? strchr(escapes, *at) : NULL;
        if (escape) {
            *out++ = meanings[escape - escapes];
            at++;
        } else if (*at++ != 'u' || !read_character(&at, &out)) {
            return false;
        }
    }
    if (at[0] != '"' || at[1] != '\0')
        return false;
    *out = '\0';
    return true;
}

/* ---- Excerpts ---- */

opevo_i_topology_excerpt opevo_i_topology_excerpt_of(const char *text, size_t length)
{
    opevo_i_topology_excerpt excerpt = {""};
    size_t kept =
        strnlen(text, length < OPEVO_I_EXCERPT_MAX + 1 ? length : OPEVO_I_EXCERPT_MAX + 1);
    bool cut = kept > OPEVO_I_EXCERPT_MAX;

    if (cut)
        for (kept = OPEVO_I_EXCERPT_MAX; kept && ((unsigned char)text[kept] & 0xc0) == 0x80;)
            kept--;
    for (size_t i = 0; i < kept; i++)
        excerpt.text[i] = (unsigned char)text[i] < ' ' || text[i] == 0x7f ? ' ' : text[i];
    strcpy(excerpt.text + kept, cut ? "..." : "");
    return excerpt;
}
