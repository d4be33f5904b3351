/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels with faults, for test_fibers. */

int gk_thread(int axis);
int gk_block(int axis);
int gk_block_size(int axis);
int gk_grid_size(int axis);
void gk_barrier(void);
void fine(int *out, int n, float scale, double offset, long long wide, signed char narrow);
void beyond(int *out);
void before(int *out);
void deep(int *out);
void divergent(int *out);
void endless(int *out);
void null(int *out);
void reader(int *out);
void racy(int *out);

static int item(void)
{
    return gk_block(0) * gk_block_size(0) + gk_thread(0);
}

void fine(int *out, int n, float scale, double offset, long long wide, signed char narrow)
{
    gk_barrier();
    if (item() < n)
        out[item()] = (int)(scale * (float)item() + (float)offset) + (int)(wide >> 32) + narrow;
}

/* One element behind the end, and 16 KiB before the beginning. */
void beyond(int *out)
{
    out[item() + 1] = 1;
}

void before(int *out)
{
    out[item() - 4096] = 1;
}

static int sink(int depth, volatile int *from)
{
    volatile int kept[1024];

    kept[depth % 1024] = *from;
    return depth > 0 ? sink(depth - 1, kept) + kept[depth % 1024] : 0;
}

void deep(int *out)
{
    out[item()] = sink(1000, out);
}

void divergent(int *out)
{
    if (gk_thread(0) == 3)
        gk_barrier();
    out[item()] = 1;
}

void endless(int *out)
{
    for (volatile int *at = out; *at != 12345;)
        ;
}

void null(int *out)
{
    *(volatile int *)(8 * (long)(out == (int *)0)) = 1;
}

/* What the harness gives no value is all ones. */
void reader(int *out)
{
    out[item()] = out[item()];
}

void racy(int *out)
{
    out[0] = item();
    out[item()] = out[0];
}
