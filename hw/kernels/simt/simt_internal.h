/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The machine that interprets: kernels, their memory, and the launch that runs. */

#ifndef OPEVO_SIMT_INTERNAL_H
#define OPEVO_SIMT_INTERNAL_H

#include "simt_access_internal.h"
#include "simt_costs_internal.h"

/* Stamps start anew in the launch behind the first of these; a launch ends with the second, which
 * leaves some for the rest of a basic block. */
#define OPEVO_I_SIMT_LATE_STAMP (UINT32_C(1) << 31)
#define OPEVO_I_SIMT_LAST_STAMP (UINT32_MAX - 2 * OPEVO_I_SIMT_CODE_LIMIT)

/* A parallel region that runs. */
typedef struct opevo_i_simt_fork_state {
    uint64_t thread, threads; /* the present one, and how many there are */
    bool open, shared_out, outer_races;
    bool stale; /* a variable that iterations change holds something before them */
} opevo_i_simt_fork_state;

/* Where each thread of a region has memory of its own: slot i of `bytes` bytes from `from` on. */
typedef struct opevo_i_simt_thread_memory {
    uint32_t buffer;
    uint64_t from, bytes;
} opevo_i_simt_thread_memory;
enum { OPEVO_I_SIMT_THREAD_ALIGN = 64 };

struct opevo_simt {
    const opevo_simt_costs *costs;
    opevo_simt_options options;
    opevo_i_simt_operation *const *operations;
    /* Code */
    opevo_i_simt_code *code;
    size_t code_count, code_capacity;
    opevo_i_simt_case *cases;
    size_t case_count, case_capacity;
    opevo_i_simt_place *places;
    size_t place_count, place_capacity;
    char **words;
    size_t word_count, word_capacity;
    opevo_i_simt_kernel *kernels;
    size_t kernel_count, kernel_capacity;
    unsigned granule_shift; /* log2 of the bytes of a cell */
    unsigned value_shift;   /* log2 of the bytes of the least float */
    /* Memory: region 0 means none; then variables and local memory; then buffers */
    opevo_i_simt_region *regions;
    size_t region_count, region_capacity, first_buffer;
    size_t allocated_regions; /* whose shadows are kept for reuse */
    /* Launch */
    const opevo_simt_launch *launch;
    const opevo_i_simt_kernel *kernel;
    opevo_simt_result *result;
    opevo_i_simt_warp *warps;
    size_t warp_count, warp_capacity;
    uint8_t *files;
    size_t files_capacity;
    opevo_i_simt_pending *pendings;
    size_t pendings_capacity;
    uint32_t *block_order;
    size_t block_order_capacity;
    uint32_t block[3];
    uint32_t launch_number;
    uint32_t stamp, launch_stamp, block_stamp;
    uint32_t interval_stamp,
        fence_stamp; /* of the last barrier for shared, and for global memory */
    uint64_t steps, cost;
    bool races; /* are looked for: the launch or a region has two threads */
    bool forks; /* some kernel has a parallel region */
    opevo_i_simt_fork_state fork;
    opevo_i_simt_thread_memory threads;
    opevo_simt_counts counts;
    uint32_t notable_rounding; /* place of the first one, or NOWHERE */
    uint32_t doubtful; /* place of what was done first that other orders change, or NOWHERE */
    const char *doubt; /* why */
};

/* What other orders of threads change, as opevo_simt_doubt has it; the first one is kept. */
void opevo_i_simt_doubt(opevo_simt *self, uint32_t place, const char *why);

/* Whether what an atomic operation gives depends on the order of threads, of which one is run: in
 * other arithmetics than that of floats it then counts as unknown. */
static inline bool opevo_i_simt_is_ordered(const opevo_simt *self)
{
    return self->options.arithmetic && (!self->options.one_lane || self->fork.open);
}

/* simt_fork.c: regions of OpenMP */
void opevo_i_simt_fork(opevo_simt *self);
void opevo_i_simt_thread(opevo_simt *self, const opevo_i_simt_warp *warp,
                         const opevo_i_simt_code *code);
/* Whether the region is over. */
bool opevo_i_simt_join(opevo_simt *self);
void opevo_i_simt_fresh(opevo_simt *self, const opevo_i_simt_warp *warp,
                        const opevo_i_simt_code *code);
bool opevo_i_simt_share(opevo_simt *self, const opevo_i_simt_warp *warp,
                        const opevo_i_simt_code *code);

/* Operations in the order of opevo_i_simt_number, for any processor. Hook of tests. */
extern opevo_i_simt_operation *const opevo_i_simt_any_operations[];
/* The same with AVX2 and FMA, and the fastest that this processor has. */
extern opevo_i_simt_operation *const opevo_i_simt_wide_operations[];
opevo_i_simt_operation *const *opevo_i_simt_operations(void);
/* The same of lane 0 alone. */
extern opevo_i_simt_operation *const opevo_i_simt_lane_operations[];

/* simt_decode.c */
opevo_status opevo_i_simt_decode(opevo_simt *self, struct LLVMOpaqueModule *module,
                                 opevo_error *err);

/* simt_fault.c: end the launch; returns false. The sentence goes behind "U5 (line 3) of thread
 * (0, 0, 0) in block (0, 0, 0) ". */
bool opevo_i_simt_fault(opevo_simt *self, const opevo_i_simt_warp *warp, uint32_t place,
                        unsigned lane, opevo_simt_outcome outcome, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
/* The same for an undefined value: named is where it comes from, if that is known. */
bool opevo_i_simt_fault_undefined(opevo_simt *self, const opevo_i_simt_warp *warp,
                                  const opevo_i_simt_code *code, uint32_t origin, uint32_t lanes,
                                  const char *use);
#ifdef __clang_analyzer__ /* which does not look into other files to see that they return false */
#define opevo_i_simt_fault(...) ((void)opevo_i_simt_fault(__VA_ARGS__), false)
#define opevo_i_simt_fault_undefined(...) ((void)opevo_i_simt_fault_undefined(__VA_ARGS__), false)
#endif

static inline uint64_t opevo_i_simt_cost_of(const opevo_simt *self, opevo_i_simt_cost which)
{
    return self->costs->cost[which];
}

#endif
