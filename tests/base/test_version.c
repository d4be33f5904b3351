/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One version: that of the library, of the macros, and of the program. */

#include "check.h"

#include <opevo/version.h>

#include <string.h>

CHECK_TEST(the_library_is_of_its_headers)
{
    char text[64];

    snprintf(text, sizeof text, "%d.%d.%d", OPEVO_VERSION_MAJOR, OPEVO_VERSION_MINOR,
             OPEVO_VERSION_PATCH);
    assert_string_equal(opevo_version(), text);
    assert_string_equal(opevo_version(), OPEVO_VERSION);
}

/* The note is a hash of 20 bytes; that it is the one of this file is what the linker wrote
 * there. */
CHECK_TEST(a_build_has_an_id)
{
    const char *build = opevo_build();

    assert_int_equal(strlen(build), 40);
    assert_int_equal(strspn(build, "0123456789abcdef"), 40);
    assert_ptr_equal(build, opevo_build());
}
