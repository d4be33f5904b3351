/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Colours and characters that a terminal may lack. */

#include "style_internal.h"

#include <opevo/text.h>

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

bool opevo_i_cli_unicode(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *locale = getenv(names[i]);
        const char *charset = locale ? strchr(locale, '.') : NULL;

        if (locale && *locale)
            return charset &&
                   (!strncasecmp(charset, ".utf-8", 6) || !strncasecmp(charset, ".utf8", 5));
    }
    return false;
}

bool opevo_i_cli_has_escapes(void)
{
    const char *terminal = getenv("TERM");

    return terminal && *terminal && strcmp(terminal, "dumb") != 0;
}

/* NO_COLOR: no-color.org, set and not empty. */
static bool has_styles(int descriptor)
{
    const char *off = getenv("NO_COLOR");

    return !(off && *off) && opevo_i_cli_has_escapes() && isatty(descriptor);
}

void opevo_i_cli_text_add_styled(opevo_text *out, int descriptor, opevo_style style,
                                 const char *text)
{
    static const char *const codes[] = {
        [OPEVO_STYLE_STRONG] = "1", [OPEVO_STYLE_GOOD] = "32", [OPEVO_STYLE_BAD] = "1;31"};

    if (has_styles(descriptor) && *text)
        opevo_text_printf(out, "\033[%sm%s\033[0m", codes[style], text);
    else
        opevo_text_add(out, text);
}

/* "ESC [ 1 ; 31 m" */
size_t opevo_i_cli_colour_length(const char *at)
{
    size_t length = at[0] == '\033' && at[1] == '[' ? 2 + strspn(at + 2, "0123456789;") : 0;

    return length && at[length] == 'm' ? length + 1 : 0;
}
