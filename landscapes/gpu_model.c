/* SPDX-License-Identifier: GPL-3.0-or-later */

/* From a device and what one block does to the time of the whole kernel. docs/simulator.md derives
 * every line. */

#include "simulated_internal.h"

#include <math.h>

/* Constants of every device. */
static const double barrier_cycles = 30.0;       /* from the last arrival to the next instruction */
static const double private_statements = 1024.0; /* more are not unrolled by the compiler */
static const double fetch_penalty = 1.0; /* issue slots lost for one instruction out of the cache */
static const double block_instructions = 64.0; /* before the first stage */
static const double result_instructions = 2.0; /* to clear one sum, and to address its store */
static const double word_bytes = 4.0;

opevo_outcome_class opevo_i_landscape_launch_check(const opevo_i_landscape_device *device,
                                                   const opevo_i_landscape_launch *launch)
{
    if (launch->threads > device->max_threads || launch->shared_bytes > device->max_shared_bytes)
        return OPEVO_OUTCOME_REJECTED;
    if (!launch->compiles)
        return OPEVO_OUTCOME_BUILD_ERROR;
    if (launch->block_z > device->max_block_z || launch->grid_y > device->max_grid_y ||
        launch->grid_z > device->max_grid_z)
        return OPEVO_OUTCOME_LAUNCH_ERROR;
    return OPEVO_OUTCOME_OK;
}

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

/* Two things that happen at the same time: the longer one, and of the shorter one the part that the
 * device does not hide. */
static double beside(double a, double b, double overlap)
{
    return most(a, b) + (1.0 - overlap) * least(a, b);
}

/* How the block lies on a processor. */
typedef struct occupancy {
    double warps;    /* of one block */
    double resident; /* blocks that fit on a processor together */
    double spilled;  /* registers of a thread that live in memory */
} occupancy;

static occupancy occupy(const opevo_i_landscape_device *d, const opevo_i_landscape_launch *launch,
                        const opevo_i_landscape_work *work)
{
    occupancy out = {.warps = ceil(launch->threads / d->warp_size)};
    double of_scheduler = d->registers / d->schedulers / d->warp_size;
    double together = ceil(out.warps / d->schedulers);
    double allowed = floor(of_scheduler / together / d->register_granule) * d->register_granule;
    double given = ceil(work->registers / d->register_granule) * d->register_granule;
    double blocks = least(d->max_blocks, floor(d->max_warps / out.warps));

    /* An array that is not unrolled away cannot live in registers. */
    if (work->indexed > private_statements)
        out.spilled = work->accumulators;
    allowed = most(least(allowed, d->max_registers), d->register_granule);
    if (given > allowed) {
        out.spilled = most(out.spilled, work->registers - allowed);
        given = allowed;
    }
    blocks = least(blocks, floor(floor(of_scheduler / given) * d->schedulers / out.warps));
    blocks = least(blocks, floor(d->shared_bytes / launch->shared_bytes));
    out.resident = most(blocks, 1.0);
    return out;
}

/* What a stage asks of the parts of a processor, for one warp in cycles. */
typedef struct demand {
    double fma, issue;    /* of its scheduler */
    double shared, lines; /* of the processor */
    double bytes;         /* of the second level, for the block */
} demand;

static demand stage_demand(const opevo_i_landscape_device *d, const occupancy *o,
                           const opevo_i_landscape_work *work)
{
    /* A spilled register is read and written once in each round. */
    double spills = 2.0 * o->spilled * work->rounds;
    double instructions =
        work->fma + work->index + work->reads + work->loads + work->writes + spills;
    double code =
        (work->statements + work->reads + work->loads + work->writes) * d->instruction_bytes;
    double missed = code > d->instruction_cache_bytes
                        ? fetch_penalty * (1.0 - d->instruction_cache_bytes / code)
                        : 0.0;
    double spill_bytes = d->warp_size * word_bytes;

    return (demand){
        .fma = (work->fma / d->compute_efficiency + work->index * d->integer_share) * d->warp_size /
               d->lanes,
        .issue = instructions * (1.0 + missed) / d->issue,
        .shared = work->read_cycles + work->write_cycles,
        .lines = work->load_lines + spills * spill_bytes / d->line_bytes,
        .bytes = work->load_bytes + spills * spill_bytes * o->warps,
    };
}

