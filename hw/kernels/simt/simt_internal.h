/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Decoded kernels, the memory of a launch with its shadows, and warps. */

#ifndef OPEVO_SIMT_INTERNAL_H
#define OPEVO_SIMT_INTERNAL_H

#include <opevo/simt.h>

#include <assert.h>
#include <stdint.h>

enum {
    OPEVO_I_SIMT_LANES = 32,
    OPEVO_I_SIMT_THREADS = 1024, /* of a block at most */
    OPEVO_I_SIMT_WARPS = OPEVO_I_SIMT_THREADS / OPEVO_I_SIMT_LANES,
    OPEVO_I_SIMT_SECTOR = 32, /* bytes */
    OPEVO_I_SIMT_BANKS = 32,
    OPEVO_I_SIMT_HANDLE_SHIFT = 40,    /* of an address: the region above, the offset below */
    OPEVO_I_SIMT_CODE_LIMIT = 1000000, /* below 2^20: opevo_i_simt_trace */
    OPEVO_I_SIMT_VALUE_SIZE = sizeof(opevo_simt_value) /* of a lane, where floats are values */
};
#define OPEVO_I_SIMT_NOWHERE UINT32_MAX /* no place in the code, no register, no name */
/* In the origin of an undefined register: it comes of values. */
#define OPEVO_I_SIMT_OF_DATA (UINT32_C(1) << 31)
/* Stamps start anew in the launch behind the first of these; a launch ends with the second, which
 * leaves some for the rest of a basic block. */
#define OPEVO_I_SIMT_LATE_STAMP (UINT32_C(1) << 31)
#define OPEVO_I_SIMT_LAST_STAMP (UINT32_MAX - 2 * OPEVO_I_SIMT_CODE_LIMIT)

/* ---- Costs ---- */

/* One row for each constant: enum suffix, key in the file. */
#define OPEVO_I_SIMT_COST_LIST(X)                                                                  \
    X(INTEGER, "integer")                                                                          \
    X(INTEGER_64, "integer-64")                                                                    \
    X(MULTIPLY, "multiply")                                                                        \
    X(MULTIPLY_64, "multiply-64")                                                                  \
    X(DIVIDE, "divide")                                                                            \
    X(DIVIDE_64, "divide-64")                                                                      \
    X(FLOAT_16, "float-16")                                                                        \
    X(FLOAT_32, "float-32")                                                                        \
    X(FLOAT_64, "float-64")                                                                        \
    X(FLOAT_DIVIDE_32, "float-divide-32")                                                          \
    X(FLOAT_DIVIDE_64, "float-divide-64")                                                          \
    X(SPECIAL, "special")                                                                          \
    X(FUNCTION_32, "function-32")                                                                  \
    X(FUNCTION_64, "function-64")                                                                  \
    X(COUNT_BITS, "count-bits")                                                                    \
    X(CONVERT, "convert")                                                                          \
    X(CONVERT_64, "convert-64")                                                                    \
    X(SELECT, "select")                                                                            \
    X(SHUFFLE, "shuffle")                                                                          \
    X(VOTE, "vote")                                                                                \
    X(BRANCH, "branch")                                                                            \
    X(DIVERGENCE, "divergence")                                                                    \
    X(BARRIER, "barrier")                                                                          \
    X(WARP_BARRIER, "warp-barrier")                                                                \
    X(GLOBAL_ACCESS, "global-access")                                                              \
    X(GLOBAL_SECTOR, "global-sector")                                                              \
    X(CONSTANT_ACCESS, "constant-access")                                                          \
    X(CONSTANT_WORD, "constant-word")                                                              \
    X(LOCAL_ACCESS, "local-access")                                                                \
    X(SHARED_ACCESS, "shared-access")                                                              \
    X(SHARED_CONFLICT, "shared-conflict")                                                          \
    X(ATOMIC_GLOBAL, "atomic-global")                                                              \
    X(ATOMIC_SHARED, "atomic-shared")                                                              \
    X(FREE, NULL)

