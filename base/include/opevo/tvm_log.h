/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Logs of TVM's tuners, one JSON value a line: which of them wrote a text. All readers of files ask
 * here, so that such a log is read or named wherever it is given. */

#ifndef OPEVO_TVM_LOG_H
#define OPEVO_TVM_LOG_H

#include <opevo/api.h>

#include <stdbool.h>
#include <stddef.h>

OPEVO_BEGIN_C

typedef enum opevo_tvm_log {
    OPEVO_TVM_LOG_OTHER, /* not such a log */
    OPEVO_TVM_LOG_AUTOTVM,
    OPEVO_TVM_LOG_ANSOR,
    OPEVO_TVM_LOG_META_SCHEDULE
} opevo_tvm_log;

/* By the first line that is neither blank nor begins with '#':
 *
 *   {"input": [...], "config": ..., "result": ...}   AutoTVM, log version 0.2
 *   {"i": ["target", ...], "r": ...}                 AutoTVM, log version 0.1
 *   {"i": [[...], [...]], "r": ...}                  auto_scheduler (Ansor)
 *   [number, [...]] or ["hash", "text"]              MetaSchedule: records, or workloads
 *
 * The text ends in a zero byte. Cost: linear in that line. */
opevo_tvm_log opevo_tvm_log_of(const char *text);

/* Go on to the next line that is neither blank nor a comment ('#'), and to its first character;
 * *line counts the lines passed. False at the end. */
bool opevo_tvm_log_next(const char **text, size_t *line);

/* What such a log is and what to do with it, without a full stop; NULL for OTHER. */
const char *opevo_tvm_log_advice(opevo_tvm_log log);

OPEVO_END_C

#endif
