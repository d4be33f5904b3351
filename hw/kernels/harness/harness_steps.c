/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The members "steps" and "sets" of a harness file. */

#include "kernel_harness_internal.h"

#include <opevo/memory.h>

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

enum { NESTING = 8, STEPS = 256, CASES = 256, RUNS = 1000 };

static opevo_status no_memory(const opevo_harness *harness, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", harness->path);
}

static opevo_status read_argument(const opevo_harness *harness, json_t *value,
                                  const opevo_json_reader *at, opevo_i_harness_argument_plan *out,
                                  opevo_error *err)
{
    static const char message[] = "The name of a buffer, a scalar such as {\"i32\": \"n\"}, "
                                  "{\"struct\": [...]} of these or {\"local\": BYTES} is expected.";
    const char *name = json_string_value(value);

    if (name) {
        out->kind = OPEVO_ARGUMENT_BUFFER;
        out->buffer = opevo_i_harness_buffer(harness, name);
        return out->buffer < harness->buffer_count
                   ? OPEVO_OK
                   : opevo_json_fail(at, err, "No buffer is named \"%.60s\".", name);
    }
    if (json_object_size(value) != 1)
        return opevo_json_fail(at, err, "%s", message);
    out->value = json_object_get(value, "local");
    out->kind = out->value ? OPEVO_ARGUMENT_LOCAL : OPEVO_ARGUMENT_SCALAR;
    if (out->value)
        return OPEVO_OK;
    for (opevo_kernel_element e = 0; e <= OPEVO_KERNEL_ELEMENT_U8; e++) {
        out->value = json_object_get(value, opevo_kernel_element_name(e));
        out->element = e;
        if (out->value)
            return OPEVO_OK;
    }
    return opevo_json_fail(at, err, "%s", message);
}

/* A name of C, or "struct" and a name. */
static bool is_type(const char *text)
{
    size_t length = 0;

    if (!text)
        return false;
    if (!strncmp(text, "struct ", 7))
        text += 7;
    while (isalnum((unsigned char)text[length]) || text[length] == '_')
        length++;
    return length > 0 && text[length] == '\0' && !isdigit((unsigned char)*text);
}

/* {"struct": [...]}, with a "type" for C: *left members may still be in structs of the launch. */
static opevo_status read_struct(const opevo_harness *harness, json_t *argument,
                                const opevo_json_reader *at, size_t *left,
                                opevo_i_harness_argument_plan *out, opevo_error *err)
{
    json_t *members = json_object_get(argument, "struct"),
           *type = json_object_get(argument, "type");
    size_t count = json_array_size(members);
    opevo_status status = OPEVO_OK;

    if (json_object_size(argument) != (type ? 2 : 1) || (type && !is_type(json_string_value(type))))
        return opevo_json_fail(at, err,
                               "A struct has \"struct\": [...], and for C \"type\", such as "
                               "\"struct box\".");
    if (count == 0 || count > *left)
        return opevo_json_fail(at, err, "The structs of a launch have 1 to %d members.",
                               OPEVO_I_ARGUMENTS);
    out->kind = OPEVO_ARGUMENT_STRUCT;
    out->type = json_string_value(type);
    out->members = opevo_calloc(count, sizeof *out->members);
    if (!out->members)
        return no_memory(harness, err);
    out->member_count = count;
    *left -= count;
    for (size_t i = 0; i < count && status == OPEVO_OK; i++) {
        status = read_argument(harness, json_array_get(members, i), at, &out->members[i], err);
        if (status == OPEVO_OK && out->members[i].kind == OPEVO_ARGUMENT_LOCAL)
            status = opevo_json_fail(at, err, "A struct holds no local memory.");
    }
    return status;
}

/* One expression, or an array of one to three. */
static opevo_status read_extents(const opevo_json_reader *at, json_t *value, json_t *extents[3],
                                 opevo_error *err)
{
    if (json_is_string(value) || json_is_integer(value)) {
        extents[0] = value;
        return OPEVO_OK;
    }
    if (json_array_size(value) < 1 || json_array_size(value) > 3)
        return opevo_json_fail(at, err, "An expression or an array of up to three is expected.");
    for (size_t i = 0; i < json_array_size(value); i++)
        extents[i] = json_array_get(value, i);
    return OPEVO_OK;
}

typedef struct launch_entry {
    const char *launch, *call;
    json_t *grid, *block, *arguments, *shared;
} launch_entry;

