/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The interpreter as a launcher of harnesses. Kernels work on the buffers of the case in place. */

#include <opevo/simt_launcher.h>

#include <opevo/memory.h>

#include <stdio.h>
#include <string.h>

typedef struct simt_launcher {
    opevo_launcher super;
    opevo_simt *simt;
    uint64_t steps;
    opevo_simt_prepare *prepare;
    void *context;
} simt_launcher;

static opevo_kernel_verdict verdict_of(opevo_simt_outcome outcome)
{
    static const opevo_kernel_verdict verdicts[] = {
        [OPEVO_SIMT_OK] = OPEVO_VERDICT_OK,
        [OPEVO_SIMT_UNSUPPORTED] = OPEVO_VERDICT_UNSUPPORTED,
        [OPEVO_SIMT_OUT_OF_BOUNDS] = OPEVO_VERDICT_OUT_OF_BOUNDS,
        [OPEVO_SIMT_UNINITIALISED] = OPEVO_VERDICT_UNINITIALISED,
        [OPEVO_SIMT_RACE] = OPEVO_VERDICT_RACE,
        [OPEVO_SIMT_DIVERGENT_BARRIER] = OPEVO_VERDICT_DIVERGENT_BARRIER,
        [OPEVO_SIMT_UNDEFINED] = OPEVO_VERDICT_UNDEFINED,
        [OPEVO_SIMT_LIMIT] = OPEVO_VERDICT_LIMIT,
        [OPEVO_SIMT_DATA] = OPEVO_VERDICT_UNSUPPORTED,
    };

    return verdicts[outcome];
}

static uint64_t address(const void *context, size_t buffer)
{
    return opevo_simt_address(context, (uint32_t)buffer);
}

/* A kernel with the name in C++, which begins with its length, and the only instance where it is a
 * template; NULL: none, or several. */
static const char *find_mangled(const opevo_simt *simt, const char *name)
{
    const char *found = NULL;
    char start[512];
    size_t plain = strcspn(name, "<");
    size_t length = (size_t)snprintf(start, sizeof start, "_Z%zu%.*s%s", plain, (int)plain, name,
                                     name[plain] ? "I" : "");

    for (size_t i = 0; length < sizeof start && i < opevo_simt_kernel_count(simt); i++) {
        const char *kernel = opevo_simt_kernel_name(simt, i);

        if (strncmp(kernel, start, length) != 0)
            continue;
        if (found)
            return NULL;
        found = kernel;
    }
    return found;
}

static const char *kernel_of(const opevo_simt *simt, const char *name)
{
    const char *mangled = NULL;

    for (size_t i = 0; i < opevo_simt_kernel_count(simt); i++) {
        if (!strcmp(opevo_simt_kernel_name(simt, i), name))
            return name;
    }
    mangled = find_mangled(simt, name);
    return mangled ? mangled : name;
}

static opevo_status launch(void *context, const opevo_grid_launch *what, opevo_evaluation *out,
                           opevo_error *err)
{
    simt_launcher *self = context;
    opevo_status status = OPEVO_OK;
    opevo_simt_result result = {.outcome = OPEVO_SIMT_OK};
    opevo_simt_argument *arguments = opevo_calloc(what->argument_count + 1, sizeof *arguments);
    opevo_simt_launch run = {.kernel = kernel_of(self->simt, what->kernel),
                             .dynamic_shared_bytes = what->shared_bytes,
                             .arguments = arguments,
                             .argument_count = what->argument_count};

    uint8_t(*structs)[OPEVO_STRUCT_MOST] = opevo_calloc(what->argument_count + 1, sizeof *structs);

    OPEVO_NEED(arguments && structs, "a launch");
    memcpy(run.grid, what->grid, sizeof run.grid);
    memcpy(run.block, what->block, sizeof run.block);
    for (size_t i = 0; i < what->argument_count; i++) {
        const opevo_argument *one = &what->arguments[i];

        if (one->kind == OPEVO_ARGUMENT_BUFFER)
            arguments[i] =
                (opevo_simt_argument){.is_buffer = true, .buffer = (uint32_t)one->buffer};
        else
            arguments[i].bits = one->bits;
        arguments[i].is_local = one->kind == OPEVO_ARGUMENT_LOCAL;
        if (one->kind == OPEVO_ARGUMENT_STRUCT) {
            arguments[i].size_bytes = opevo_argument_lay_out(one, address, self->simt, structs[i]);
            arguments[i].bytes = structs[i];
        }
    }
    status = opevo_simt_run(self->simt, &run, &result, err);
    if (status == OPEVO_OK && result.outcome != OPEVO_SIMT_OK) {
        out->verdict = verdict_of(result.outcome);
        snprintf(out->message, sizeof out->message, "%s", result.message);
    }
cleanup:
    opevo_free(structs);
    opevo_free(arguments);
    return status;
}

/* The host may read what no kernel wrote: it is 0. */
static opevo_status fetch(void *context, size_t buffer, opevo_error *err)
{
    opevo_simt *simt = ((simt_launcher *)context)->simt;

    if (!opevo_simt_mark_read(simt, (uint32_t)buffer))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "What the host reads between launches depends on data, so that nothing "
                          "can be proved.");
    return OPEVO_OK;
}

static opevo_status store(void *context, size_t buffer, opevo_error *err)
{
    (void)err;
    opevo_simt_mark_written(((simt_launcher *)context)->simt, (uint32_t)buffer);
    return OPEVO_OK;
}

