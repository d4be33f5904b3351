/* SPDX-License-Identifier: GPL-3.0-or-later */

/* One execution of a kernel on a GPU: its memory, its launches between two events, and the check of
 * what it wrote. */

#include "gpu_backend_internal.h"

#include <opevo/clock.h>

#include <math.h>
#include <poll.h>
#include <string.h>

#define RESOLUTION_MS 5e-4 /* of events */
#define POISON 0x7fd15ea5U /* as on the CPU */
#define RESTART_S 1.0      /* what a kernel that is stopped costs: a new worker */
enum {
    DYNAMIC_SHARED_BYTES = 8, /* the attribute of that number in cuda.h */
    STATIC_SHARED_LIMIT = 48 << 10
};

void opevo_i_gpu_judge(const opevo_i_gpu_running *run, int code, const char *what)
{
    const opevo_i_gpu_backend *self = run->self;
    bool sticky = self->driver.synchronize() != 0;

    run->result->context_lost = sticky;
    opevo_i_wire_result_fail(
        run->result, sticky ? OPEVO_OUTCOME_CRASHED : OPEVO_OUTCOME_LAUNCH_ERROR,
        "%s: error %d (%s)", what, code, opevo_i_gpu_words(self->vendor, code));
}

/* Leave for all shared memory that the launches ask for. */
static bool ask_for_shared(const opevo_i_gpu_running *run)
{
    const opevo_i_gpu_backend *self = run->self;
    const opevo_kernel *kernel = &run->job->kernel;

    for (int i = 0; i <= kernel->more && self->driver.set_function; i++) {
        uint32_t bytes = opevo_kernel_launch(kernel, i).dynamic_shared_bytes;
        int code = 0;

        if (bytes <= STATIC_SHARED_LIMIT)
            continue;
        code = self->driver.set_function(run->function[i], DYNAMIC_SHARED_BYTES, (int)bytes);
        if (code) {
            opevo_i_gpu_judge(run, code, "the device has less shared memory");
            return false;
        }
    }
    return true;
}

/* Scratch memory of the kernel, poisoned: whatever is in it must not matter. */
static bool reserve_scratch(const opevo_i_gpu_running *run)
{
    opevo_i_gpu_backend *self = run->self;
    size_t bytes = (size_t)run->job->kernel.scratch_bytes;
    int code = 0;

    if (bytes > self->scratch_bytes) {
        if (self->scratch_bytes)
            self->driver.release(self->scratch);
        self->scratch_bytes = 0;
        code = self->driver.allocate(&self->scratch, bytes);
        self->scratch_bytes = code ? 0 : bytes;
    }
    if (bytes && !code)
        code = self->driver.fill(self->scratch, POISON, bytes / 4);
    if (code)
        opevo_i_gpu_judge(run, code, "the device has no room for its scratch memory");
    return code == 0;
}

bool opevo_i_gpu_reserve(const opevo_i_gpu_running *run)
{
    return ask_for_shared(run) && reserve_scratch(run);
}

static bool launch(const opevo_i_gpu_running *run)
{
    opevo_i_gpu_backend *self = run->self;
    const opevo_kernel *kernel = &run->job->kernel;
    int count = self->operands.list.count;
    opevo_i_gpu_argument arguments[OPEVO_WORKLOAD_OPERANDS + 1];
    opevo_i_gpu_start what = {.arguments = arguments,
                              .count = (size_t)count + (kernel->scratch_bytes > 0)};
    int code = 0;

    if (run->job->library) {
        code = opevo_i_gpu_math_run(self->math);
        if (code)
            opevo_i_wire_result_fail(run->result, OPEVO_OUTCOME_LAUNCH_ERROR, "%s: status %d",
                                     opevo_i_gpu_math_title(self->math), code);
        return code == 0;
    }
    for (int i = 0; i < count; i++)
        arguments[i] = (opevo_i_gpu_argument){&self->argument[i], sizeof *self->argument, true};
    arguments[count] = (opevo_i_gpu_argument){&self->scratch, sizeof self->scratch, true};
    for (int i = 0; i <= kernel->more && !code; i++) {
        what.shape = opevo_kernel_launch(kernel, i);
        code = opevo_i_gpu_launch(&self->driver, run->function[i], &what);
    }
    if (code)
        opevo_i_gpu_judge(run, code, "it cannot be launched");
    return code == 0;
}

void opevo_i_gpu_add_block(const uint32_t block[3], opevo_text *out)
{
    char words[40];
    size_t length = (size_t)snprintf(words, sizeof words, "%u-%u-%u", block[0], block[1], block[2]);
    const char *at = opevo_text_string(out);

    while (*at && (strncmp(at, words, length) != 0 || (at[length] && at[length] != ','))) {
        at += strcspn(at, ",");
        at += *at == ',';
    }
    if (!*at)
        opevo_text_printf(out, "%s%s", out->length ? "," : "", words);
}

void opevo_i_gpu_mind_engine(void)
{
    struct pollfd engine = {.fd = OPEVO_I_ENGINE_FD};

    if (poll(&engine, 1, 0) > 0)
        opevo_i_backend_end_with_engine();
}

