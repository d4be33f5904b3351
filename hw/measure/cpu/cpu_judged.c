/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Executions of which each is judged: on contents that were drawn for it alone, from a clock that
 * starts before the process may run and stops when none of its threads does any more.
 *
 * The order of an execution lies in the pipe of a stopped process, and so do the contents in its
 * memory: it can compute nothing before the clock starts. It is stopped again before the clock is
 * read, and checked while it is: nothing can be computed after. What this costs without an
 * execution is found before the object is loaded, and subtracted. */

#include "cpu_internal.h"

#include <opevo/clock.h>

#include <math.h>
#include <stdio.h>

#include "job_internal.h"
#include "own_operands_internal.h"

enum { IDLE_CALLS = 31 };
#define IDLE_S 10

/* ---- Results -------------------------------------------------------------------------------- */

bool opevo_i_cpu_check(opevo_i_cpu_process *process, opevo_i_own *own,
                       const opevo_i_reference_operands *operands, const char *when,
                       opevo_i_wire_result *result)
{
    double start = opevo_clock_monotonic_s();
    opevo_text why = {0};
    bool right = true;

    opevo_i_cpu_process_stop(process);
    for (int i = operands->list.inputs; i < operands->list.count && right; i++) {
        right = opevo_i_reference_operands_check(
            operands, i, opevo_i_reference_floats(&operands->memory[i]), &why);
        if (right && !opevo_i_reference_guarded_intact(&operands->memory[i])) {
            opevo_text_printf(&why, "it wrote outside %s",
                              own ? operands->list.item[i].name : "its output");
            right = false;
        }
    }
    if (!right)
        opevo_i_wire_result_fail(result, OPEVO_OUTCOME_WRONG, "%s%s", when,
                                 opevo_text_string(&why));
    opevo_text_free(&why);
    if (right && own)
        right = opevo_i_own_verify(own, operands, result);
    result->check_s += opevo_clock_monotonic_s() - start;
    return right;
}

void opevo_i_cpu_renew_outputs(opevo_i_reference_operands *operands)
{
    for (int i = operands->list.inputs; i < operands->list.count; i++) {
        opevo_i_reference_guarded *output = &operands->memory[i];
        opevo_i_reference_guarded fresh;

        if (!opevo_i_reference_guarded_intact(output) &&
            (operands->judge
                 ? opevo_i_reference_guarded_create_wide(output->bytes, OPEVO_I_OWN_MARGIN,
                                                         output->pattern, true, &fresh, NULL)
                 : opevo_i_reference_guarded_create(output->bytes, true, &fresh, NULL)) ==
                OPEVO_OK) {
            opevo_i_reference_guarded_free(output);
            *output = fresh;
        }
    }
    opevo_i_reference_operands_poison(operands);
}

/* ---- One execution -------------------------------------------------------------------------- */

/* Of a process that is stopped, as it is again after it; a letter. */
static char call(opevo_i_cpu_process *process, uint64_t count, double limit_s,
                 opevo_i_cpu_cost *cost)
{
    char letter = 0;

    opevo_i_cpu_process_send(process, OPEVO_I_CPU_RUN, 0, count);
    opevo_i_cpu_process_continue(process);
    letter = opevo_i_cpu_process_await(process, limit_s, NULL);
    opevo_i_cpu_process_stop(process);
    *cost = opevo_i_cpu_process_so_far(process);
    if (letter == 'd' && cost->wall_s > limit_s)
        return 't';
    return process->over ? 0 : letter;
}

char opevo_i_cpu_find_idle_call(opevo_i_cpu_process *process)
{
    opevo_i_cpu_cost least = {INFINITY, INFINITY};
    char letter = 'd';

    process->idle = (opevo_i_cpu_cost){0, 0};
    opevo_i_cpu_process_stop(process);
    for (int i = 0; i < IDLE_CALLS && letter == 'd'; i++) {
        opevo_i_cpu_cost cost;

        letter = call(process, 0, IDLE_S, &cost);
        least.wall_s = fmin(least.wall_s, cost.wall_s);
        least.processor_s = fmin(least.processor_s, cost.processor_s);
    }
    process->idle = least;
    opevo_i_cpu_process_continue(process);
    return letter;
}

/* A result names the seed of its contents, with which it can be had again. */
static bool renew(opevo_i_own *own, opevo_i_reference_operands *operands, char when[64],
                  opevo_i_wire_result *result)
{
    double start = opevo_clock_monotonic_s();
    opevo_error err = {OPEVO_OK, ""};
    uint64_t seed = 0;

    if (opevo_i_own_draw_contents(own, &seed, &err) != OPEVO_OK) {
        opevo_i_wire_result_fault(result, "%s", err.message);
        return false;
    }
    opevo_i_cpu_renew_outputs(operands);
    snprintf(when, 64, "on inputs of seed %llu: ", (unsigned long long)seed);
    result->check_s += opevo_clock_monotonic_s() - start;
    return true;
}

char opevo_i_cpu_judge_calls(opevo_i_cpu_process *process, opevo_i_own *own,
                             opevo_i_reference_operands *operands, opevo_i_cpu_windows *out,
                             opevo_i_wire_result *result)
{
    const opevo_i_cpu_plan *plan = process->plan;

    opevo_i_cpu_process_stop(process);
    for (unsigned i = 0; i <= plan->calls; i++) {
        opevo_i_cpu_cost cost;
        char when[64];
        char letter = 0;

        if (!renew(own, operands, when, result))
            return 'w';
        letter = call(process, 1, plan->run_limit_s, &cost);
        if (letter != 'd')
            return letter;
        if (!opevo_i_cpu_check(process, own, operands, when, result))
            return 'w';
        if (i > 0 && out->sample_count < OPEVO_I_CPU_SAMPLES)
            opevo_i_cpu_keep_window(out, cost);
    }
    return 'd';
}
