/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Places of texts: filled where a slot has their name, and left alone elsewhere. */

#include "check.h"

#include <opevo/text_fill.h>

static void check(const char *text, const char *filled)
{
    static const opevo_text_slot slots[] = {{"a", "1"}, {"ab", "@a@"}, {"none", ""}};
    opevo_text out = {0};

    opevo_text_fill(&out, text, slots, 3);
    assert_string_equal(opevo_text_string(&out), filled);
    opevo_text_free(&out);
}

CHECK_TEST(test_places)
{
    check("", "");
    check("no place", "no place");
    check("@a@", "1");
    check("x@a@y@a@", "x1y1");
    check("@a@@a@", "11");
    check("@ab@", "@a@"); /* what is filled in is not filled again */
    check("(@none@)", "()");
}

CHECK_TEST(test_other_signs)
{
    check("@", "@");
    check("@@", "@@");
    check("@b@ @a @ab", "@b@ @a @ab");
    check("mail@a@b", "mail1b");
    check("@@a@", "@1");
    check("@x@a@", "@x1");
}
