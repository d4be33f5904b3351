/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How the lanes of one warp meet the banks of shared memory and the lines of global memory. */

#include "simulated_internal.h"

#include <math.h>

enum {
    BANKS = 32,
    WORD = 4,   /* bytes */
    VECTOR = 4, /* words of the widest access */
};

static int ceil_div(int a, int b)
{
    return (a + b - 1) / b;
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

double opevo_i_landscape_bank_cycles(const opevo_i_landscape_device *device, int distinct,
                                     int repeat, int stride, int width, int lanes)
{
    int together = least(lanes, (int)device->shared_words_per_cycle / width);
    int turns = ceil_div(lanes, together);
    /* A stride of 2^i times an odd number visits every 2^i-th group of `width` banks. */
    int groups = BANKS / width;
    int step = stride / width;
    int skip = step & -step;
    int visited = skip == 0 || skip >= groups ? 1 : groups / skip;
    int different = least(distinct, ceil_div(together, repeat));

    return (double)turns * ceil_div(different, visited);
}

double opevo_i_landscape_pieces(int lanes, int stride, int width, int row, int unit)
{
    int in_row = stride >= row ? 1 : least(row / stride, lanes);
    int rows = ceil_div(lanes, in_row);
    int each = ceil_div(width, unit); /* of one lane */
    int of_row = stride < unit ? ceil_div((in_row - 1) * stride + width, unit) : in_row * each;

    return (double)rows * of_row;
}

/* How much longer a tile takes because its rows, `pitch` bytes apart, lie in few channels of the
 * second level. All blocks walk along the rows at about the same pace, so the channels of the other
 * columns are idle, except for those into which the blocks have drifted apart. */
static double crowding(const opevo_i_landscape_device *device, const opevo_i_landscape_copy *copy)
{
    int64_t width = (int64_t)device->channel_bytes;
    int64_t step = copy->pitch / width;
    double skip = (double)(step & -step);
    double used = 0.0;

    if (device->l2_channels <= 1.0 || copy->pitch == 0 || copy->pitch % width != 0)
        return 1.0;
    used = skip < device->l2_channels ? device->l2_channels / skip : 1.0;
    used *= ceil((double)copy->row * WORD / device->channel_bytes) * device->channel_drift;
    return used < device->l2_channels ? device->l2_channels / used : 1.0;
}

void opevo_i_landscape_add_copy(const opevo_i_landscape_device *device,
                                const opevo_i_landscape_copy *copy, int threads,
                                opevo_i_landscape_work *work)
{
    int warp = (int)device->warp_size;
    int lanes = least(threads, warp);
    int warps = ceil_div(threads, warp);
    int width = copy->vector && copy->run % VECTOR == 0 && copy->row % VECTOR == 0 ? VECTOR : 1;
    int line = (int)device->line_bytes / WORD;
    int sector = (int)device->sector_bytes / WORD;
    int instructions = ceil_div(copy->run, width);
    double lines = opevo_i_landscape_pieces(lanes, copy->run, width, copy->row, line);
    double bytes = 0.0;

    /* A thread comes back to a line for its next words: without a first-level cache that holds the
     * lines of the whole block, they are fetched again. */
    if (warps * lines * device->line_bytes <= device->l1_bytes)
        bytes = (double)ceil_div(copy->words, copy->row) *
                ceil_div(least(copy->row, copy->words), sector) * sector * WORD;
    else
        bytes = (double)warps * instructions *
                opevo_i_landscape_pieces(lanes, copy->run, width, copy->row, sector) * sector *
                WORD;
    bytes *= crowding(device, copy);
    work->loads += instructions;
    work->load_lines += instructions * lines;
    work->load_bytes += bytes;
    work->writes += instructions;
    work->write_cycles +=
        instructions * opevo_i_landscape_bank_cycles(device, lanes, 1, copy->run, width, lanes);
}
