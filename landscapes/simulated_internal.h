/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Private to the simulated landscapes: the device, what a schedule asks of it, and the time that
 * this takes. docs/simulator.md derives the model and lists its constants. */

#ifndef OPEVO_SIMULATED_INTERNAL_H
#define OPEVO_SIMULATED_INTERNAL_H

#include <opevo/landscape.h>

/* Raised whenever the same point may get another time: part of every signature. */
#define OPEVO_I_MODEL_VERSION UINT64_C(1)

/* The numbers of a device file: key and member, lowest and highest value allowed, whether it must
 * be whole. A "processor" is what shares one shared memory (streaming multiprocessor, compute
 * unit), a "warp" what executes one instruction together (warp, wavefront); cycles are of
 * clock_ghz. docs/how-to describes each.
 */
#define OPEVO_I_DEVICE_NUMBERS(X)                                                                  \
    /* limits of one launch */                                                                     \
    X(max_threads, 1, 4096, true)                                                                  \
    X(max_shared_bytes, 1, 262144, true)                                                           \
    X(max_block_z, 1, 65536, true)                                                                 \
    X(max_grid_y, 1, 4294967295.0, true)                                                           \
    X(max_grid_z, 1, 4294967295.0, true)                                                           \
    /* processors */                                                                               \
    X(processors, 1, 1e6, true)                                                                    \
    X(clock_ghz, 0.01, 100, false)                                                                 \
    X(schedulers, 1, 64, true)                                                                     \
    X(lanes, 1, 1024, true)                                                                        \
    X(issue, 0.1, 16, false)                                                                       \
    X(integer_share, 0, 1, false)                                                                  \
    X(warp_size, 1, 1024, true)                                                                    \
    X(max_warps, 1, 4096, true)                                                                    \
    X(max_blocks, 1, 4096, true)                                                                   \
    X(registers, 1024, 1e9, true)                                                                  \
    X(max_registers, 16, 65536, true)                                                              \
    X(register_granule, 1, 256, true)                                                              \
    X(shared_bytes, 1024, 1e9, true)                                                               \
    X(shared_words_per_cycle, 4, 1024, true)                                                       \
    X(instruction_bytes, 1, 64, true)                                                              \
    X(instruction_cache_bytes, 256, 1e9, true)                                                     \
    /* memory */                                                                                   \
    X(line_bytes, 4, 4096, true)                                                                   \
    X(sector_bytes, 4, 4096, true)                                                                 \
    X(l1_bytes, 0, 1e9, true)                                                                      \
    X(l2_bytes, 1024, 1e12, true)                                                                  \
    X(l2_bytes_per_cycle, 1, 1e9, false)                                                           \
    X(l2_channels, 1, 4096, true)                                                                  \
    X(channel_bytes, 4, 1048576, true)                                                             \
    X(dram_gb_per_s, 0.1, 1e6, false)                                                              \
    /* latencies in cycles */                                                                      \
    X(fma_latency, 1, 1000, true)                                                                  \
    X(shared_latency, 1, 10000, true)                                                              \
    X(memory_latency, 1, 100000, true)                                                             \
    /* free constants */                                                                           \
    X(compute_efficiency, 0.01, 1, false)                                                          \
    X(dram_efficiency, 0.01, 1, false)                                                             \
    X(overlap, 0, 1, false)                                                                        \
    X(channel_drift, 1, 4096, false)                                                               \
    X(launch_us, 0, 1e6, false)

typedef struct opevo_i_landscape_device {
#define OPEVO_I_DEVICE_MEMBER(name, low, high, whole) double name;
    OPEVO_I_DEVICE_NUMBERS(OPEVO_I_DEVICE_MEMBER)
#undef OPEVO_I_DEVICE_MEMBER
} opevo_i_landscape_device;

/* The device files of devices/, as the build embeds them. */
typedef struct opevo_i_landscape_embedded_device {
    const char *name, *title, *json;
} opevo_i_landscape_embedded_device;
extern const opevo_i_landscape_embedded_device opevo_i_landscape_embedded_devices[];
extern const size_t opevo_i_landscape_embedded_device_count;

/* Whether it is a name of the table; otherwise it is a path. */
bool opevo_i_landscape_device_is_known(const char *device);
/* A name of the table, or the path of a device file (a text that holds a '/' or ends in ".json").
 * Errors: INVALID with the known names, or the key of the file that is missing, unknown or out of
 * its range; IO. */
opevo_status opevo_i_landscape_device_load(const char *device, opevo_i_landscape_device *out,
                                           opevo_error *err);

/* What a launch needs, known before anything is built. */
typedef struct opevo_i_landscape_launch {
    double threads, block_z; /* of one block */
    double grid_x, grid_y, grid_z;
    double shared_bytes; /* of one block */
    bool compiles;
} opevo_i_landscape_launch;

/* What one block does. A stage loads one tile of the operands into shared memory and works on it.
 * Instructions are counted for one thread, cycles and lines for one warp, bytes for the block. */
