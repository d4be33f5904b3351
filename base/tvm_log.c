/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Source: TVM 0.6 to 0.18, python/tvm/autotvm/record.py, src/auto_scheduler/measure_record.cc,
 * src/meta_schedule/database/json_database.cc. */

#include <opevo/tvm_log.h>

#include <string.h>

bool opevo_tvm_log_next(const char **text, size_t *line)
{
    const char *at = *text;

    for (;; (*line)++) {
        size_t blanks = strspn(at, " \t\r");

        if (at[blanks] && at[blanks] != '\n' && at[blanks] != '#')
            break;
        at += strcspn(at, "\n");
        if (!*at)
            return false;
        at++;
    }
    *text = at + strspn(at, " \t\r");
    return true;
}

/* What stands behind "KEY": and blanks in the line, which ends at `end`; NULL if the key does not
 * occur. */
static const char *member(const char *line, const char *end, const char *key)
{
    size_t length = strlen(key);

    for (const char *at = line; at + length < end; at++) {
        if (*at != '"' || strncmp(at + 1, key, length) != 0 || at[1 + length] != '"')
            continue;
        at += length + 2;
        at += strspn(at, " \t");
        if (*at == ':')
            return at + 1 + strspn(at + 1, " \t");
    }
    return NULL;
}

/* [7, [...] or ["4824461705361984", "..." */
static bool is_meta_schedule(const char *line)
{
    const char *at = line + 1 + strspn(line + 1, " \t");
    bool quoted = *at == '"';
    size_t digits = strspn(at + quoted, "0123456789");

    if (digits < (quoted ? 10 : 1) || (quoted && at[1 + digits] != '"'))
        return false;
    at += digits + (quoted ? 2 : 0);
    at += strspn(at, " \t");
    if (*at != ',')
        return false;
    at += 1 + strspn(at + 1, " \t");
    return *at == (quoted ? '"' : '[');
}

opevo_tvm_log opevo_tvm_log_of(const char *text)
{
    const char *end = NULL, *task = NULL;
    size_t line = 1;

    if (!opevo_tvm_log_next(&text, &line))
        return OPEVO_TVM_LOG_OTHER;
    end = text + strcspn(text, "\n");
    if (*text == '[')
        return is_meta_schedule(text) ? OPEVO_TVM_LOG_META_SCHEDULE : OPEVO_TVM_LOG_OTHER;
    if (*text != '{')
        return OPEVO_TVM_LOG_OTHER;
    task = member(text, end, "input");
    if (task && *task == '[' && member(text, end, "config") && member(text, end, "result"))
        return OPEVO_TVM_LOG_AUTOTVM;
    task = member(text, end, "i");
    if (!task || *task != '[' || !member(text, end, "r"))
        return OPEVO_TVM_LOG_OTHER;
    task += 1 + strspn(task + 1, " \t");
    return *task == '['   ? OPEVO_TVM_LOG_ANSOR
           : *task == '"' ? OPEVO_TVM_LOG_AUTOTVM
                          : OPEVO_TVM_LOG_OTHER;
}

const char *opevo_tvm_log_advice(opevo_tvm_log log)
{
    switch (log) {
    case OPEVO_TVM_LOG_AUTOTVM:
        return "this is a log of AutoTVM, whose knobs belong to templates of TVM; it is read as a "
               "recording: give it with --on recorded:FILE";
    case OPEVO_TVM_LOG_ANSOR:
        return "this is a log of TVM's auto_scheduler (Ansor), whose records are schedules; list "
               "them with opevo sketch WHAT --record FILE, and give one of them with --schedule "
               "or --start";
    case OPEVO_TVM_LOG_META_SCHEDULE:
        return "this is a log of MetaSchedule, whose traces are of TensorIR; of TVM's logs those "
               "of "
               "AutoTVM (recordings) and of auto_scheduler (schedules) are read";
    case OPEVO_TVM_LOG_OTHER:
        break;
    }
    return NULL;
}