static opevo_status read_arguments(const opevo_harness *harness, const opevo_json_reader *arguments,
                                   opevo_i_harness_step *step, opevo_error *err)
{
    size_t left = OPEVO_I_ARGUMENTS;
    opevo_status status = OPEVO_OK;

    step->argument_count = json_array_size(arguments->value);
    step->arguments = opevo_calloc(step->argument_count, sizeof *step->arguments);
    if (!step->arguments)
        return no_memory(harness, err);
    for (size_t i = 0; i < step->argument_count; i++) {
        opevo_json_reader place = opevo_json_element(arguments, i);
        json_t *argument = json_array_get(arguments->value, i);

        if (json_object_get(argument, "struct"))
            OPEVO_TRY(read_struct(harness, argument, &place, &left, &step->arguments[i], err));
        else
            OPEVO_TRY(read_argument(harness, argument, &place, &step->arguments[i], err));
        if (step->call && step->arguments[i].member_count && !step->arguments[i].type) {
            status = opevo_json_fail(&place, err,
                                     "For a C function a struct needs its name as well: "
                                     "{\"struct\": [...], \"type\": \"struct box\"}.");
            goto cleanup;
        }
    }
cleanup:
    return status;
}

/* A kernel that is launched, or a C function that is called. */
static opevo_status read_launch(const opevo_harness *harness, const opevo_json_reader *at,
                                opevo_i_harness_step *step, opevo_error *err)
{
    static const opevo_json_field launched[] = {
        OPEVO_JSON_FIELD(launch_entry, launch, TEXT, .least = 1),
        OPEVO_JSON_FIELD(launch_entry, grid, ANY), OPEVO_JSON_FIELD(launch_entry, block, ANY),
        OPEVO_JSON_FIELD(launch_entry, arguments, LIST, .required = true,
                         .most = OPEVO_I_ARGUMENTS),
        OPEVO_JSON_FIELD(launch_entry, shared, ANY)};
    static const opevo_json_field called[] = {
        OPEVO_JSON_FIELD(launch_entry, call, TEXT, .least = 1),
        OPEVO_JSON_FIELD(launch_entry, arguments, LIST, .required = true,
                         .most = OPEVO_I_ARGUMENTS)};
    opevo_json_reader grid = opevo_json_member(at, "grid");
    opevo_json_reader block = opevo_json_member(at, "block");
    opevo_json_reader arguments = opevo_json_member(at, "arguments");
    launch_entry entry = {.launch = NULL};
    opevo_status status = OPEVO_OK;

    step->call = json_object_get(at->value, "call") != NULL;
    OPEVO_TRY(step->call ? opevo_json_read(at, called, 2, &entry, err)
                         : opevo_json_read(at, launched, 5, &entry, err));
    step->name = step->call ? entry.call : entry.launch;
    step->shared = entry.shared;
    if (!step->call) {
        OPEVO_TRY(read_extents(&grid, entry.grid, step->grid, err));
        OPEVO_TRY(read_extents(&block, entry.block, step->block, err));
    }
    OPEVO_TRY(read_arguments(harness, &arguments, step, err));
cleanup:
    return status;
}

static opevo_status read_buffer_name(const opevo_harness *harness, const opevo_json_reader *at,
                                     const char *member, opevo_i_harness_step *step,
                                     opevo_error *err)
{
    const char *name = json_string_value(json_object_get(at->value, member));

    step->buffer = name ? opevo_i_harness_buffer(harness, name) : harness->buffer_count;
    if (step->buffer == harness->buffer_count)
        return opevo_json_fail(at, err, "\"%s\" must name a buffer.", member);
    return OPEVO_OK;
}

static opevo_status read_steps(const opevo_harness *harness, const opevo_json_reader *at,
                               unsigned depth, opevo_i_harness_step **out, size_t *count,
                               opevo_error *err);

static opevo_status read_step(const opevo_harness *harness, const opevo_json_reader *at,
                              unsigned depth, opevo_i_harness_step *step, opevo_error *err)
{
    static const char *const repeat[] = {"repeat", "count", "steps", NULL};
    static const char *const loop[] = {"while", "limit", "steps", NULL};
    static const char *const zero[] = {"zero", NULL};
    opevo_json_reader steps = opevo_json_member(at, "steps");
    opevo_status status = OPEVO_OK;

    if (json_object_get(at->value, "launch") || json_object_get(at->value, "call"))
        return read_launch(harness, at, step, err);
    if (json_object_get(at->value, "zero")) {
        step->kind = OPEVO_I_STEP_ZERO;
        OPEVO_TRY(opevo_json_keys(at, zero, "an object", err));
        return read_buffer_name(harness, at, "zero", step, err);
    }
    if (json_object_get(at->value, "repeat")) {
        step->kind = OPEVO_I_STEP_REPEAT;
        step->name = json_string_value(json_object_get(at->value, "repeat"));
        step->count = json_object_get(at->value, "count");
        OPEVO_TRY(opevo_json_keys(at, repeat, "an object", err));
        if (!step->name)
            return opevo_json_fail(at, err, "\"repeat\" must name a variable.");
    } else if (json_object_get(at->value, "while")) {
        step->kind = OPEVO_I_STEP_WHILE;
        step->count = json_object_get(at->value, "limit");
        OPEVO_TRY(opevo_json_keys(at, loop, "an object", err));
        OPEVO_TRY(read_buffer_name(harness, at, "while", step, err));
    } else {
        return opevo_json_fail(at, err,
                               "An object with \"launch\", \"call\", \"repeat\", \"while\" or "
                               "\"zero\" is expected.");
    }
    if (depth == NESTING)
        return opevo_json_fail(at, err, "Loops are nested too deeply.");
    status = read_steps(harness, &steps, depth + 1, &step->steps, &step->step_count, err);
cleanup:
    return status;
}