typedef enum opevo_i_simt_cost {
#define OPEVO_I_SIMT_COST_ENUM(suffix, key) OPEVO_I_SIMT_COST_##suffix,
    OPEVO_I_SIMT_COST_LIST(OPEVO_I_SIMT_COST_ENUM) OPEVO_I_SIMT_COST_COUNT
#undef OPEVO_I_SIMT_COST_ENUM
} opevo_i_simt_cost;

/* Costs are whole numbers of these parts of a cycle, so that sums are exact in any order. */
enum { OPEVO_I_SIMT_COST_UNIT = 1024 };

struct opevo_simt_costs {
    char name[OPEVO_SIMT_NAME_SIZE];
    uint64_t cost[OPEVO_I_SIMT_COST_COUNT];
};

/* ---- Code ---- */

/* What an instruction does; operations without a row of their own are OPERATE. */
typedef enum opevo_i_simt_kind {
    OPEVO_I_SIMT_OPERATE,
    OPEVO_I_SIMT_DIVIDE,  /* undefined if the divisor is 0 or the quotient overflows */
    OPEVO_I_SIMT_SHIFT,   /* by the width or more: an undefined value */
    OPEVO_I_SIMT_CONVERT, /* a float to integers that do not have it: an undefined value */
    OPEVO_I_SIMT_SELECT,
    OPEVO_I_SIMT_VALUE,         /* an operation of the arithmetic */
    OPEVO_I_SIMT_PICK,          /* a select of values by bits */
    OPEVO_I_SIMT_CHOOSE_VALUE,  /* a select of values by a comparison of values */
    OPEVO_I_SIMT_WHOLE,         /* an integer as a value */
    OPEVO_I_SIMT_BITS_OF_VALUE, /* bits that come of values */
    OPEVO_I_SIMT_RAW,      /* an integer, or what memory holds, to a lane that is only copied */
    OPEVO_I_SIMT_COMPRESS, /* the elements of a vector whose bit is set, one after the other */
    OPEVO_I_SIMT_WHERE,    /* the next instruction, on the lanes whose bit is set */
    OPEVO_I_SIMT_BOTH,     /* i1: a and b, a or b: defined if one operand decides */
    OPEVO_I_SIMT_EITHER,
    OPEVO_I_SIMT_LOAD,
    OPEVO_I_SIMT_STORE,
    OPEVO_I_SIMT_ATOMIC,
    OPEVO_I_SIMT_EXCHANGE, /* cmpxchg */
    OPEVO_I_SIMT_ALLOCATE,
    OPEVO_I_SIMT_BLOCK, /* first of a basic block: its instructions and their cost */
    OPEVO_I_SIMT_JUMP,
    OPEVO_I_SIMT_BRANCH,
    OPEVO_I_SIMT_SWITCH,
    OPEVO_I_SIMT_EXIT,
    OPEVO_I_SIMT_BARRIER,
    OPEVO_I_SIMT_WARP_BARRIER,
    OPEVO_I_SIMT_SHUFFLE,
    OPEVO_I_SIMT_VOTE,
    OPEVO_I_SIMT_FORK,   /* a parallel region of OpenMP begins */
    OPEVO_I_SIMT_THREAD, /* one of its threads does; to: its number */
    OPEVO_I_SIMT_JOIN,   /* on to the next thread, if there is one */
    OPEVO_I_SIMT_SHARE,  /* the iterations that a thread has of a loop */
    OPEVO_I_SIMT_UNSUPPORTED,
    OPEVO_I_SIMT_UNREACHABLE
} opevo_i_simt_kind;

typedef enum opevo_i_simt_update {
    OPEVO_I_SIMT_UPDATE_XCHG,
    OPEVO_I_SIMT_UPDATE_ADD,
    OPEVO_I_SIMT_UPDATE_SUB,
    OPEVO_I_SIMT_UPDATE_AND,
    OPEVO_I_SIMT_UPDATE_OR,
    OPEVO_I_SIMT_UPDATE_XOR,
    OPEVO_I_SIMT_UPDATE_MAX,
    OPEVO_I_SIMT_UPDATE_MIN,
    OPEVO_I_SIMT_UPDATE_UMAX,
    OPEVO_I_SIMT_UPDATE_UMIN,
    OPEVO_I_SIMT_UPDATE_FADD,
    OPEVO_I_SIMT_UPDATE_FADD_FLUSHED, /* in global memory */
    OPEVO_I_SIMT_UPDATE_FSUB,
    OPEVO_I_SIMT_UPDATE_FMAX,
    OPEVO_I_SIMT_UPDATE_FMIN,
    OPEVO_I_SIMT_UPDATE_UINC_WRAP,
    OPEVO_I_SIMT_UPDATE_UDEC_WRAP
} opevo_i_simt_update;

