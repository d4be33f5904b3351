/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How text looks. */

#ifndef OPEVO_CLI_STYLE_INTERNAL_H
#define OPEVO_CLI_STYLE_INTERNAL_H

#include <opevo/text.h>

/* Whether the locale (LC_ALL, LC_CTYPE or LANG, the first that is set) lets characters beyond ASCII
 * be printed. */
bool opevo_i_cli_unicode(void);
/* Whether the terminal of the environment (TERM) takes escape sequences. */
bool opevo_i_cli_has_escapes(void);
typedef enum opevo_style { OPEVO_STYLE_STRONG, OPEVO_STYLE_GOOD, OPEVO_STYLE_BAD } opevo_style;
/* Append a text in a style where the descriptor is a terminal that has them and NO_COLOR is not
 * set; otherwise as it is. */
void opevo_i_cli_text_add_styled(opevo_text *out, int descriptor, opevo_style style,
                                 const char *text);
/* Length of a sequence that sets a style, as the above writes it; 0 if none exists. */
size_t opevo_i_cli_colour_length(const char *at);
/* The end of the noun behind a count: "s", or nothing behind 1. */
static inline const char *opevo_i_cli_plural(opevo_index count)
{
    return count == 1 ? "" : "s";
}

#endif
