/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The forms of a text that somebody wrote: so that it reads back as the same value, and cut for a
 * message. */

#ifndef OPEVO_VALUE_TEXT_H
#define OPEVO_VALUE_TEXT_H

#include <opevo/value.h>

/* Print a value so that it reads back as what it is: as opevo_value_print, but a text stands as a
 * JSON string when it is empty, looks like a number or a truth value, begins or ends with a blank,
 * or holds a control character, a comma, a quote, a backslash or a parenthesis. */
void opevo_i_topology_value_print(opevo_text *out, opevo_value value);
/* The same inside a point, where blanks and '=' have a meaning of their own: a text that holds one
 * is quoted as well. */
void opevo_i_topology_value_print_in_point(opevo_text *out, opevo_value value);

/* Behind the JSON string whose opening quote stands at `text`; NULL when it is not closed. */
const char *opevo_i_topology_quoted_end(const char *text);

/* Replace a JSON string, which fills `text` from quote to quote, by what it stands for. Bytes that
 * are not UTF-8 stay as they are. False, with `text` spoilt, for a wrong escape, \u0000 or a quote
 * that closes too early. */
bool opevo_i_topology_unquote(char *text);

/* What a message shows of a text that somebody else wrote: its first bytes, at most
 * OPEVO_I_EXCERPT_MAX, with "..." when that is not all. No UTF-8 character is cut in two, and
 * control characters become blanks. */
enum { OPEVO_I_EXCERPT_MAX = 60 };
typedef struct opevo_i_topology_excerpt {
    char text[OPEVO_I_EXCERPT_MAX + sizeof "..."];
} opevo_i_topology_excerpt;
opevo_i_topology_excerpt opevo_i_topology_excerpt_of(const char *text,
                                                     size_t length); /* up to a zero byte */

/* The excerpt as an argument of a call; it lives until the call returns. */
#define OPEVO_I_EXCERPT(string) (opevo_i_topology_excerpt_of((string), SIZE_MAX).text)
#define OPEVO_I_EXCERPT_BYTES(start, length) (opevo_i_topology_excerpt_of((start), (length)).text)

#endif