typedef enum opevo_i_simt_shuffle {
    OPEVO_I_SIMT_SHUFFLE_INDEX,
    OPEVO_I_SIMT_SHUFFLE_UP,
    OPEVO_I_SIMT_SHUFFLE_DOWN,
    OPEVO_I_SIMT_SHUFFLE_XOR
} opevo_i_simt_shuffle;
enum { OPEVO_I_SIMT_SHUFFLE_BITS = 8 };

/* Accesses to which memory a barrier orders. */
typedef enum opevo_i_simt_fence {
    OPEVO_I_SIMT_FENCE_ALL,
    OPEVO_I_SIMT_FENCE_SHARED,
    OPEVO_I_SIMT_FENCE_GLOBAL,
    OPEVO_I_SIMT_FENCE_NONE
} opevo_i_simt_fence;

typedef enum opevo_i_simt_vote {
    OPEVO_I_SIMT_VOTE_BALLOT,
    OPEVO_I_SIMT_VOTE_ANY,
    OPEVO_I_SIMT_VOTE_ALL,
    OPEVO_I_SIMT_VOTE_UNIFORM,
    OPEVO_I_SIMT_VOTE_ACTIVE
} opevo_i_simt_vote;

/* 32 results of an operation on registers; i1 values are the bits of one uint32_t. */
typedef void opevo_i_simt_operation(void *restrict to, const void *a, const void *b, const void *c,
                                    int64_t number);

/* An instruction. Registers are byte offsets from the start of a warp's register file; operands
 * that are not used name the register OPEVO_I_SIMT_NO_REGISTER, which is always defined.
 *   LOAD, STORE  a: address, b: value, c: bytes that count as accessed; number: bytes to add
 *   ATOMIC       a: address, b: value; number: an update
 *   EXCHANGE     a: address, b: expected, c: new; number: register of the success
 *   ALLOCATE     number: region
 *   BLOCK        a: instructions; number: their cost
 *   JUMP         a: target
 *   BRANCH       a: condition, b and c: targets; number: where lanes meet again
 *   SWITCH       a: condition, b: first case, c: cases; number: where lanes meet again
 *   SHUFFLE      a: value, b: lane or distance, c: clamp and segment as in PTX; number: a shuffle,
 *                and from bit SHUFFLE_BITS on the register of the mask of its lanes
 *   VOTE         a: predicate, b: mask of its lanes; number: a vote
 *   BARRIER      number: an opevo_i_simt_fence
 *   WARP_BARRIER a: mask of its lanes
 *   VALUE        number: an operation of the arithmetic; OPEVO_SIMT_VALUE_COUNT: the result is a
 *   PICK         a: bits, b: where they are set, c: elsewhere
 *   CHOOSE_VALUE a, b: compared, c: yes; number: register of no; space: a relation
 *   RAW          number: bytes of a
 *   COMPRESS     to, a: first registers of two vectors, b: first of the bits; number: of elements
 *   WHERE        a: bits
 *   WHOLE        a: an integer; number: its bytes, below 0 if it is signed
 *   JOIN         a: the THREAD
 *   SHARE        a, b: bounds of the loop, and then of the thread's part; c: register of the
 *                stride; number: register of whether it has the last; space: they are unsigned
 *   UNSUPPORTED  a: name in `words` */
