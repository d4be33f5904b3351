/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The names of the 164 numbers, in their order. */

#include "statement_internal.h"

#include <stdio.h>

#define ANNOTATED(kind)                                                                            \
    kind "_num", kind "_prod", kind "_len", kind "_type.kPosNone", kind "_type.kPosInnerSpatial",  \
        kind "_type.kPosMiddleSpatial", kind "_type.kPosOuterSpatial",                             \
        kind "_type.kPosInnerReduce", kind "_type.kPosMiddleReduce", kind "_type.kPosOuterReduce", \
        kind "_type.kPosMixed"

static const char *const before[] = {
#define NAME(suffix, name) name,
    OPEVO_STATEMENT_OP_LIST(NAME)
#undef NAME
        ANNOTATED("vec"),
    ANNOTATED("unroll"),
    ANNOTATED("parallel"),
    "is_gpu",
    "blockIdx_x_len",
    "blockIdx_y_len",
    "blockIdx_z_len",
    "threadIdx_x_len",
    "threadIdx_y_len",
    "threadIdx_z_len",
    "vthread_len",
};
static const char *const of_buffer[] = {
    "acc_type.kRead",
    "acc_type.kWrite",
    "acc_type.kReadWrite",
    "bytes",
    "unique_bytes",
    "lines",
    "unique_lines",
    "reuse_type.kLoopMultipleRead",
    "reuse_type.kSerialMultipleReadWrite",
    "reuse_type.kNoReuse",
    "reuse_dis_iter",
    "reuse_dis_bytes",
    "reuse_ct",
    "bytes_d_reuse_ct",
    "unique_bytes_d_reuse_ct",
    "lines_d_reuse_ct",
    "unique_lines_d_reuse_ct",
    "stride",
};
static const char *const after[] = {
    "alloc_size", "alloc_prod", "alloc_outer_prod",     "alloc_inner_prod",
    "outer_prod", "num_loops",  "auto_unroll_max_step",
};

enum {
    BEFORE = sizeof before / sizeof *before,
    OF_BUFFER = sizeof of_buffer / sizeof *of_buffer,
    BUFFERS = OPEVO_I_STATEMENT_BUFFERS,
    AFTER = sizeof after / sizeof *after,
    NAME_SIZE = 48
};

_Static_assert(BEFORE + BUFFERS * OF_BUFFER + OPEVO_I_STATEMENT_CURVE + AFTER ==
                   OPEVO_STATEMENT_FEATURES,
               "every number has a name");

void opevo_statement_feature_name(size_t i, char *name)
{
    if (i < BEFORE) {
        snprintf(name, NAME_SIZE, "%s", before[i]);
        return;
    }
    i -= BEFORE;
    if (i < (size_t)BUFFERS * OF_BUFFER) {
        snprintf(name, NAME_SIZE, "B%zu.%s", i / OF_BUFFER, of_buffer[i % OF_BUFFER]);
        return;
    }
    i -= (size_t)BUFFERS * OF_BUFFER;
    if (i < OPEVO_I_STATEMENT_CURVE)
        snprintf(name, NAME_SIZE, "arith_intensity_curve_%zu", i);
    else
        snprintf(name, NAME_SIZE, "%s", after[i - OPEVO_I_STATEMENT_CURVE]);
}
