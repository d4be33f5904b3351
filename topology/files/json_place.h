/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Lines of the parts of a JSON text, for messages: the parser keeps none. The text is known to be
 * JSON, so that nothing but strings, brackets and separators has to be understood; or it is empty,
 * for a tree that was made of another text, and then every place is on line 1. */

#ifndef OPEVO_JSON_PLACE_H
#define OPEVO_JSON_PLACE_H

#include <jansson.h>

/* The beginning of a value or key, and its line from 1. */
typedef struct opevo_i_topology_json_place {
    const char *at;
    size_t line;
} opevo_i_topology_json_place;

/* The outermost value. */
opevo_i_topology_json_place opevo_i_topology_json_place_start(const char *text);
/* The key number `n` (from 0) of an object, the element number `n` of an array; what follows the
 * last one when there are fewer. */
opevo_i_topology_json_place opevo_i_topology_json_place_key(opevo_i_topology_json_place object,
                                                            size_t n);
opevo_i_topology_json_place opevo_i_topology_json_place_element(opevo_i_topology_json_place array,
                                                                size_t n);
/* What stands behind a key or an element: the key's value, the next element. */
opevo_i_topology_json_place opevo_i_topology_json_place_next(opevo_i_topology_json_place place);

/* The value of the member `name` of an object, whose parsed form is `parsed`; the object itself
 * when it has no such member. Cost: linear in the members before it. */
opevo_i_topology_json_place opevo_i_topology_json_place_find(opevo_i_topology_json_place object,
                                                             const json_t *parsed,
                                                             const char *name);

/* Lines of `count` elements of an array. */
void opevo_i_topology_json_place_lines(opevo_i_topology_json_place array, size_t count,
                                       size_t *lines);

#endif
