/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What instructions cost: one constant for each class of them. */

#ifndef OPEVO_SIMT_COSTS_INTERNAL_H
#define OPEVO_SIMT_COSTS_INTERNAL_H

#include <opevo/simt.h>

#include <stdint.h>

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

/* The file of the device that is built in. */
extern const char opevo_i_simt_builtin_costs[];

#endif