static opevo_status add_buffers(simt_launcher *self, opevo_case *what, opevo_error *err)
{
    size_t count = 0;
    opevo_buffer *buffers = opevo_case_buffers(what, &count);
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < count && status == OPEVO_OK; i++) {
        opevo_simt_buffer buffer = {.data = buffers[i].data,
                                    .size_bytes = buffers[i].size_bytes,
                                    .initialised = buffers[i].initialised,
                                    .same_value_races = buffers[i].benign_races,
                                    .name = buffers[i].name};
        uint32_t number = 0;

        status = opevo_simt_add_buffer(self->simt, &buffer, &number, err);
    }
    return status;
}

/* Variables that the host fills before a kernel runs. What is proved holds for all inputs, which
 * their bytes are not. */
static opevo_status set_variables(simt_launcher *self, opevo_case *what, opevo_evaluation *out,
                                  opevo_error *err)
{
    size_t count = 0;
    const opevo_buffer *buffers = opevo_case_buffers(what, &count);

    for (size_t i = 0; i < count && out->verdict == OPEVO_VERDICT_OK; i++) {
        const opevo_buffer *buffer = &buffers[i];

        if (!buffer->symbol)
            continue;
        if (self->prepare)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "The buffer %.60s is copied to a variable of the module, so that "
                              "nothing can be proved for all inputs.",
                              buffer->name);
        if (opevo_simt_set_variable(self->simt, buffer->symbol, buffer->data, buffer->size_bytes))
            continue;
        out->verdict = OPEVO_VERDICT_UNSUPPORTED;
        snprintf(out->message, sizeof out->message,
                 "The module has no variable %.60s of at least %zu bytes.", buffer->symbol,
                 buffer->size_bytes);
    }
    return OPEVO_OK;
}

/* An output with an element that nothing wrote is not a result. */
static void check_outputs(const simt_launcher *self, opevo_case *what, opevo_evaluation *out)
{
    size_t count = 0;
    opevo_buffer *buffers = opevo_case_buffers(what, &count);

    for (size_t i = 0; i < count && out->verdict == OPEVO_VERDICT_OK; i++) {
        size_t first = 0;

        if (!buffers[i].output)
            continue;
        first = opevo_simt_first_uninitialised(self->simt, (uint32_t)i);
        if (first >= buffers[i].size_bytes)
            continue;
        out->verdict = OPEVO_VERDICT_UNINITIALISED;
        snprintf(out->message, sizeof out->message, "No work item wrote %s[%zu].", buffers[i].name,
                 first / opevo_kernel_element_size(buffers[i].element));
    }
}

static opevo_status run(opevo_launcher *launcher, opevo_case *what, opevo_evaluation *out,
                        opevo_error *err)
{
    simt_launcher *self = (simt_launcher *)launcher;
    opevo_player player = {
        .context = self, .launch = launch, .fetch = fetch, .store = store, .takes_local = true};
    opevo_simt_counts counts;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_simt_reset(self->simt, err));
    OPEVO_TRY(add_buffers(self, what, err));
    OPEVO_TRY(set_variables(self, what, out, err));
    if (out->verdict != OPEVO_VERDICT_OK)
        goto cleanup;
    if (self->prepare)
        OPEVO_TRY(self->prepare(self->context, self->simt, what, err));
    OPEVO_TRY(opevo_case_play(what, &player, out, err));
    check_outputs(self, what, out);
    opevo_simt_count(self->simt, &counts);
    out->cost = counts.cost;
    self->steps = counts.warp_instructions;
cleanup:
    return status;
}

static void destroy(opevo_launcher *launcher)
{
    opevo_simt_destroy(((simt_launcher *)launcher)->simt);
    opevo_free(launcher);
}

static const opevo_launcher_ops launcher_ops = {.name = "simt", .run = run, .destroy = destroy};

opevo_status opevo_simt_launcher_create(struct LLVMOpaqueModule *module,
                                        const opevo_simt_costs *costs,
                                        const opevo_simt_options *options,
                                        const opevo_harness *harness, opevo_launcher **out,
                                        opevo_error *err)
{
    simt_launcher *self = opevo_calloc(1, sizeof *self);
    const char *racy;
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(self, "an interpreter");
    self->super.ops = &launcher_ops;
    status = opevo_simt_create(module, costs, options, &self->simt, err);
    if (status != OPEVO_OK) {
        opevo_free(self);
        return status;
    }
    /* A reference may lack a variable of the kernel. */
    for (size_t i = 0; (racy = opevo_harness_racy_variable(harness, i)); i++)
        (void)opevo_simt_allow_same_value(self->simt, racy);
    *out = &self->super;
    return OPEVO_OK;
}

void opevo_simt_launcher_prepare(opevo_launcher *launcher, opevo_simt_prepare *prepare,
                                 void *context)
{
    ((simt_launcher *)launcher)->prepare = prepare;
    ((simt_launcher *)launcher)->context = context;
}

void opevo_simt_launcher_limit(opevo_launcher *launcher, uint64_t steps)
{
    opevo_simt_set_step_limit(((simt_launcher *)launcher)->simt, steps);
}

const opevo_simt *opevo_simt_launcher_machine(const opevo_launcher *launcher)
{
    return ((const simt_launcher *)launcher)->simt;
}

uint64_t opevo_simt_launcher_steps(const opevo_launcher *launcher)
{
    return ((const simt_launcher *)launcher)->steps;
}
