/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "json_place.h"

#include <string.h>

/* Step over blanks and the separators before the next value. */
static opevo_i_topology_json_place skip_blanks(opevo_i_topology_json_place place)
{
    for (; *place.at && strchr(" \t\r\n,:", *place.at); place.at++)
        place.line += *place.at == '\n';
    return place;
}

/* Behind the string that starts here; JSON strings hold no line ends. */
static const char *skip_string(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        at += *at == '\\' && at[1];
    return *at ? at + 1 : at;
}

opevo_i_topology_json_place opevo_i_topology_json_place_next(opevo_i_topology_json_place place)
{
    size_t depth = 0;

    do {
        char c = *place.at;

        if (c == '"') {
            place.at = skip_string(place.at);
        } else if (c && strchr("{[", c)) {
            depth++;
            place.at++;
        } else if (c && strchr("}]", c)) {
            if (depth == 0)
                break; /* there is no next one */
            depth--;
            place.at++;
        } else {
            place.at += strcspn(place.at, "{}[]\", \t\r\n:");
        }
        if (depth > 0)
            place = skip_blanks(place);
    } while (depth > 0 && *place.at);
    return skip_blanks(place);
}

opevo_i_topology_json_place opevo_i_topology_json_place_start(const char *text)
{
    return skip_blanks((opevo_i_topology_json_place){text, 1});
}

opevo_i_topology_json_place opevo_i_topology_json_place_element(opevo_i_topology_json_place array,
                                                                size_t n)
{
    opevo_i_topology_json_place place = array;

    place.at += *array.at != '\0'; /* of no text, every place is the start */
    place = skip_blanks(place);
    while (n-- > 0)
        place = opevo_i_topology_json_place_next(place);
    return place;
}

opevo_i_topology_json_place opevo_i_topology_json_place_key(opevo_i_topology_json_place object,
                                                            size_t n)
{
    return opevo_i_topology_json_place_element(object,
                                               2 * n); /* a key and its value count as one each */
}

opevo_i_topology_json_place opevo_i_topology_json_place_find(opevo_i_topology_json_place object,
                                                             const json_t *parsed, const char *name)
{
    size_t n = 0;
    const char *key = NULL;
    json_t *value = NULL;

    json_object_foreach((json_t *)parsed, key, value)
    {
        if (strcmp(key, name) == 0)
            return opevo_i_topology_json_place_next(opevo_i_topology_json_place_key(object, n));
        n++;
    }
    return object;
}

void opevo_i_topology_json_place_lines(opevo_i_topology_json_place array, size_t count,
                                       size_t *lines)
{
    opevo_i_topology_json_place place = opevo_i_topology_json_place_element(array, 0);

    for (size_t i = 0; i < count; i++, place = opevo_i_topology_json_place_next(place))
        lines[i] = place.line;
}
