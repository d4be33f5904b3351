/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Functions without a body that kernels call, by name: LLVM's and NVPTX's intrinsics, with the
 * names of LLVM 19 and 22, and the functions of the C library and of libdevice. */

#include "simt_decode_internal.h"

#include <stdlib.h>
#include <string.h>

#define COST(name) OPEVO_I_SIMT_COST_##name
#define FTZ_OF_FUNCTION OPEVO_I_SIMT_FTZ_OF_FUNCTION
#define INTEGERS(name, number, operands, cost, cost_64)                                            \
    {                                                                                              \
        name,                                                                                      \
        {                                                                                          \
            OPEVO_I_SIMT_CALL_OPERATION, OPEVO_I_SIMT_##number, operands, 1, COST(cost),           \
                COST(cost_64), FTZ_OF_FUNCTION                                                     \
        }                                                                                          \
    }
/* From 16 bits on; from 32 bits on. */
#define FLOATS(name, number, operands, cost, cost_64)                                              \
    {                                                                                              \
        name,                                                                                      \
        {                                                                                          \
            OPEVO_I_SIMT_CALL_OPERATION, OPEVO_I_SIMT_##number, operands, 2, COST(cost),           \
                COST(cost_64), FTZ_OF_FUNCTION                                                     \
        }                                                                                          \
    }
#define FUNCTIONS(name, number, operands, cost, cost_64)                                           \
    {                                                                                              \
        name,                                                                                      \
        {                                                                                          \
            OPEVO_I_SIMT_CALL_OPERATION, OPEVO_I_SIMT_##number, operands, 4, COST(cost),           \
                COST(cost_64), FTZ_OF_FUNCTION                                                     \
        }                                                                                          \
    }
#define OTHER(name, callee, number, cost)                                                          \
    {                                                                                              \
        name,                                                                                      \
        {                                                                                          \
            OPEVO_I_SIMT_CALL_##callee, number, 0, 0, COST(cost), COST(cost), FTZ_OF_FUNCTION      \
        }                                                                                          \
    }
#define SPECIAL(name, number) OTHER(name, SPECIAL, number, INTEGER)

typedef struct row {
    const char *name;
    opevo_i_simt_intrinsic intrinsic;
} row;