/* Cycles of one stage of `blocks` blocks on one processor. */
static double stage_cycles(const opevo_i_landscape_device *d, const occupancy *o,
                           const opevo_i_landscape_work *work, const demand *stage, double blocks)
{
    double warps = blocks * o->warps;
    double of_scheduler = ceil(warps / d->schedulers);
    double alone = ceil(o->warps / d->schedulers);
    double ready = least(1.0, of_scheduler * work->accumulators / d->fma_latency);
    double compute = of_scheduler * most(stage->fma / ready, stage->issue);
    double shared = warps * stage->shared;
    double memory =
        most(warps * stage->lines, blocks * stage->bytes / (d->l2_bytes_per_cycle / d->processors));
    double busy = most(compute, most(shared, memory));
    double throughput = busy + (1.0 - d->overlap) * (compute + shared + memory - busy);
    double own = most(stage->fma, stage->issue);
    double latency = d->memory_latency + work->syncs * barrier_cycles +
                     most(alone * own, own + work->rounds * d->shared_latency);
    double square = throughput * throughput;

    latency *= latency;
    return sqrt(sqrt(square * square + latency * latency));
}

/* Cycles that `blocks` blocks spend outside of their stages. Waiting for the first tile and storing
 * the results counts for one block only, since the blocks beside it hide theirs. */
static double edge_cycles(const opevo_i_landscape_device *d, const occupancy *o,
                          const opevo_i_landscape_launch *launch,
                          const opevo_i_landscape_work *work, double blocks)
{
    double alu = ceil(blocks * o->warps / d->schedulers) *
                 (block_instructions + result_instructions * work->accumulators) * d->warp_size /
                 d->lanes;
    double all = launch->grid_x * launch->grid_y * launch->grid_z;
    double dram_per_cycle = d->dram_gb_per_s / d->clock_ghz * d->dram_efficiency;
    double lines = o->warps * work->store_lines;
    double second = work->store_bytes * d->processors / d->l2_bytes_per_cycle;
    double dram = work->result_bytes / all * d->processors / dram_per_cycle;

    return alu + 2.0 * d->memory_latency + most(lines, most(second, dram));
}

/* Bytes moved to and from memory. Blocks that run together share rows and columns through the
 * second-level cache; operands that fit in it are read once. */
static double dram_bytes(const opevo_i_landscape_device *d, const opevo_i_landscape_launch *launch,
                         const opevo_i_landscape_work *work, double together)
{
    double read = work->operand_bytes;

    if (work->row_bytes > 0.0 && work->operand_bytes > d->l2_bytes) {
        double rounds = most(1.0, launch->grid_x * launch->grid_y / together);
        double rows = least(launch->grid_y, ceil(together / launch->grid_x));
        double columns = least(launch->grid_x, together);

        read = most(read, rounds * (rows * work->row_bytes + columns * work->column_bytes));
    }
    return read + work->result_bytes;
}

double opevo_i_landscape_gpu_time_s(const opevo_i_landscape_device *device,
                                    const opevo_i_landscape_launch *launch,
                                    const opevo_i_landscape_work *work)
{
    const opevo_i_landscape_device *d = device;
    occupancy o = occupy(d, launch, work);
    demand stage = stage_demand(d, &o, work);
    double blocks = ceil(launch->grid_x * launch->grid_y * launch->grid_z / d->processors);
    double together = least(o.resident, blocks);
    double turns = floor(blocks / together);
    double rest = blocks - turns * together;
    double cycles = turns * (work->stages * stage_cycles(d, &o, work, &stage, together) +
                             edge_cycles(d, &o, launch, work, together));
    double compute_s = 0.0;
    double memory_s = dram_bytes(d, launch, work, together * d->processors) /
                      (d->dram_gb_per_s * 1e9 * d->dram_efficiency);

    if (rest > 0.0)
        cycles += work->stages * stage_cycles(d, &o, work, &stage, rest) +
                  edge_cycles(d, &o, launch, work, rest);
    compute_s = cycles / (d->clock_ghz * 1e9);
    return d->launch_us * 1e-6 + beside(compute_s, memory_s, d->overlap);
}