typedef struct opevo_i_simt_code {
    uint8_t kind;
    uint8_t size;    /* bytes of a lane of the result; 0: i1 */
    uint8_t space;   /* address space, or log2 of the alignment in the high four bits */
    bool atomic : 1; /* of LOAD, STORE */
    bool value : 1;  /* of LOAD, STORE: size bytes in memory are one value in a register */
    bool raw : 1;    /* of LOAD, STORE: size bytes and the values that they are, in a register */
    unsigned rounded : 4; /* of VALUE, WHOLE: bytes of the float that the result is rounded to */
    uint32_t to, a, b, c;
    uint32_t place;
    int64_t number;
    opevo_i_simt_operation *operation;
} opevo_i_simt_code;

typedef struct opevo_i_simt_case {
    uint64_t value;
    uint32_t target;
} opevo_i_simt_case; /* the last of a switch is its default */

/* An instruction of the module, for messages. */
typedef struct opevo_i_simt_place {
    char name[OPEVO_SIMT_NAME_SIZE];
    unsigned line;
} opevo_i_simt_place;

/* Registers that a launch fills in. */
typedef enum opevo_i_simt_special {
    OPEVO_I_SIMT_TID, /* x, y, z */
    OPEVO_I_SIMT_CTAID = OPEVO_I_SIMT_TID + 3,
    OPEVO_I_SIMT_NTID = OPEVO_I_SIMT_CTAID + 3,
    OPEVO_I_SIMT_NCTAID = OPEVO_I_SIMT_NTID + 3,
    OPEVO_I_SIMT_LANEID = OPEVO_I_SIMT_NCTAID + 3,
    OPEVO_I_SIMT_WARPID,
    OPEVO_I_SIMT_SPECIAL_COUNT
} opevo_i_simt_special;

/* A register begins with its header, and its lanes follow. */
typedef struct opevo_i_simt_header {
    uint32_t pad[6];
    uint32_t undefined; /* lanes whose value nothing defined */
    uint32_t origin;    /* place of the instruction that made one undefined, or NOWHERE */
} opevo_i_simt_header;

enum {
    OPEVO_I_SIMT_ALIGN = 32,
    OPEVO_I_SIMT_NO_REGISTER = sizeof(opevo_i_simt_header),
    OPEVO_I_SIMT_FIRST_SPECIAL =
        OPEVO_I_SIMT_NO_REGISTER + 8 * OPEVO_I_SIMT_LANES + sizeof(opevo_i_simt_header),
    OPEVO_I_SIMT_SPECIAL_STRIDE = 4 * OPEVO_I_SIMT_LANES + sizeof(opevo_i_simt_header),
    OPEVO_I_SIMT_FIRST_REGISTER = OPEVO_I_SIMT_FIRST_SPECIAL +
                                  OPEVO_I_SIMT_SPECIAL_COUNT * OPEVO_I_SIMT_SPECIAL_STRIDE -
                                  sizeof(opevo_i_simt_header)
};

/* From a register to the one that is allocated next; size 0: i1. */
static inline uint32_t opevo_i_simt_stride(uint8_t size)
{
    return (size ? size * (uint32_t)OPEVO_I_SIMT_LANES : (uint32_t)OPEVO_I_SIMT_ALIGN) +
           (uint32_t)sizeof(opevo_i_simt_header);
}

static inline uint32_t opevo_i_simt_special_register(unsigned which)
{
    return OPEVO_I_SIMT_FIRST_SPECIAL + which * (uint32_t)OPEVO_I_SIMT_SPECIAL_STRIDE;
}

/* A register with the same value in all lanes. */
typedef struct opevo_i_simt_constant {
    uint32_t at;
    uint8_t size;
    uint8_t width; /* of a value: bytes of the float whose representation `bits` is */
    bool undefined;
    uint64_t bits;
} opevo_i_simt_constant;

typedef struct opevo_i_simt_parameter {
    uint32_t at; /* register */
    uint8_t size;
    uint8_t width; /* of a value: bytes of the float */
    bool is_pointer;
    uint32_t region; /* of a struct by value, each thread's own; 0: it is not one */
} opevo_i_simt_parameter;

typedef struct opevo_i_simt_kernel {
    char *name;
    char *unsupported;   /* what of its signature; NULL: all is supported */
    uint32_t entry;      /* in the code */
    uint32_t file_bytes; /* of a warp's registers */
    uint32_t depth;      /* of divergence at most */
    opevo_i_simt_parameter *parameters;
    size_t parameter_count, parameter_capacity;
    opevo_i_simt_constant *constants;
    size_t constant_count, constant_capacity;
} opevo_i_simt_kernel;

