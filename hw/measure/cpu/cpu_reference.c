/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How a kernel in C is compiled, and one that gives golden results is run, on whatever device
 * others are measured: in a process that is forked for it, once on each set of operands. */

#include "cpu_internal.h"

#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

#define REFERENCE_S 60 /* for one execution */
#define MEMORY_LIMIT ((uint64_t)4 << 30)

opevo_status opevo_i_cpu_build_command(const char *compiler, const opevo_kernel *kernel,
                                       const char *source, const char *object,
                                       opevo_i_process_arguments *out, opevo_error *err)
{
    /* The file may have the ending of another language. */
    const char *const words[] = {
        compiler, OPEVO_KERNEL_C_FLAGS, "-fPIC", "-shared", "-pipe", "-w", "-o", object, "-x", "c",
        source};
    bool good = true;

    for (size_t i = 0; good && i < sizeof words / sizeof *words; i++)
        good = opevo_i_process_arguments_add(out, words[i], strlen(words[i]));
    if (good && kernel->parallel)
        good = opevo_i_process_arguments_add(out, OPEVO_KERNEL_C_PARALLEL_FLAG,
                                             strlen(OPEVO_KERNEL_C_PARALLEL_FLAG));
    /* Functions of a source call each other, not those of a library that has the same names. */
    if (good && kernel->own)
        good = opevo_i_process_arguments_add(out, "-fvisibility=hidden",
                                             strlen("-fvisibility=hidden"));
    return good ? opevo_i_own_add_options(kernel, false, out, err)
                : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a command.");
}

/* The last letter; the process is stopped where that is 'd'. */
static char run_each(opevo_i_cpu_process *process, char letter)
{
    for (uint32_t set = 0; set < OPEVO_I_CPU_SETS && letter == 'd'; set++)
        letter = opevo_i_cpu_process_ask(process, OPEVO_I_CPU_RUN, set, 1, REFERENCE_S, NULL);
    if (letter == 'd')
        opevo_i_cpu_process_stop(process);
    return letter;
}

static opevo_status describe(const opevo_i_cpu_process *process, char letter, opevo_error *err)
{
    opevo_i_wire_result result = {.id = 0};

    if (letter == 'h')
        return OPEVO_FAIL(err, OPEVO_FAULT, "%s", process->words);
    if (letter == 't')
        return OPEVO_FAIL(err, OPEVO_INVALID, "The reference kernel takes longer than %d s.",
                          REFERENCE_S);
    if (letter == 'l')
        return OPEVO_FAIL(err, OPEVO_INVALID, "The reference kernel cannot be loaded: %s.",
                          process->words);
    opevo_i_cpu_process_describe_death(process, &result);
    OPEVO_FAIL(err, OPEVO_INVALID, "The reference kernel fails: %s.",
               opevo_text_string(&result.message));
    opevo_i_wire_result_clear(&result);
    return OPEVO_INVALID;
}

opevo_status opevo_i_cpu_run_reference(const opevo_i_cpu_plan *like, const char *entry,
                                       const char *object, opevo_i_own *own,
                                       const opevo_i_reference_operands *sets, opevo_error *err)
{
    opevo_i_cpu_plan plan = {
        .precision = 1, .repeat_s = 1, .core = -1, .memory_bytes = MEMORY_LIMIT};
    opevo_i_cpu_windows *windows = opevo_calloc(1, sizeof *windows);
    opevo_i_cpu_process process;
    opevo_status status = OPEVO_OK;
    char letter = 0;

    OPEVO_NEED_OR_RETURN(windows, "a reference");
    if (like)
        plan = *like;
    plan.run_limit_s = REFERENCE_S;
    for (int set = 0; set < OPEVO_I_CPU_SETS; set++)
        opevo_i_reference_operands_poison(&sets[set]);
    letter = opevo_i_cpu_process_start(&plan, object, entry, sets, &process);
    if (process.pid < 0) {
        status = OPEVO_FAIL(err, OPEVO_FAULT, "A process for kernels cannot be created: %s.",
                            strerror(process.status));
        goto cleanup;
    }
    if (letter == 'd')
        letter = opevo_i_cpu_prepare(&process, windows);
    letter = run_each(&process, letter);
    if (letter == 'd')
        status = opevo_i_own_take_golden(own, sets, err);
    opevo_i_cpu_process_end(&process);
    if (letter != 'd')
        status = describe(&process, letter, err);
cleanup:
    opevo_free(windows);
    return status;
}
