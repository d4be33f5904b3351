/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What `opevo prove` asks of a process that has LLVM: compile a kernel, prove its cases, print. */

#ifndef OPEVO_PROVER_H
#define OPEVO_PROVER_H

#include <opevo/status.h>
#include <opevo/text.h>

OPEVO_BEGIN_C

/* Exit statuses. */
enum { OPEVO_PROVER_PROVED, OPEVO_PROVER_REFUTED, OPEVO_PROVER_MISUSED, OPEVO_PROVER_UNDECIDED };

/* Answer a request:
 *
 *   {"kernel": PATH, "harness": PATH, "computes": TEXT, "set": ["NAME=VALUE", ...],
 *    "words": LINES, "certificate": LINES, "seed": N, "json": BOOL, "rounding": BOOL,
 *    "compare": BOOL}
 *   {"kernel": PATH, "same_bits": PATH, ...}
 *   {"kernel": PATH, "same_function": PATH, ...}
 *   {"kernel": PATH, "harness": PATH, "preprocess": true, "parallel": BOOL}
 *
 * PATH is a folder of --emit or a kernel_NNN.c of a network's library, which need no harness, or
 * NAME.c, NAME.cu, NAME.cl or NAME.ll. "part": true leaves the last line out of a text. TEXT is a
 * computation over the names of the harness; without it, the harness names one. `set` are the
 * parameters of tuning, and `words` further ones for the compiler, one a line. `certificate` is an
 * earlier answer in JSON, of a folder its file kernel.proof: whether it was about this source, and
 * what it said, is part of the answer, and decides nothing. "compare": true answers that alone, as
 * one line of JSON, and proves nothing. What is to be printed is appended to `out`, for each case
 * and for all; *exit_code is one of the above.
 * The second request is whether another kernel, that is called likewise, gives the same bits
 * (opevo_prove_same_bits), without a computation and without certificates. The third is whether it
 * is the same function (opevo_prove_same_function).
 * The fourth request is for the source as its preprocessor leaves it, in C by clang for this
 * machine, of others without any macros but its own: behind a line with the path of clang. What
 * depends on what a compiler knows of a value (__builtin_constant_p) is as if it knew nothing. Such
 * a text means the same to the prover and to a compiler that measures it.
 * Errors: INVALID for input that does not fit together; IO; NOMEM. */
opevo_status opevo_prover_answer(const char *request, opevo_text *out, int *exit_code,
                                 opevo_error *err);

OPEVO_END_C

#endif