/* ---- Memory ---- */

typedef enum opevo_i_simt_region_kind {
    OPEVO_I_SIMT_NONE,
    OPEVO_I_SIMT_GLOBAL,
    OPEVO_I_SIMT_CONSTANT,
    OPEVO_I_SIMT_SHARED,
    OPEVO_I_SIMT_LOCAL /* of each thread of a block its own */
} opevo_i_simt_region_kind;

/* What an access does to a piece of memory. */
typedef enum opevo_i_simt_access {
    OPEVO_I_SIMT_WRITE,
    OPEVO_I_SIMT_UPDATE, /* an atomic that may write */
    OPEVO_I_SIMT_READ,
    OPEVO_I_SIMT_LOOK, /* an atomic read */
    OPEVO_I_SIMT_ACCESS_COUNT
} opevo_i_simt_access;

/* The accesses of one kind to a piece of memory, as simt_races.c has them. */
typedef struct opevo_i_simt_trace {
    uint32_t stamp;   /* of the last one */
    uint32_t at : 20; /* its instruction in the code */
    uint32_t who : 11;
    uint32_t other : 1; /* an earlier block of the launch accessed, too */
} opevo_i_simt_trace;

typedef struct opevo_i_simt_cell {
    opevo_i_simt_trace trace[OPEVO_I_SIMT_ACCESS_COUNT];
    opevo_i_simt_trace replaced; /* writes of another value than the last one */
} opevo_i_simt_cell;

/* What a byte of memory holds. */
typedef enum opevo_i_simt_state {
    OPEVO_I_SIMT_UNWRITTEN,
    OPEVO_I_SIMT_WRITTEN,
    OPEVO_I_SIMT_UNKNOWN,        /* bits that come of values */
    OPEVO_I_SIMT_OF_VALUE = 0x80 /* byte i of a value of n bytes: with 8 n + i added */
} opevo_i_simt_state;

typedef struct opevo_i_simt_region {
    opevo_i_simt_region_kind kind;
    bool read_only, same_value, dynamic, owned;
    uint64_t size;
    uint8_t *data;
    size_t data_capacity;     /* if it is owned */
    uint8_t *valid;           /* an opevo_i_simt_state for each byte; NULL: all are initialised */
    opevo_i_simt_cell *cells; /* one for each granule; NULL: races are not looked for */
    opevo_simt_value *values; /* with an arithmetic: one for each piece of the least float */
    size_t value_capacity;
    uint8_t *shadow; /* memory for `valid` and `cells`, kept for the next case */
    opevo_i_simt_cell *cell_memory;
    size_t shadow_capacity, cell_capacity;
    uint8_t *initial; /* of a variable in global or constant memory */
    uint8_t *initial_valid;
    char *name;
    const char *buffer_name; /* the caller's */
} opevo_i_simt_region;

/* ---- Machines ---- */

/* A parallel region that runs. */
typedef struct opevo_i_simt_fork_state {
    uint64_t thread, threads; /* the present one, and how many there are */
    bool open, shared_out, outer_races;
} opevo_i_simt_fork_state;

/* Where each thread of a region has memory of its own: slot i of `bytes` bytes from `from` on. */
typedef struct opevo_i_simt_thread_memory {
    uint32_t buffer;
    uint64_t from, bytes;
} opevo_i_simt_thread_memory;
enum { OPEVO_I_SIMT_THREAD_ALIGN = 64 };

/* Lanes that wait for others. */
typedef struct opevo_i_simt_pending {
    uint32_t at, meet, mask;
} opevo_i_simt_pending;

typedef struct opevo_i_simt_warp {
    uint8_t *file; /* registers */
    uint32_t at, meet, mask;
    uint32_t live, all;
    uint32_t barrier;    /* where it waits */
    uint32_t sync_stamp; /* of its last barrier of all lanes */
    uint32_t index;
    bool done;
    size_t pending_count;
    opevo_i_simt_pending *pending;
} opevo_i_simt_warp;

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

