/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The version, out of the header that CMake writes. */

#include <opevo/version.h>

const char *opevo_version(void)
{
    return OPEVO_VERSION;
}
