/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Ways to put 12 queens on a board: recursion and bits. */

const double expected = 14200, tolerance = 0;

enum { SIZE = 12, ALL = (1 << SIZE) - 1 };

static long place(unsigned columns, unsigned left, unsigned right)
{
    unsigned free_places = ALL & ~(columns | left | right);
    long ways = 0;

    if (columns == ALL)
        return 1;
    while (free_places) {
        unsigned queen = free_places & -free_places;

        free_places ^= queen;
        ways += place(columns | queen, (left | queen) << 1, (right | queen) >> 1);
    }
    return ways;
}

double run(void)
{
    return (double)place(0, 0, 0);
}