/* What other orders of threads change, as opevo_simt_doubt has it; the first one is kept. simt.c */
void opevo_i_simt_doubt(opevo_simt *self, uint32_t place, const char *why);

/* Whether what an atomic operation gives depends on the order of threads, of which one is run: in
 * other arithmetics than that of floats it then counts as unknown. */
static inline bool opevo_i_simt_is_ordered(const opevo_simt *self)
{
    return self->options.arithmetic && (!self->options.one_lane || self->fork.open);
}

/* A lane of up to 8 bytes that are only copied: whatever memory holds there. */
typedef struct opevo_i_simt_raw {
    opevo_simt_value value[2];
    uint64_t bits;
    uint8_t state[8];
} opevo_i_simt_raw;
enum { OPEVO_I_SIMT_RAW_SIZE = sizeof(opevo_i_simt_raw) };

/* ---- Functions of the folder ---- */

/* simt_fork.c */
void opevo_i_simt_fork(opevo_simt *self);
void opevo_i_simt_thread(opevo_simt *self, const opevo_i_simt_warp *warp,
                         const opevo_i_simt_code *code);
/* Whether the region is over. */
bool opevo_i_simt_join(opevo_simt *self);
bool opevo_i_simt_share(opevo_simt *self, const opevo_i_simt_warp *warp,
                        const opevo_i_simt_code *code);

extern const char opevo_i_simt_builtin_costs[];

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

/* simt_memory.c */
/* A new last region; NULL without memory. */
opevo_i_simt_region *opevo_i_simt_region_add(opevo_simt *self);
void opevo_i_simt_region_clear(opevo_i_simt_region *region);
/* Local and shared memory for the blocks of a launch, and as it is when a block begins. */
opevo_status opevo_i_simt_open_launch_memory(opevo_simt *self, size_t warps, opevo_error *err);
void opevo_i_simt_open_block_memory(opevo_simt *self);
/* Local memory of the running lanes, where a variable is declared. */
void opevo_i_simt_allocate(opevo_simt *self, const opevo_i_simt_warp *warp,
                           const opevo_i_simt_code *code);

/* simt_warp.c: run a warp until a barrier, its end or a fault; false on a fault. */
bool opevo_i_simt_warp_run(opevo_simt *self, opevo_i_simt_warp *warp);

/* simt_access.c: loads, stores and atomics of the running lanes of a warp; false on a fault. */
bool opevo_i_simt_load(opevo_simt *self, const opevo_i_simt_warp *warp,
                       const opevo_i_simt_code *code);
bool opevo_i_simt_store(opevo_simt *self, const opevo_i_simt_warp *warp,
                        const opevo_i_simt_code *code);
/* What an atomic operation, of OPEVO_I_SIMT_UPDATE, makes of `size` bytes (simt_update.c). */
uint64_t opevo_i_simt_updated(int64_t update, uint64_t old, uint64_t value, unsigned size);
bool opevo_i_simt_atomic(opevo_simt *self, const opevo_i_simt_warp *warp,
                         const opevo_i_simt_code *code);

/* Where the lanes of an access go. */
typedef struct opevo_i_simt_targets {
    opevo_i_simt_region *region[OPEVO_I_SIMT_LANES];
    uint64_t
        offset[OPEVO_I_SIMT_LANES]; /* into the region's data, of a lane's own for local memory */
    opevo_i_simt_region_kind kind;  /* of the first lane */
    const opevo_i_simt_region *one; /* that of all lanes; NULL where it was not looked for */
    bool plain; /* there is one, which needs no check of races and of initial values */
} opevo_i_simt_targets;

/* False on a fault. */
bool opevo_i_simt_resolve(opevo_simt *self, const opevo_i_simt_warp *warp,
                          const opevo_i_simt_code *code, opevo_i_simt_targets *out);
/* An access of a lane that races, which `conflict` says, ends the launch. */
bool opevo_i_simt_check_lane(opevo_simt *self, const opevo_i_simt_warp *warp,
                             const opevo_i_simt_code *code, unsigned lane,
                             const opevo_i_simt_targets *where, opevo_i_simt_access access);
