/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The program of a test file that has no main(). It is linked from an archive, as a file of its
 * own, so that others may have theirs. */

#include "check.h"

int main(void)
{
    return check_tests(NULL, NULL);
}