int opevo_i_gpu_await(opevo_i_gpu_backend *self, double deadline)
{
    int code = 0;

    while ((code = self->driver.query_event(self->end)) == OPEVO_I_GPU_NOT_READY) {
        if (opevo_clock_monotonic_s() > deadline)
            break;
        opevo_i_gpu_mind_engine();
        opevo_i_gpu_nap(&self->driver, self->end);
    }
    return code;
}

/* Wait for the end event; false on failure, or when the time is over, or more than it is worth. */
static bool wait_for_end(const opevo_i_gpu_running *run, double limit_s, double slow_s)
{
    int code = opevo_i_gpu_await(run->self, opevo_clock_monotonic_s() + fmin(limit_s, slow_s));

    if (code == OPEVO_I_GPU_NOT_READY) {
        run->result->context_lost = true; /* it can only be stopped with the process */
        if (slow_s < limit_s)
            opevo_i_wire_result_fail(run->result, OPEVO_OUTCOME_TIMEOUT, OPEVO_I_SLOWER,
                                     run->job->slower, run->job->best_s);
        else
            opevo_i_wire_result_fail(run->result, OPEVO_OUTCOME_TIMEOUT, "took longer than %g s",
                                     limit_s);
    } else if (code) {
        opevo_i_gpu_judge(run, code, "it failed");
    }
    return code == 0;
}

double opevo_i_gpu_window(const opevo_i_gpu_running *run, unsigned calls)
{
    opevo_i_gpu_backend *self = run->self;
    float ms = 0;
    int code = 0;

    if (self->cold && (code = self->driver.fill(self->flush, calls, self->flush_words)) != 0)
        opevo_i_gpu_judge(run, code, "the caches cannot be flushed");
    if (!code && (code = self->driver.record_event(self->start, NULL)) != 0)
        opevo_i_gpu_judge(run, code, "no event");
    for (unsigned i = 0; !code && i < calls; i++) {
        if (!launch(run))
            return 0;
    }
    if (code)
        return 0;
    code = self->driver.record_event(self->end, NULL);
    if (code) {
        opevo_i_gpu_judge(run, code, "no event");
        return 0;
    }
    if (!wait_for_end(run, self->run_limit_s, fmax(opevo_i_wire_job_slow_s(run->job), RESTART_S)))
        return 0;
    code = self->driver.elapsed_ms(&ms, self->start, self->end);
    if (code) {
        opevo_i_gpu_judge(run, code, "it cannot be timed");
        return 0;
    }
    return fmax((double)ms, RESOLUTION_MS) * 1e-3 / calls;
}

bool opevo_i_gpu_prepare(const opevo_i_gpu_running *run)
{
    opevo_i_gpu_backend *self = run->self;
    const opevo_i_gpu_driver *driver = &self->driver;
    const opevo_i_reference_operands *operands = &self->operands;
    int code = 0;

    for (int i = 0; i < operands->list.count && !code; i++) {
        if (i < operands->list.inputs) {
            code = driver->copy(self->memory[i], self->pristine[i], operands->memory[i].bytes);
            continue;
        }
        code =
            driver->fill(self->memory[i], OPEVO_I_GPU_PATTERN, opevo_i_gpu_output_words(self, i));
        if (!code)
            code =
                opevo_i_gpu_is_filled(self, i)
                    ? driver->fill(self->argument[i], POISON, operands->count[i])
                    : driver->copy(self->argument[i], self->pristine[i], operands->memory[i].bytes);
    }
    if (code)
        opevo_i_gpu_judge(run, code, "the operands cannot be renewed");
    return code == 0;
}

/* Whether one output is right; false, with a clause in `why` or a result, otherwise. */
static bool check_output(const opevo_i_gpu_running *run, int operand, opevo_text *why)
{
    opevo_i_gpu_backend *self = run->self;
    size_t words = opevo_i_gpu_output_words(self, operand);
    size_t bytes = self->operands.memory[operand].bytes;
    const unsigned char *c = (const unsigned char *)(self->words + OPEVO_I_GPU_GUARD_WORDS);
    const uint32_t pattern = OPEVO_I_GPU_PATTERN; /* all bytes are the same */
    bool intact = false;
    int code = self->driver.copy_out(self->words, self->memory[operand], 4 * words);

    if (code) {
        opevo_i_gpu_judge(run, code, "its result cannot be read");
        return false;
    }
    if (!opevo_i_reference_operands_check(&self->operands, operand, c, why))
        return false;
    intact = memcmp(c + bytes, &pattern, -bytes % 4) == 0;
    for (size_t i = 0; i < OPEVO_I_GPU_GUARD_WORDS; i++)
        intact &= self->words[i] == pattern && self->words[words - 1 - i] == pattern;
    if (!intact)
        opevo_text_add(why, "it wrote outside its output");
    return intact;
}

bool opevo_i_gpu_check(const opevo_i_gpu_running *run)
{
    const opevo_workload_list *list = &run->self->operands.list;
    double start = opevo_clock_monotonic_s();
    opevo_text why = {0};
    bool right = true;

    for (int i = list->inputs; i < list->count && right; i++)
        right = check_output(run, i, &why);
    if (why.length)
        opevo_i_wire_result_fail(run->result, OPEVO_OUTCOME_WRONG, "%s", opevo_text_string(&why));
    opevo_text_free(&why);
    run->result->check_s += opevo_clock_monotonic_s() - start;
    return right;
}
