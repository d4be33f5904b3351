/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The edit distance of two texts: a table of integers, each of which needs three neighbours. */

enum { LENGTH = 1500 };

const double expected = 1057, tolerance = 0;

static unsigned char a[LENGTH], b[LENGTH];
static int row[LENGTH + 1];

static int least(int x, int y)
{
    return x < y ? x : y;
}

double run(void)
{
    unsigned seed = 7;

    for (int i = 0; i < LENGTH; i++) {
        seed = seed * 1103515245u + 12345u;
        a[i] = seed >> 16 & 7;
        b[i] = seed >> 20 & 7;
    }
    for (int j = 0; j <= LENGTH; j++)
        row[j] = j;
    for (int i = 1; i <= LENGTH; i++) {
        int diagonal = row[0];

        row[0] = i;
        for (int j = 1; j <= LENGTH; j++) {
            int above = row[j];

            row[j] = least(least(above, row[j - 1]) + 1, diagonal + (a[i - 1] != b[j - 1]));
            diagonal = above;
        }
    }
    return row[LENGTH];
}
