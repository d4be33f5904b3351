/* SPDX-License-Identifier: GPL-3.0-or-later */

#include <opevo/json_duplicate.h>

#include <stdio.h>
#include <string.h>

/* Behind the string that starts at byte i, at most `end`. */
static size_t skip_string(const char *text, size_t i, size_t end)
{
    for (i++; i < end && text[i] != '"'; i++)
        i += text[i] == '\\';
    return i < end ? i + 1 : end;
}

/* The start of the last string before `end`, and how many brackets are open there. */
static size_t find_last_string(const char *text, size_t end, size_t *depth)
{
    size_t last = end;

    *depth = 0;
    for (size_t i = 0; i < end;) {
        if (text[i] == '"') {
            last = i;
            i = skip_string(text, i, end);
            continue;
        }
        *depth += text[i] == '{' || text[i] == '[';
        *depth -= *depth && (text[i] == '}' || text[i] == ']');
        i++;
    }
    return last;
}

/* Each string at the depth of the key, since the last bracket that opened this depth, is a
 * candidate; what is followed by a colon is a key. */
size_t opevo_json_first_line(const char *text, size_t end)
{
    size_t key_depth = 0, depth = 0, line = 1, found = 0;
    size_t key = find_last_string(text, end, &key_depth);

    for (size_t i = 0; i < key;) {
        size_t behind = i + 1;

        if (text[i] == '"') {
            size_t colon = 0;

            behind = skip_string(text, i, key);
            colon = behind + strspn(text + behind, " \t\r\n");
            if (!found && depth == key_depth && behind - i == end - key &&
                memcmp(text + i, text + key, end - key) == 0 && text[colon] == ':')
                found = line;
        } else if (text[i] == '{' || text[i] == '[') {
            if (++depth == key_depth)
                found = 0; /* of another object */
        } else if (text[i] == '}' || text[i] == ']') {
            depth -= depth > 0;
        }
        line += text[i] == '\n';
        i = behind;
    }
    return found;
}

void opevo_json_fault(const char *text, size_t end, bool duplicate, const char *fault,
                      char out[OPEVO_JSON_FAULT_SIZE])
{
    size_t line = duplicate ? opevo_json_first_line(text, end) : 0;
    size_t depth = 0;
    size_t key = line ? find_last_string(text, end, &depth) : end;

    if (line)
        snprintf(out, OPEVO_JSON_FAULT_SIZE,
                 "the member %.*s%s is a duplicate of that in line %zu; remove one of them",
                 (int)(end - key > 80 ? 80 : end - key), text + key, end - key > 80 ? "..." : "",
                 line);
    else
        snprintf(out, OPEVO_JSON_FAULT_SIZE, "%s", fault);
}
