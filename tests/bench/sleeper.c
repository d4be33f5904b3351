/* SPDX-License-Identifier: GPL-3.0-or-later */

/* sleeper SECONDS...: a program to tune that needs no processor. It sleeps for SECONDS, times
 * $OPEVO_SLEEPER_FACTOR where that is set, as on a host that is slower, and prints SECONDS. */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
    const char *factor = getenv("OPEVO_SLEEPER_FACTOR");
    double seconds = (argc > 1 ? strtod(argv[1], NULL) : 0) * (factor ? strtod(factor, NULL) : 1);
    struct timespec rest = {.tv_sec = (time_t)seconds,
                            .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};

    while (nanosleep(&rest, &rest) < 0)
        continue;
    puts(argc > 1 ? argv[1] : "0");
    return 0;
}
