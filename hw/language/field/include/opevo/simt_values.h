/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The arithmetic of an interpreter's values.
 *
 * Without one, floats are those of IEEE 754. With one, each float of the module, in a register or
 * in memory, is a value of that arithmetic, whatever its width: it has no bits, and roundings,
 * conversions between widths, NaNs and the sign of 0 do not exist. Integers, addresses, control and
 * all checks are as ever. Bits that come of values (comparisons that no select uses, conversions to
 * integers, loads of a float's bytes as an integer) count as undefined; where one decides a branch,
 * an address or a byte in global memory, the launch ends with the outcome "data".
 *
 * Functions of the C library, and those that opevo writes in front of its kernels (opevo_NAME and
 * opevo_NAMEw for vectors of w elements: exp, log, sqrt, tanh, erf, sigmoid, max, min, maximum,
 * minimum), are operations of the arithmetic; their bodies are not looked into. */

#ifndef OPEVO_SIMT_VALUES_H
#define OPEVO_SIMT_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <opevo/status.h>

OPEVO_BEGIN_C

typedef struct opevo_simt_value {
    uint64_t word[3]; /* as the arithmetic has it; the last is never 2^64 - 1 */
} opevo_simt_value;

/* One row for each operation of a, b and c. */
#define OPEVO_SIMT_VALUE_LIST(X)                                                                   \
    X(ADD, "a + b")                                                                                \
    X(SUBTRACT, "a - b")                                                                           \
    X(MULTIPLY, "a b")                                                                             \
    X(DIVIDE, "a / b")                                                                             \
    X(FMA, "a b + c")                                                                              \
    X(NEGATE, "-a")                                                                                \
    X(RECIPROCAL, "1 / a")                                                                         \
    X(MAX, "the larger")                                                                           \
    X(MIN, "the smaller")                                                                          \
    X(ABS, "|a|")                                                                                  \
    X(COPYSIGN, "|a| with the sign of b")                                                          \
    X(SQRT, "root")                                                                                \
    X(RSQRT, "1 / root")                                                                           \
    X(EXP, "e^a")                                                                                  \
    X(EXP2, "2^a")                                                                                 \
    X(LOG, "natural")                                                                              \
    X(LOG2, "to base 2")                                                                           \
    X(LOG10, "to base 10")                                                                         \
    X(SIN, "sine")                                                                                 \
    X(COS, "cosine")                                                                               \
    X(TAN, "tangent")                                                                              \
    X(TANH, "hyperbolic tangent")                                                                  \
    X(ERF, "error function")                                                                       \
    X(SIGMOID, "1 / (1 + e^-a)")                                                                   \
    X(POWER, "a^b")                                                                                \
    X(REMAINDER, "fmod")                                                                           \
    X(FLOOR, "floor")                                                                              \
    X(CEIL, "ceil")                                                                                \
    X(TRUNC, "towards 0")                                                                          \
    X(ROUND, "half away from 0")                                                                   \
    X(ROUND_EVEN, "half to even")

typedef enum opevo_simt_value_number {
#define OPEVO_SIMT_VALUE_ENUM(suffix, text) OPEVO_SIMT_VALUE_##suffix,
    OPEVO_SIMT_VALUE_LIST(OPEVO_SIMT_VALUE_ENUM) OPEVO_SIMT_VALUE_COUNT
#undef OPEVO_SIMT_VALUE_ENUM
} opevo_simt_value_number;

typedef enum opevo_simt_relation {
    OPEVO_SIMT_LESS, /* x < y */
    OPEVO_SIMT_LESS_EQUAL,
    OPEVO_SIMT_EQUAL
} opevo_simt_relation;

/* How a result is made, of several that are the same function of real numbers. */
typedef enum opevo_simt_make {
    OPEVO_SIMT_PLAIN,      /* of the C library, or as IEEE 754 has it; a NaN loses to a number */
    OPEVO_SIMT_PROPAGATES, /* max, min: a NaN wins */
    OPEVO_SIMT_OWN,        /* opevo_NAME */
    OPEVO_SIMT_OWN_PROPAGATES
} opevo_simt_make;

typedef struct opevo_simt_arithmetic opevo_simt_arithmetic;

/* For each lane i whose bit is set: to[i] = f(a[i], b[i], c[i]). Other lanes are not touched. Up to
 * 32 of each; operands that f does not have may be anything. */
typedef void opevo_simt_value_operation(const opevo_simt_arithmetic *self, uint32_t lanes,
                                        opevo_simt_value *to, const opevo_simt_value *a,
                                        const opevo_simt_value *b, const opevo_simt_value *c);

struct opevo_simt_arithmetic {
    const char *name;
    void *context;
    opevo_simt_value_operation *operation[OPEVO_SIMT_VALUE_COUNT];
    /* to = (x RELATION y) ? yes : no */
    void (*choose)(const opevo_simt_arithmetic *self, uint32_t lanes, opevo_simt_value *to,
                   opevo_simt_relation relation, const opevo_simt_value *x,
                   const opevo_simt_value *y, const opevo_simt_value *yes,
                   const opevo_simt_value *no);
    /* A float of `bytes` bytes: a constant of the kernel, an argument, or a converted integer. */
    opevo_simt_value (*number)(const opevo_simt_arithmetic *self, double value, unsigned bytes);
    /* Results that an instruction rounds to floats of `bytes` bytes, at most `rounded_bytes`; those
     * of max, min, negations, absolute values, remainders and whole parts are exact. False: the
     * rounding is notable, and opevo_simt_notable_rounding says where the first one is. */
    bool (*round)(const opevo_simt_arithmetic *self, uint32_t lanes, opevo_simt_value *values,
                  unsigned bytes);
    unsigned rounded_bytes; /* 0: `round` is not called */
    /* Where set, operations are told apart that are the same function of real numbers and may give
     * other bits: results that are not PLAIN are marked, before they are rounded. What gives no
     * certain bits on machines of IEEE 754 is then not supported: approximations, fused products
     * if a compiler likes, flags that allow other orders, denormals that are flushed, and
     * comparisons of order that ask for NaNs alone. */
    void (*mark)(const opevo_simt_arithmetic *self, uint32_t lanes, opevo_simt_value *values,
                 opevo_simt_make make);
};

struct opevo_simt;

/* What an element of a buffer is, behind a launch; `bytes` is the width of its floats. */
typedef enum opevo_simt_element {
    OPEVO_SIMT_ELEMENT_VALUE,
    OPEVO_SIMT_ELEMENT_UNWRITTEN,
    OPEVO_SIMT_ELEMENT_DATA /* of bits that come of values, or of parts of several floats */
} opevo_simt_element;
opevo_simt_element opevo_simt_read(const struct opevo_simt *simt, uint32_t buffer, size_t element,
                                   unsigned bytes, opevo_simt_value *out);

/* Give an element of a buffer a value, before a launch. The buffer counts as initialised there. */
void opevo_simt_write(struct opevo_simt *simt, uint32_t buffer, size_t element, unsigned bytes,
                      const opevo_simt_value *value);

/* The instruction of the first notable rounding since the creation of the machine, as
 * "U12 (line 7)"; false: there was none. */
bool opevo_simt_notable_rounding(const struct opevo_simt *simt, char *place, size_t size);

/* What was done first since the creation of the machine that gives something else, or nothing that
 * is defined, in other orders of threads or other shares of a loop, although no memory shows it:
 * the instruction, and what follows its name in a sentence. NULL: nothing. */
const char *opevo_simt_doubt(const struct opevo_simt *simt, char *place, size_t size);

OPEVO_END_C

#endif