static opevo_status read_steps(const opevo_harness *harness, const opevo_json_reader *at,
                               unsigned depth, opevo_i_harness_step **out, size_t *count,
                               opevo_error *err)
{
    size_t total = json_array_size(at->value);
    opevo_status status = OPEVO_OK;

    if (total == 0 || total > STEPS)
        return opevo_json_fail(at, err, "An array of 1 to %d steps is expected.", STEPS);
    *out = opevo_calloc(total, sizeof **out);
    if (!*out)
        return no_memory(harness, err);
    for (size_t i = 0; status == OPEVO_OK && i < total; i++) {
        opevo_json_reader step = opevo_json_element(at, i);

        *count = i + 1;
        (*out)[i].where = opevo_json_path(&step);
        if (!(*out)[i].where)
            return no_memory(harness, err);
        status = read_step(harness, &step, depth, &(*out)[i], err);
    }
    return status;
}

opevo_status opevo_i_harness_read_steps(const opevo_harness *harness, const opevo_json_reader *at,
                                        opevo_i_harness_step **out, size_t *count, opevo_error *err)
{
    return read_steps(harness, at, 0, out, count, err);
}

opevo_status opevo_i_harness_steps(opevo_harness *harness, const opevo_json_reader *root,
                                   opevo_error *err)
{
    opevo_json_reader steps = opevo_json_member(root, "steps");

    return read_steps(harness, &steps, 0, &harness->steps, &harness->step_count, err);
}

void opevo_i_harness_steps_free(opevo_i_harness_step *steps, size_t count)
{
    for (size_t i = 0; steps && i < count; i++) {
        opevo_i_harness_steps_free(steps[i].steps, steps[i].step_count);
        for (size_t k = 0; steps[i].arguments && k < steps[i].argument_count; k++)
            opevo_free(steps[i].arguments[k].members);
        opevo_free(steps[i].arguments);
        opevo_free(steps[i].where);
    }
    opevo_free(steps);
}

/* ---- Sets ---- */

static opevo_status check_values(const opevo_json_reader *at, const json_t *object,
                                 opevo_error *err)
{
    const char *name = NULL;
    json_t *value = NULL;

    if (!json_is_object(object))
        return opevo_json_fail(at, err, "An object of integers is expected.");
    json_object_foreach((json_t *)object, name, value)
    {
        if (!json_is_integer(value))
            return opevo_json_fail(at, err, "\"%.60s\" must be an integer.", name);
    }
    return OPEVO_OK;
}

static bool same_case(const opevo_i_harness_case_plan *a, const opevo_i_harness_case_plan *b)
{
    return a->seed == b->seed && json_equal(a->sizes, b->sizes) &&
           (a->geometry == b->geometry || json_equal(a->geometry, b->geometry));
}

static opevo_status add_case(opevo_harness *harness, opevo_harness_set set,
                             const opevo_i_harness_case_plan *plan, const opevo_json_reader *at,
                             size_t *capacity, opevo_error *err)
{
    for (opevo_harness_set other = set == OPEVO_SET_TUNE ? set : 0; other <= set; other++) {
        for (size_t i = 0; i < harness->case_count[other]; i++) {
            if (same_case(plan, &harness->cases[other][i]))
                return opevo_json_fail(at, err,
                                       "The case with seed %" PRIu64
                                       " is in the set \"%s\" already; change its "
                                       "sizes, geometry or seed.",
                                       plan->seed, opevo_harness_set_name(other));
        }
    }
    if (harness->case_count[set] == CASES)
        return opevo_json_fail(at, err, "A set has at most %d cases.", CASES);
    if (!opevo_reserve((void **)&harness->cases[set], capacity, harness->case_count[set] + 1,
                       sizeof *plan))
        return no_memory(harness, err);
    harness->cases[set][harness->case_count[set]++] = *plan;
    return OPEVO_OK;
}

typedef struct group_entry {
    json_t *sizes, *geometries, *seeds;
} group_entry;

