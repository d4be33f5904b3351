/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Decoded kernels: instructions, their operands, and the registers that these are. */

#ifndef OPEVO_SIMT_CODE_INTERNAL_H
#define OPEVO_SIMT_CODE_INTERNAL_H

#include <opevo/simt.h>

#include <stdbool.h>
#include <stdint.h>

enum {
    OPEVO_I_SIMT_LANES = 32,
    OPEVO_I_SIMT_THREADS = 1024,                       /* of a block at most */
    OPEVO_I_SIMT_CODE_LIMIT = 1000000,                 /* below 2^20: opevo_i_simt_trace */
    OPEVO_I_SIMT_VALUE_SIZE = sizeof(opevo_simt_value) /* of a lane, where floats are values */
};
#define OPEVO_I_SIMT_NOWHERE UINT32_MAX /* no place in the code, no register, no name */
/* In the origin of an undefined register: it comes of values. */
#define OPEVO_I_SIMT_OF_DATA (UINT32_C(1) << 31)

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
    OPEVO_I_SIMT_FRESH,  /* whether a thread has left something in a variable */
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

/* The number of a VALUE is value + make * OPEVO_I_SIMT_MAKES, with an opevo_simt_make. */
enum { OPEVO_I_SIMT_MAKES = OPEVO_SIMT_VALUE_COUNT + 1 };

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
 *   FRESH        a: address of the variable
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
    uint32_t region; /* of a struct by value, each thread's own, or of local memory; 0: neither */
    bool is_local;   /* memory of each block, of as many bytes as a launch says */
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

/* A lane of up to 8 bytes that are only copied: whatever memory holds there. */
typedef struct opevo_i_simt_raw {
    opevo_simt_value value[2];
    uint64_t bits;
    uint8_t state[8];
} opevo_i_simt_raw;
enum { OPEVO_I_SIMT_RAW_SIZE = sizeof(opevo_i_simt_raw) };

#endif
