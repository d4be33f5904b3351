/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What kernels come to, one JSON object a line. */

#include "judge_internal.h"

#include <opevo/json.h>

#include <jansson.h>

#include <stdlib.h>
#include <string.h>

#include "prover_of_call_internal.h"

#define NOT_COVERED                                                                                \
    "of a proved kernel: roundings, and the step from LLVM IR to machine code; of a tested one: "  \
    "other inputs than those of its calls"

static const char *const verdicts[] = {
#define NAME(suffix, text) [OPEVO_I_JUDGED_##suffix] = text,
    OPEVO_I_JUDGED_LIST(NAME)
#undef NAME
};

/* What measuring says beside the proof. */
static void conclude(opevo_i_cli_contender *one, const opevo_judge_result *times)
{
    if (one->verdict == OPEVO_I_JUDGED_REFUSED)
        return;
    if (times->kind != OPEVO_OUTCOME_OK) {
        one->verdict = OPEVO_I_JUDGED_REFUSED;
        one->class = opevo_outcome_name(times->kind);
        opevo_text_clear(&one->why);
        opevo_text_add(&one->why, opevo_text_string(&times->why));
    } else if (times->impossible) {
        one->verdict = OPEVO_I_JUDGED_REFUSED;
        one->class = "impossible";
        opevo_text_clear(&one->why);
        opevo_text_add(&one->why, "it takes less time than the device needs for what it computes");
    }
}

/* ---- Lines ---- */

/* The answers of the prover as they are, one for each case and one for all. */
static void add_proof(const opevo_text *proof, opevo_text *out)
{
    if (!proof->length)
        return;
    opevo_json_open(out, "proof", "[");
    for (const char *at = proof->data; *at;) {
        size_t length = strcspn(at, "\n");

        opevo_text_printf(out, "%s%.*s", at == proof->data ? "" : ", ", (int)length, at);
        at += length + (at[length] == '\n');
    }
    opevo_text_add(out, "]");
}

static void add_interval(const char *key, double low, double high, opevo_text *out)
{
    opevo_json_open(out, key, "[");
    opevo_text_add_double(out, low);
    opevo_text_add(out, ", ");
    opevo_text_add_double(out, high);
    opevo_text_add(out, "]");
}

static void add_times(const opevo_judge_result *times, double floor_s, opevo_text *out)
{
    if (times->count == 0)
        return;
    if (times->kind == OPEVO_OUTCOME_OK) {
        opevo_json_double(out, "time_s", times->median_s);
        if (times->low_s > 0)
            add_interval("interval_s", times->low_s, times->high_s, out);
    }
    opevo_json_open(out, "times_s", "[");
    for (size_t i = 0; i < times->count; i++) {
        opevo_text_add(out, i ? ", " : "");
        opevo_text_add_double(out, times->times_s[i]);
    }
    opevo_text_add(out, "]");
    if (floor_s > 0)
        opevo_json_double(out, "floor_s", floor_s);
    if (!(times->speedup > 0))
        return;
    opevo_json_double(out, "speedup", times->speedup);
    if (times->speedup_low > 0)
        add_interval("speedup_interval", times->speedup_low, times->speedup_high, out);
    opevo_json_double(out, "p", times->probability);
    opevo_json_bool(out, "faster", times->faster);
}

static void print_one(const opevo_i_cli_judgement *self, size_t i, opevo_text *out)
{
    const opevo_i_cli_contender *one = &self->contenders[i];

    opevo_text_add(out, "{");
    opevo_json_string(out, "kernel", one->path);
    opevo_json_bool(out, "baseline", one->baseline);
    opevo_json_string(out, "verdict", verdicts[one->verdict]);
    if (one->verdict == OPEVO_I_JUDGED_REFUSED)
        opevo_json_string(out, "class", one->class);
    if (one->verdict != OPEVO_I_JUDGED_PROVED)
        opevo_json_string(out, "why", opevo_text_string(&one->why));
    add_times(&self->times.results[i], self->floors_s[i], out);
    add_proof(&one->proof, out);
    opevo_text_add(out, "}\n");
}

static void add_name(const opevo_i_cli_judgement *self, const char *key, size_t i, opevo_text *out)
{
    if (i < self->count)
        opevo_json_string(out, key, self->contenders[i].path);
}

static void print_all(const opevo_i_cli_judgement *self, opevo_text *out)
{
    const opevo_judge_verdict *times = &self->times;

    opevo_text_add(out, "{");
    opevo_json_string(out, "task", self->request->task);
    opevo_json_string(out, "on", self->request->on);
    opevo_json_string(out, "device", opevo_text_string(&self->device));
    opevo_json_index(out, "rounds", self->rounds);
    opevo_json_index(out, "calls", self->calls);
    opevo_json_index(out, "seed", self->request->seed);
    if (self->peak > 0)
        opevo_json_double(out, "peak", self->peak);
    add_name(self, "best_baseline", times->baseline, out);
    add_name(self, "fastest", times->winner, out);
    if (times->twin < self->count) {
        opevo_json_open(out, "timer", "{");
        add_name(self, "kernel", times->twin, out);
        opevo_json_double(out, "ratio", times->twin_ratio);
        opevo_json_double(out, "p", times->twin_probability);
        opevo_json_bool(out, "sound", !times->biased);
        opevo_text_add(out, "}");
    }
    opevo_json_string(out, "not_covered", NOT_COVERED);
    opevo_text_add(out, "}\n");
}

void opevo_i_cli_judge_print(opevo_i_cli_judgement *self, opevo_text *out, int *exit_code)
{
    bool refused = false, tested = false;

    for (size_t i = 0; i < self->count; i++) {
        conclude(&self->contenders[i], &self->times.results[i]);
        refused |= self->contenders[i].verdict == OPEVO_I_JUDGED_REFUSED;
        tested |= self->contenders[i].verdict == OPEVO_I_JUDGED_TESTED;
        print_one(self, i, out);
    }
    print_all(self, out);
    *exit_code = refused  ? OPEVO_I_CLI_REFUTED
                 : tested ? OPEVO_I_CLI_UNDECIDED
                          : OPEVO_I_CLI_PROVED;
}