/* All combinations of sizes, geometries and seeds of a group. */
static opevo_status add_group(opevo_harness *harness, opevo_harness_set set,
                              const opevo_json_reader *at, size_t *capacity, opevo_error *err)
{
#define LIST(name, is_required)                                                                    \
    {                                                                                              \
#name, OPEVO_JSON_LIST, .offset = offsetof(group_entry, name), .required = is_required,    \
                                .least = 1                                                         \
    }
    static const opevo_json_field fields[] = {LIST(sizes, true), LIST(geometries, false),
                                              LIST(seeds, true)};
#undef LIST
    group_entry group = {.sizes = NULL};
    size_t geometry_count = 1, seed_count = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_json_read(at, fields, 3, &group, err));
    geometry_count = group.geometries ? json_array_size(group.geometries) : 1;
    seed_count = json_array_size(group.seeds);
    for (size_t i = 0; i < json_array_size(group.sizes); i++)
        OPEVO_TRY(check_values(at, json_array_get(group.sizes, i), err));
    for (size_t i = 0; group.geometries && i < geometry_count; i++)
        OPEVO_TRY(check_values(at, json_array_get(group.geometries, i), err));
    for (size_t i = 0; i < json_array_size(group.sizes) * geometry_count * seed_count; i++) {
        json_t *seed = json_array_get(group.seeds, i % seed_count);
        size_t rest = i / seed_count;
        opevo_i_harness_case_plan plan = {
            .sizes = json_array_get(group.sizes, rest / geometry_count),
            .geometry = json_array_get(group.geometries, rest % geometry_count),
            .seed = (uint64_t)json_integer_value(seed)};

        if (!json_is_integer(seed) || json_integer_value(seed) < 0)
            return opevo_json_fail(at, err, "A seed must be an integer from 0 on.");
        OPEVO_TRY(add_case(harness, set, &plan, at, capacity, err));
    }
cleanup:
    return status;
}

/* "tune": one size, on two seeds at least: a result of one alone may be right by chance. */
static opevo_status read_tune(opevo_harness *harness, const opevo_json_reader *tune,
                              opevo_error *err)
{
    static const char *const known[] = {"runs", "sizes", "seeds", NULL};
    json_t *runs = json_object_get(tune->value, "runs");
    json_t *sizes = json_object_get(tune->value, "sizes");
    json_t *seeds = json_object_get(tune->value, "seeds");
    opevo_json_reader at = opevo_json_member(tune, "seeds");
    size_t capacity = 0;
    opevo_status status = opevo_json_keys(tune, known, "an object", err);

    if (status == OPEVO_OK)
        status = check_values(tune, sizes, err);
    if (status == OPEVO_OK && runs &&
        (!json_is_integer(runs) || json_integer_value(runs) < 1 || json_integer_value(runs) > RUNS))
        status = opevo_json_fail(tune, err, "\"runs\" must be a whole number from 1 to %d.", RUNS);
    harness->runs = (unsigned)json_integer_value(runs);
    if (status == OPEVO_OK && seeds && json_array_size(seeds) < 2)
        status = opevo_json_fail(&at, err, "An array of at least two seeds is expected.");
    for (size_t i = 0; status == OPEVO_OK && i < (seeds ? json_array_size(seeds) : 2); i++) {
        json_t *seed = json_array_get(seeds, i);
        opevo_i_harness_case_plan plan = {.sizes = sizes, .seed = i + 1};

        if (seed && (!json_is_integer(seed) || json_integer_value(seed) < 0))
            return opevo_json_fail(&at, err, "A seed must be an integer from 0 on.");
        if (seed)
            plan.seed = (uint64_t)json_integer_value(seed);
        status = add_case(harness, OPEVO_SET_TUNE, &plan, tune, &capacity, err);
    }
    return status;
}

opevo_status opevo_i_harness_sets(opevo_harness *harness, const opevo_json_reader *root,
                                  opevo_error *err)
{
    static const char *const known[] = {"search", "selection", "final", NULL};
    opevo_json_reader sets = opevo_json_member(root, "sets");
    opevo_json_reader tune = opevo_json_member(root, "tune");
    opevo_status status = OPEVO_OK;

    if (tune.value)
        status = read_tune(harness, &tune, err);
    if (status == OPEVO_OK && (sets.value || !tune.value))
        status = opevo_json_keys(&sets, known, "an object", err);
    for (opevo_harness_set set = 0;
         (sets.value || !tune.value) && set < OPEVO_SET_TUNE && status == OPEVO_OK; set++) {
        opevo_json_reader groups = opevo_json_member(&sets, opevo_harness_set_name(set));
        size_t capacity = 0;

        if (json_array_size(groups.value) == 0)
            return opevo_json_fail(&groups, err, "An array with at least one group is expected.");
        for (size_t i = 0; i < json_array_size(groups.value) && status == OPEVO_OK; i++) {
            opevo_json_reader group = opevo_json_element(&groups, i);

            status = add_group(harness, set, &group, &capacity, err);
        }
    }
    return status;
}
