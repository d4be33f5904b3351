/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One version: that of the library, of the macros, and of the program. */

#include "check.h"

#include <opevo/version.h>

CHECK_TEST(the_library_is_of_its_headers)
{
    char text[64];

    snprintf(text, sizeof text, "%d.%d.%d", OPEVO_VERSION_MAJOR, OPEVO_VERSION_MINOR,
             OPEVO_VERSION_PATCH);
    assert_string_equal(opevo_version(), text);
    assert_string_equal(opevo_version(), OPEVO_VERSION);
}