bool opevo_i_simt_check_races(opevo_simt *self, const opevo_i_simt_warp *warp,
                              const opevo_i_simt_code *code, const opevo_i_simt_targets *where,
                              opevo_i_simt_access access);
/* An undefined value may lie in memory of a block, but not leave it. */
bool opevo_i_simt_check_stored(opevo_simt *self, const opevo_i_simt_warp *warp,
                               const opevo_i_simt_code *code, const opevo_i_simt_targets *where);

/* simt_value_access.c: loads and stores of values. */
bool opevo_i_simt_load_value(opevo_simt *self, const opevo_i_simt_warp *warp,
                             const opevo_i_simt_code *code);
bool opevo_i_simt_store_value(opevo_simt *self, const opevo_i_simt_warp *warp,
                              const opevo_i_simt_code *code);
/* The same of bytes that are only copied, some of which may be values. */
bool opevo_i_simt_load_raw(opevo_simt *self, const opevo_i_simt_warp *warp,
                           const opevo_i_simt_code *code);
bool opevo_i_simt_store_raw(opevo_simt *self, const opevo_i_simt_warp *warp,
                            const opevo_i_simt_code *code);
/* A float of so many bytes as it lies in memory or in an argument. */
opevo_simt_value opevo_i_simt_value_of_bits(const opevo_simt *self, uint64_t bits, unsigned bytes);

/* simt_value_run.c: an operation on values by the running lanes. */
void opevo_i_simt_value_run(opevo_simt *self, const opevo_i_simt_warp *warp,
                            const opevo_i_simt_code *code);

/* simt_traffic.c: count and charge an access of the running lanes. */
void opevo_i_simt_traffic(opevo_simt *self, const opevo_i_simt_warp *warp,
                          const opevo_i_simt_code *code, opevo_i_simt_region_kind kind,
                          bool is_atomic);

/* simt_races.c: what an access of a thread races with. */
typedef enum opevo_i_simt_scope {
    OPEVO_I_SIMT_NO_CONFLICT,
    OPEVO_I_SIMT_OTHER_THREAD, /* of the block */
    OPEVO_I_SIMT_OTHER_BLOCK
} opevo_i_simt_scope;

typedef struct opevo_i_simt_conflict {
    opevo_i_simt_scope scope;
    opevo_i_simt_access access; /* what the other did */
    uint32_t place;             /* where; NOWHERE: an access since then hides it */
} opevo_i_simt_conflict;

/* What a write finds in memory, where writes of the same value are allowed. */
typedef enum opevo_i_simt_found {
    OPEVO_I_SIMT_ANY_VALUE, /* they are not */
    OPEVO_I_SIMT_SAME_VALUE,
    OPEVO_I_SIMT_OTHER_VALUE
} opevo_i_simt_found;

/* The first conflict of an access by a lane to the granule of a cell; without one, the cell is
 * updated. */
opevo_i_simt_conflict opevo_i_simt_race(const opevo_simt *self, const opevo_i_simt_warp *warp,
                                        unsigned lane, bool is_shared, opevo_i_simt_cell *cell,
                                        opevo_i_simt_access access, const opevo_i_simt_code *code,
                                        opevo_i_simt_found found);
/* The same of reads by the running lanes, of code->size bytes at `offset` of one region, in order
 * up to the first that may conflict or needs several cells. The lanes from that one on; 0: none. */
uint32_t opevo_i_simt_race_reads(const opevo_simt *self, const opevo_i_simt_warp *warp,
                                 bool is_shared, opevo_i_simt_cell *cells, const uint64_t *offset,
                                 const opevo_i_simt_code *code);

/* simt_lanes.c: exchange between the lanes of a warp. */
void opevo_i_simt_shuffle_run(opevo_simt *self, const opevo_i_simt_warp *warp,
                              const opevo_i_simt_code *code);
void opevo_i_simt_compress_run(const opevo_simt *self, const opevo_i_simt_warp *warp,
                               const opevo_i_simt_code *code);
void opevo_i_simt_vote_run(opevo_simt *self, const opevo_i_simt_warp *warp,
                           const opevo_i_simt_code *code);

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