typedef struct opevo_i_landscape_work {
    double registers;    /* that a thread would like to have */
    double accumulators; /* independent sums of a thread */
    double statements;   /* multiply-adds in the unrolled body of the stage loop */
    double indexed;      /* of them, those that index registers and must be unrolled */
    double stages;
    double syncs;              /* barriers in a stage */
    double fma;                /* multiply-adds in a stage */
    double rounds;             /* times in a stage that a thread waits for shared memory */
    double index;              /* integer and branch instructions in a stage */
    double reads, read_cycles; /* from shared memory, in a stage */
    double loads, load_lines, load_bytes;    /* from global memory, in a stage */
    double writes, write_cycles;             /* to shared memory, in a stage */
    double stores, store_lines, store_bytes; /* to global memory, at the end */
    double row_bytes,
        column_bytes; /* read by a row and by a column of blocks; 0: all is read once */
    double operand_bytes, result_bytes; /* of the whole operator */
} opevo_i_landscape_work;

enum { OPEVO_I_SLOTS = 4, OPEVO_I_PARAMETERS = 8 };

/* One point in values: factor[i] are the components of parameter i of opevo_operator_space. */
typedef struct opevo_i_landscape_factors {
    const int32_t *factor[OPEVO_I_PARAMETERS];
} opevo_i_landscape_factors;

/* How a schedule of the paper uses the device: limits first, since most points break one. The work
 * is defined only for launches within the limits of the device. */
typedef struct opevo_i_landscape_schedule {
    void (*launch)(const opevo_operator *op, const opevo_i_landscape_factors *point,
                   opevo_i_landscape_launch *out);
    void (*work)(const opevo_operator *op, const opevo_i_landscape_device *device,
                 const opevo_i_landscape_factors *point, opevo_i_landscape_work *out);
    /* The loop tree (opevo/loop_tree.h); returns the number of rows. */
    size_t (*tree)(const opevo_operator *op, const opevo_i_landscape_factors *point, float *rows);
} opevo_i_landscape_schedule;
extern const opevo_i_landscape_schedule opevo_i_landscape_matmul_schedule; /* batches too */
extern const opevo_i_landscape_schedule opevo_i_landscape_conv2d_schedule;
size_t opevo_i_landscape_matmul_tree(const opevo_operator *op,
                                     const opevo_i_landscape_factors *point, float *rows);
size_t opevo_i_landscape_conv2d_tree(const opevo_operator *op,
                                     const opevo_i_landscape_factors *point, float *rows);

/* The best point of an objective, kept in the user's cache folder under the objective's signature
 * (optimum_cache.c). Reading gives false for a missing or damaged file, or one of another
 * signature; the caller must still evaluate the point and compare. Writing does its best: a folder
 * that cannot be written only costs the enumeration next time. */
bool opevo_i_landscape_optimum_read(uint64_t signature, opevo_optimum *out);
void opevo_i_landscape_optimum_write(uint64_t signature, const opevo_optimum *optimum);

/* OPEVO_OUTCOME_OK, or the class of the first limit that the launch breaks, in the order in which
 * the paper's harness meets them: threads and shared memory are checked before building, then comes
 * the compiler, then the launch. */
opevo_outcome_class opevo_i_landscape_launch_check(const opevo_i_landscape_device *device,
                                                   const opevo_i_landscape_launch *launch);

/* Seconds of one execution. */
double opevo_i_landscape_gpu_time_s(const opevo_i_landscape_device *device,
                                    const opevo_i_landscape_launch *launch,
                                    const opevo_i_landscape_work *work);

/* ---- Memory access patterns of one warp (gpu_access.c) ---- */

/* Cycles that shared memory (32 banks of one word) needs for one instruction that reads or writes
 * `width` words a lane. `repeat` neighbouring lanes use the same address, the next `repeat` lanes
 * one that lies `stride` words further, and so on for `distinct` addresses. As many lanes are
 * served together as shared_words_per_cycle allows; each group of lanes waits for the longest queue
 * at one of its banks. */
double opevo_i_landscape_bank_cycles(const opevo_i_landscape_device *device, int distinct,
                                     int repeat, int stride, int width, int lanes);

/* Pieces of `unit` words of global memory touched by one instruction in which `lanes` lanes access
 * `width` words, `stride` words apart, in a tile whose rows of `row` words are contiguous. */
double opevo_i_landscape_pieces(int lanes, int stride, int width, int row, int unit);

/* A tile of `words` words copied from global to shared memory by all threads of a block; thread i
 * copies the run of `run` words from i * run on, in groups of 4 words where `vector` and alignment
 * allow it. */
typedef struct opevo_i_landscape_copy {
    int words, run;
    int row; /* words that are contiguous in global memory */
    bool vector;
    int64_t pitch; /* bytes from row to row, where all blocks walk along the rows together; or 0 */
} opevo_i_landscape_copy;

/* Add the instructions, lines, bytes and bank cycles of the copy to the work. */
void opevo_i_landscape_add_copy(const opevo_i_landscape_device *device,
                                const opevo_i_landscape_copy *copy, int threads,
                                opevo_i_landscape_work *work);

#endif