/* Intrinsics for several types, without the type that ends their names; sorted. */
static const row generic[] = {
    INTEGERS("llvm.abs", ABS, 1, INTEGER, INTEGER_64),
    FUNCTIONS("llvm.acos", ACOS, 1, FUNCTION_32, FUNCTION_64),
    OTHER("llvm.annotation", SAME, 0, FREE),
    FUNCTIONS("llvm.asin", ASIN, 1, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("llvm.atan", ATAN, 1, FUNCTION_32, FUNCTION_64),
    INTEGERS("llvm.bitreverse", BITREVERSE, 1, COUNT_BITS, COUNT_BITS),
    INTEGERS("llvm.bswap", BSWAP, 1, INTEGER, INTEGER_64),
    FLOATS("llvm.ceil", CEIL, 1, CONVERT, CONVERT_64),
    FLOATS("llvm.copysign", COPYSIGN, 2, INTEGER, INTEGER_64),
    FUNCTIONS("llvm.cos", COS, 1, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("llvm.cosh", COSH, 1, FUNCTION_32, FUNCTION_64),
    INTEGERS("llvm.ctlz", CTLZ, 1, COUNT_BITS, COUNT_BITS),
    INTEGERS("llvm.ctpop", CTPOP, 1, COUNT_BITS, COUNT_BITS),
    INTEGERS("llvm.cttz", CTTZ, 1, COUNT_BITS, COUNT_BITS),
    FUNCTIONS("llvm.exp", EXP, 1, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("llvm.exp2", EXP2, 1, FUNCTION_32, FUNCTION_64),
    OTHER("llvm.expect", SAME, 0, FREE),
    FLOATS("llvm.fabs", FABS, 1, FLOAT_32, FLOAT_64),
    FLOATS("llvm.floor", FLOOR, 1, CONVERT, CONVERT_64),
    FUNCTIONS("llvm.fma", FMA, 3, FLOAT_32, FLOAT_64),
    FUNCTIONS("llvm.fmuladd", FMA, 3, FLOAT_32, FLOAT_64),
    INTEGERS("llvm.fshl", FSHL, 3, INTEGER, INTEGER_64),
    INTEGERS("llvm.fshr", FSHR, 3, INTEGER, INTEGER_64),
    FUNCTIONS("llvm.log", LOG, 1, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("llvm.log10", LOG10, 1, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("llvm.log2", LOG2, 1, FUNCTION_32, FUNCTION_64),
    FLOATS("llvm.maximum", MAXIMUM, 2, FLOAT_32, FLOAT_64),
    FLOATS("llvm.maxnum", MAXNUM, 2, FLOAT_32, FLOAT_64),
    FLOATS("llvm.minimum", MINIMUM, 2, FLOAT_32, FLOAT_64),
    FLOATS("llvm.minnum", MINNUM, 2, FLOAT_32, FLOAT_64),
    FLOATS("llvm.nearbyint", RINT, 1, CONVERT, CONVERT_64),
    FUNCTIONS("llvm.pow", POW, 2, FUNCTION_32, FUNCTION_64),
    FLOATS("llvm.rint", RINT, 1, CONVERT, CONVERT_64),
    FLOATS("llvm.round", ROUND, 1, CONVERT, CONVERT_64),
    FUNCTIONS("llvm.roundeven", ROUNDEVEN, 1, CONVERT, CONVERT_64),
    FUNCTIONS("llvm.sin", SIN, 1, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("llvm.sinh", SINH, 1, FUNCTION_32, FUNCTION_64),
    INTEGERS("llvm.smax", SMAX, 2, INTEGER, INTEGER_64),
    INTEGERS("llvm.smin", SMIN, 2, INTEGER, INTEGER_64),
    FLOATS("llvm.sqrt", SQRT, 1, FLOAT_DIVIDE_32, FLOAT_DIVIDE_64),
    OTHER("llvm.ssa.copy", SAME, 0, FREE),
    FUNCTIONS("llvm.tan", TAN, 1, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("llvm.tanh", TANH, 1, FUNCTION_32, FUNCTION_64),
    FLOATS("llvm.trunc", TRUNC, 1, CONVERT, CONVERT_64),
    INTEGERS("llvm.umax", UMAX, 2, INTEGER, INTEGER_64),
    INTEGERS("llvm.umin", UMIN, 2, INTEGER, INTEGER_64),
};

/* Whole names; sorted. The approximations of 32 bits are computed as their exact functions. */
static const row whole[] = {
    OTHER("llvm.assume", NOTHING, 0, FREE),
    OTHER("llvm.donothing", NOTHING, 0, FREE),
    OTHER("llvm.experimental.noalias.scope.decl", NOTHING, 0, FREE),
    OTHER("llvm.nvvm.activemask", VOTE, OPEVO_I_SIMT_VOTE_ACTIVE, VOTE),
    FUNCTIONS("llvm.nvvm.add.rn.d", FADD + 1, 2, FLOAT_32, FLOAT_64),
    FUNCTIONS("llvm.nvvm.add.rn.f", FADD + 1, 2, FLOAT_32, FLOAT_64),
    OTHER("llvm.nvvm.bar.warp.sync", WARP_BARRIER, 0, WARP_BARRIER),
    OTHER("llvm.nvvm.barrier.cta.sync.aligned.all", BARRIER, 0, BARRIER),
    OTHER("llvm.nvvm.barrier.cta.sync.all", BARRIER, 0, BARRIER),
    OTHER("llvm.nvvm.barrier.sync", BARRIER, 0, BARRIER),
    OTHER("llvm.nvvm.barrier0", BARRIER, 0, BARRIER),
    FUNCTIONS("llvm.nvvm.cos.approx.f", COS, 1, SPECIAL, SPECIAL),
    FUNCTIONS("llvm.nvvm.div.approx.f", FDIV + 1, 2, SPECIAL, SPECIAL),
    FUNCTIONS("llvm.nvvm.div.full", FDIV + 1, 2, SPECIAL, SPECIAL),
    FUNCTIONS("llvm.nvvm.div.rn.d", FDIV + 1, 2, FLOAT_DIVIDE_32, FLOAT_DIVIDE_64),
    FUNCTIONS("llvm.nvvm.div.rn.f", FDIV + 1, 2, FLOAT_DIVIDE_32, FLOAT_DIVIDE_64),
    FUNCTIONS("llvm.nvvm.ex2.approx.f", EXP2, 1, SPECIAL, SPECIAL),
    FUNCTIONS("llvm.nvvm.ex2.approx.f32", EXP2, 1, SPECIAL, SPECIAL),
    FUNCTIONS("llvm.nvvm.fabs.d", FABS + 1, 1, FLOAT_32, FLOAT_64),
    FUNCTIONS("llvm.nvvm.fabs.f", FABS + 1, 1, FLOAT_32, FLOAT_64),
    FUNCTIONS("llvm.nvvm.fma.rn.d", FMA, 3, FLOAT_32, FLOAT_64),
    FUNCTIONS("llvm.nvvm.fma.rn.f", FMA, 3, FLOAT_32, FLOAT_64),
    FUNCTIONS("llvm.nvvm.fmax.d", MAXNUM + 1, 2, FLOAT_32, FLOAT_64),
    FUNCTIONS("llvm.nvvm.fmax.f", MAXNUM + 1, 2, FLOAT_32, FLOAT_64),
    FUNCTIONS("llvm.nvvm.fmin.d", MINNUM + 1, 2, FLOAT_32, FLOAT_64),
    FUNCTIONS("llvm.nvvm.fmin.f", MINNUM + 1, 2, FLOAT_32, FLOAT_64),
    FUNCTIONS("llvm.nvvm.lg2.approx.f", LOG2, 1, SPECIAL, SPECIAL),
    OTHER("llvm.nvvm.membar.cta", NOTHING, 0, WARP_BARRIER),
    OTHER("llvm.nvvm.membar.gl", NOTHING, 0, WARP_BARRIER),
    OTHER("llvm.nvvm.membar.sys", NOTHING, 0, WARP_BARRIER),
    FUNCTIONS("llvm.nvvm.mul.rn.d", FMUL + 1, 2, FLOAT_32, FLOAT_64),
    FUNCTIONS("llvm.nvvm.mul.rn.f", FMUL + 1, 2, FLOAT_32, FLOAT_64),
    FUNCTIONS("llvm.nvvm.rcp.approx.f", RECIPROCAL + 1, 1, SPECIAL, SPECIAL),
    FUNCTIONS("llvm.nvvm.rcp.rn.d", RECIPROCAL + 1, 1, FLOAT_DIVIDE_32, FLOAT_DIVIDE_64),
    FUNCTIONS("llvm.nvvm.rcp.rn.f", RECIPROCAL + 1, 1, FLOAT_DIVIDE_32, FLOAT_DIVIDE_64),
    SPECIAL("llvm.nvvm.read.ptx.sreg.ctaid.x", OPEVO_I_SIMT_CTAID),
    SPECIAL("llvm.nvvm.read.ptx.sreg.ctaid.y", OPEVO_I_SIMT_CTAID + 1),
    SPECIAL("llvm.nvvm.read.ptx.sreg.ctaid.z", OPEVO_I_SIMT_CTAID + 2),
    SPECIAL("llvm.nvvm.read.ptx.sreg.laneid", OPEVO_I_SIMT_LANEID),
    SPECIAL("llvm.nvvm.read.ptx.sreg.nctaid.x", OPEVO_I_SIMT_NCTAID),
    SPECIAL("llvm.nvvm.read.ptx.sreg.nctaid.y", OPEVO_I_SIMT_NCTAID + 1),
    SPECIAL("llvm.nvvm.read.ptx.sreg.nctaid.z", OPEVO_I_SIMT_NCTAID + 2),
    SPECIAL("llvm.nvvm.read.ptx.sreg.ntid.x", OPEVO_I_SIMT_NTID),
    SPECIAL("llvm.nvvm.read.ptx.sreg.ntid.y", OPEVO_I_SIMT_NTID + 1),
    SPECIAL("llvm.nvvm.read.ptx.sreg.ntid.z", OPEVO_I_SIMT_NTID + 2),
    SPECIAL("llvm.nvvm.read.ptx.sreg.tid.x", OPEVO_I_SIMT_TID),
    SPECIAL("llvm.nvvm.read.ptx.sreg.tid.y", OPEVO_I_SIMT_TID + 1),
    SPECIAL("llvm.nvvm.read.ptx.sreg.tid.z", OPEVO_I_SIMT_TID + 2),
    SPECIAL("llvm.nvvm.read.ptx.sreg.warpid", OPEVO_I_SIMT_WARPID),
    OTHER("llvm.nvvm.read.ptx.sreg.warpsize", WARP_SIZE, 0, FREE),
    FUNCTIONS("llvm.nvvm.rsqrt.approx.d", RSQRT, 1, SPECIAL, FUNCTION_64),
    FUNCTIONS("llvm.nvvm.rsqrt.approx.f", RSQRT, 1, SPECIAL, SPECIAL),
    OTHER("llvm.nvvm.shfl.sync.bfly.f32", SHUFFLE, OPEVO_I_SIMT_SHUFFLE_XOR, SHUFFLE),
    OTHER("llvm.nvvm.shfl.sync.bfly.i32", SHUFFLE, OPEVO_I_SIMT_SHUFFLE_XOR, SHUFFLE),
    OTHER("llvm.nvvm.shfl.sync.down.f32", SHUFFLE, OPEVO_I_SIMT_SHUFFLE_DOWN, SHUFFLE),
    OTHER("llvm.nvvm.shfl.sync.down.i32", SHUFFLE, OPEVO_I_SIMT_SHUFFLE_DOWN, SHUFFLE),
    OTHER("llvm.nvvm.shfl.sync.idx.f32", SHUFFLE, OPEVO_I_SIMT_SHUFFLE_INDEX, SHUFFLE),
    OTHER("llvm.nvvm.shfl.sync.idx.i32", SHUFFLE, OPEVO_I_SIMT_SHUFFLE_INDEX, SHUFFLE),
    OTHER("llvm.nvvm.shfl.sync.up.f32", SHUFFLE, OPEVO_I_SIMT_SHUFFLE_UP, SHUFFLE),
    OTHER("llvm.nvvm.shfl.sync.up.i32", SHUFFLE, OPEVO_I_SIMT_SHUFFLE_UP, SHUFFLE),
    FUNCTIONS("llvm.nvvm.sin.approx.f", SIN, 1, SPECIAL, SPECIAL),
    FUNCTIONS("llvm.nvvm.sqrt.approx.f", SQRT + 1, 1, SPECIAL, SPECIAL),
    FUNCTIONS("llvm.nvvm.sqrt.f", SQRT + 1, 1, FLOAT_DIVIDE_32, FLOAT_DIVIDE_64),
    FUNCTIONS("llvm.nvvm.sqrt.rn.d", SQRT + 1, 1, FLOAT_DIVIDE_32, FLOAT_DIVIDE_64),
    FUNCTIONS("llvm.nvvm.sqrt.rn.f", SQRT + 1, 1, FLOAT_DIVIDE_32, FLOAT_DIVIDE_64),
    OTHER("llvm.nvvm.vote.all.sync", VOTE, OPEVO_I_SIMT_VOTE_ALL, VOTE),
    OTHER("llvm.nvvm.vote.any.sync", VOTE, OPEVO_I_SIMT_VOTE_ANY, VOTE),
    OTHER("llvm.nvvm.vote.ballot.sync", VOTE, OPEVO_I_SIMT_VOTE_BALLOT, VOTE),
    OTHER("llvm.nvvm.vote.uni.sync", VOTE, OPEVO_I_SIMT_VOTE_UNIFORM, VOTE),
    OTHER("llvm.sideeffect", NOTHING, 0, FREE),
};

/* Functions of the C library; libdevice's have __nv_ in front, and those of 32 bits an f behind. */
static const row library[] = {
    FUNCTIONS("acos", ACOS, 1, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("asin", ASIN, 1, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("atan", ATAN, 1, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("atan2", ATAN2, 2, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("cbrt", CBRT, 1, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("ceil", CEIL + 1, 1, CONVERT, CONVERT_64),
    FUNCTIONS("copysign", COPYSIGN + 1, 2, INTEGER, INTEGER_64),
    FUNCTIONS("cos", COS, 1, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("cosh", COSH, 1, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("erf", ERF, 1, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("erfc", ERFC, 1, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("exp", EXP, 1, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("exp2", EXP2, 1, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("expm1", EXPM1, 1, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("fabs", FABS + 1, 1, FLOAT_32, FLOAT_64),
    FUNCTIONS("floor", FLOOR + 1, 1, CONVERT, CONVERT_64),
    FUNCTIONS("fma", FMA, 3, FLOAT_32, FLOAT_64),
    FUNCTIONS("fmax", MAXNUM + 1, 2, FLOAT_32, FLOAT_64),
    FUNCTIONS("fmin", MINNUM + 1, 2, FLOAT_32, FLOAT_64),
    FUNCTIONS("fmod", FREM, 2, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("hypot", HYPOT, 2, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("log", LOG, 1, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("log10", LOG10, 1, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("log1p", LOG1P, 1, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("log2", LOG2, 1, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("nearbyint", RINT + 1, 1, CONVERT, CONVERT_64),
    OTHER("opevo_barrier_of_global", BARRIER, OPEVO_I_SIMT_FENCE_GLOBAL, BARRIER),
    OTHER("opevo_barrier_of_local", BARRIER, OPEVO_I_SIMT_FENCE_SHARED, BARRIER),
    OTHER("opevo_barrier_of_nothing", BARRIER, OPEVO_I_SIMT_FENCE_NONE, BARRIER),
    FUNCTIONS("pow", POW, 2, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("rint", RINT + 1, 1, CONVERT, CONVERT_64),
    FUNCTIONS("round", ROUND + 1, 1, CONVERT, CONVERT_64),
    FUNCTIONS("rsqrt", RSQRT, 1, SPECIAL, FUNCTION_64),
    FUNCTIONS("sin", SIN, 1, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("sinh", SINH, 1, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("sqrt", SQRT + 1, 1, FLOAT_DIVIDE_32, FLOAT_DIVIDE_64),
    FUNCTIONS("tan", TAN, 1, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("tanh", TANH, 1, FUNCTION_32, FUNCTION_64),
    FUNCTIONS("trunc", TRUNC + 1, 1, CONVERT, CONVERT_64),
};

static int compare(const void *name, const void *entry)
{
    return strcmp(name, ((const row *)entry)->name);
}

static const row *find(const char *name, const row *rows, size_t count)
{
    return bsearch(name, rows, count, sizeof *rows, compare);
}
#define FIND(name, rows) find(name, rows, sizeof(rows) / sizeof *(rows))

/* llvm.name.type: the type is of letters and digits, as in f32 and v4f32. */
static const row *find_generic(const char *name)
{
    const char *dot = strrchr(name, '.');
    char stem[OPEVO_SIMT_NAME_SIZE];

    if (!dot || (size_t)(dot - name) >= sizeof stem)
        return NULL;
    memcpy(stem, name, (size_t)(dot - name));
    stem[dot - name] = '\0';
    return FIND(stem, generic);
}

static const row *find_library(const char *name)
{
    char stem[OPEVO_SIMT_NAME_SIZE];
    const row *found = NULL;
    size_t length;

    if (strncmp(name, "__nv_", 5) == 0)
        name += 5;
    length = strlen(name);
    if (length == 0 || length >= sizeof stem)
        return NULL;
    memcpy(stem, name, length + 1);
    found = FIND(stem, library);
    if (!found && stem[length - 1] == 'f') {
        stem[length - 1] = '\0';
        found = FIND(stem, library);
    }
    return found;
}

static bool starts(const char *name, const char *start)
{
    return strncmp(name, start, strlen(start)) == 0;
}

/* llvm.nvvm.NAME.ftz.f is llvm.nvvm.NAME.f, and flushes denormals; its own name never does, but for
 * sqrt, which is as the function says. */
static const row *find_nvvm(const char *name, bool *ftz)
{
    const char *mark = strstr(name, ".ftz");
    char plain[OPEVO_SIMT_NAME_SIZE];
    size_t length = strlen(name);

    *ftz = mark != NULL;
    if (!mark)
        return FIND(name, whole);
    if (length >= sizeof plain)
        return NULL;
    memcpy(plain, name, (size_t)(mark - name));
    memcpy(plain + (mark - name), mark + 4, length + 1 - (size_t)(mark - name) - 4);
    return FIND(plain, whole);
}

opevo_i_simt_intrinsic opevo_i_simt_intrinsic_find(const char *name)
{
    opevo_i_simt_intrinsic intrinsic = {.callee = OPEVO_I_SIMT_CALL_UNKNOWN};
    bool ftz;
    const row *found = find_nvvm(name, &ftz), *other = NULL;

    if (starts(name, "llvm.dbg.") || starts(name, "llvm.lifetime.") ||
        starts(name, "llvm.invariant.") || starts(name, "llvm.prefetch."))
        return (opevo_i_simt_intrinsic){.callee = OPEVO_I_SIMT_CALL_NOTHING,
                                        .cost_32 = OPEVO_I_SIMT_COST_FREE,
                                        .cost_64 = OPEVO_I_SIMT_COST_FREE};
    if (starts(name, "llvm.memcpy.") || starts(name, "llvm.memmove."))
        return (opevo_i_simt_intrinsic){.callee = OPEVO_I_SIMT_CALL_COPY};
    if (starts(name, "llvm.masked.load."))
        return (opevo_i_simt_intrinsic){.callee = OPEVO_I_SIMT_CALL_MASKED_LOAD};
    if (starts(name, "llvm.masked.store."))
        return (opevo_i_simt_intrinsic){.callee = OPEVO_I_SIMT_CALL_MASKED_STORE};
    if (starts(name, "llvm.x86.avx512.mask.compress."))
        return (opevo_i_simt_intrinsic){.callee = OPEVO_I_SIMT_CALL_COMPRESS};
    if (starts(name, "llvm.memset."))
        return (opevo_i_simt_intrinsic){.callee = OPEVO_I_SIMT_CALL_FILL};
    if (!found)
        other = starts(name, "llvm.") ? find_generic(name) : find_library(name);
    if (found || other)
        intrinsic = (found ? found : other)->intrinsic;
    if (found && (ftz || strcmp(name, "llvm.nvvm.sqrt.f") != 0))
        intrinsic.ftz = ftz ? OPEVO_I_SIMT_FTZ_ALWAYS : OPEVO_I_SIMT_FTZ_NEVER;
    return intrinsic;
}
