/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The members "steps" and "sets" of a harness file. */

#include "kernel_harness_internal.h"

#include <opevo/memory.h>

#include <inttypes.h>
#include <string.h>

enum { NESTING = 8, STEPS = 256, CASES = 256 };

static opevo_status no_memory(const opevo_harness *harness, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", harness->path);
}

static opevo_status read_argument(const opevo_harness *harness, json_t *value, const char *key,
                                  opevo_i_harness_argument_plan *out, opevo_error *err)
{
    static const char message[] = "The name of a buffer, a scalar such as {\"i32\": \"n\"}, or "
                                  "{\"struct\": [...]} of these is expected.";
    const char *name = json_string_value(value);

    if (name) {
        out->kind = OPEVO_ARGUMENT_BUFFER;
        out->buffer = opevo_i_harness_buffer(harness, name);
        return out->buffer < harness->buffer_count
                   ? OPEVO_OK
                   : opevo_i_harness_fail(harness, err, key, "No buffer is named \"%.60s\".", name);
    }
    if (!json_is_object(value) || json_object_size(value) != 1)
        return opevo_i_harness_fail(harness, err, key, "%s", message);
    out->kind = OPEVO_ARGUMENT_SCALAR;
    for (opevo_kernel_element e = 0; e <= OPEVO_KERNEL_ELEMENT_U8; e++) {
        out->value = json_object_get(value, opevo_kernel_element_name(e));
        out->element = e;
        if (out->value)
            return OPEVO_OK;
    }
    return opevo_i_harness_fail(harness, err, key, "%s", message);
}

/* {"struct": [...]}: *left members may still be in structs of the launch. */
static opevo_status read_struct(const opevo_harness *harness, json_t *members, const char *key,
                                size_t *left, opevo_i_harness_argument_plan *out, opevo_error *err)
{
    size_t count = json_array_size(members);
    opevo_status status = OPEVO_OK;

    if (!json_is_array(members) || count == 0 || count > *left)
        return opevo_i_harness_fail(
            harness, err, key, "The structs of a launch have 1 to %d members.", OPEVO_I_ARGUMENTS);
    out->kind = OPEVO_ARGUMENT_STRUCT;
    out->members = opevo_calloc(count, sizeof *out->members);
    if (!out->members)
        return no_memory(harness, err);
    out->member_count = count;
    *left -= count;
    for (size_t i = 0; i < count && status == OPEVO_OK; i++)
        status = read_argument(harness, json_array_get(members, i), key, &out->members[i], err);
    return status;
}

/* One expression, or an array of one to three. */
static opevo_status read_extents(const opevo_harness *harness, json_t *value, const char *key,
                                 json_t *extents[3], opevo_error *err)
{
    if (json_is_string(value) || json_is_integer(value)) {
        extents[0] = value;
        return OPEVO_OK;
    }
    if (!json_is_array(value) || json_array_size(value) < 1 || json_array_size(value) > 3)
        return opevo_i_harness_fail(harness, err, key,
                                    "An expression or an array of up to three is expected.");
    for (size_t i = 0; i < json_array_size(value); i++)
        extents[i] = json_array_get(value, i);
    return OPEVO_OK;
}

static opevo_status read_launch(const opevo_harness *harness, json_t *object,
                                opevo_i_harness_step *step, opevo_error *err)
{
    static const char *const known[] = {"launch", "grid", "block", "arguments", "shared", NULL};
    json_t *arguments = json_object_get(object, "arguments");
    char key[OPEVO_I_WHERE_SIZE];
    size_t left = OPEVO_I_ARGUMENTS;
    opevo_status status = OPEVO_OK;

    step->name = json_string_value(json_object_get(object, "launch"));
    step->shared = json_object_get(object, "shared");
    OPEVO_TRY(opevo_i_harness_keys(harness, object, step->where, known, err));
    snprintf(key, sizeof key, "%s.launch", step->where);
    if (!step->name || !*step->name)
        return opevo_i_harness_fail(harness, err, key, "The name of a kernel is expected.");
    snprintf(key, sizeof key, "%s.grid", step->where);
    OPEVO_TRY(read_extents(harness, json_object_get(object, "grid"), key, step->grid, err));
    snprintf(key, sizeof key, "%s.block", step->where);
    OPEVO_TRY(read_extents(harness, json_object_get(object, "block"), key, step->block, err));
    snprintf(key, sizeof key, "%s.arguments", step->where);
    if (!json_is_array(arguments) || json_array_size(arguments) > OPEVO_I_ARGUMENTS)
        return opevo_i_harness_fail(harness, err, key, "An array of at most %d is expected.",
                                    OPEVO_I_ARGUMENTS);
    step->argument_count = json_array_size(arguments);
    step->arguments = opevo_calloc(step->argument_count, sizeof *step->arguments);
    if (!step->arguments)
        return no_memory(harness, err);
    for (size_t i = 0; i < step->argument_count; i++) {
        json_t *argument = json_array_get(arguments, i);
        json_t *members = json_object_get(argument, "struct");

        snprintf(key, sizeof key, "%s.arguments[%zu]", step->where, i);
        if (members && json_object_size(argument) == 1)
            OPEVO_TRY(read_struct(harness, members, key, &left, &step->arguments[i], err));
        else
            OPEVO_TRY(read_argument(harness, argument, key, &step->arguments[i], err));
    }
cleanup:
    return status;
}

static opevo_status read_buffer_name(const opevo_harness *harness, json_t *object,
                                     const char *member, opevo_i_harness_step *step,
                                     opevo_error *err)
{
    const char *name = json_string_value(json_object_get(object, member));

    step->buffer = name ? opevo_i_harness_buffer(harness, name) : harness->buffer_count;
    if (step->buffer == harness->buffer_count)
        return opevo_i_harness_fail(harness, err, step->where, "\"%s\" must name a buffer.",
                                    member);
    return OPEVO_OK;
}

static opevo_status read_steps(const opevo_harness *harness, json_t *array, const char *where,
                               unsigned depth, opevo_i_harness_step **out, size_t *count,
                               opevo_error *err);

static opevo_status read_step(const opevo_harness *harness, json_t *object, unsigned depth,
                              opevo_i_harness_step *step, opevo_error *err)
{
    static const char *const repeat[] = {"repeat", "count", "steps", NULL};
    static const char *const loop[] = {"while", "limit", "steps", NULL};
    static const char *const zero[] = {"zero", NULL};
    opevo_status status = OPEVO_OK;

    if (json_object_get(object, "launch"))
        return read_launch(harness, object, step, err);
    if (json_object_get(object, "zero")) {
        step->kind = OPEVO_I_STEP_ZERO;
        OPEVO_TRY(opevo_i_harness_keys(harness, object, step->where, zero, err));
        return read_buffer_name(harness, object, "zero", step, err);
    }
    if (json_object_get(object, "repeat")) {
        step->kind = OPEVO_I_STEP_REPEAT;
        step->name = json_string_value(json_object_get(object, "repeat"));
        step->count = json_object_get(object, "count");
        OPEVO_TRY(opevo_i_harness_keys(harness, object, step->where, repeat, err));
        if (!step->name)
            return opevo_i_harness_fail(harness, err, step->where,
                                        "\"repeat\" must name a variable.");
    } else if (json_object_get(object, "while")) {
        step->kind = OPEVO_I_STEP_WHILE;
        step->count = json_object_get(object, "limit");
        OPEVO_TRY(opevo_i_harness_keys(harness, object, step->where, loop, err));
        OPEVO_TRY(read_buffer_name(harness, object, "while", step, err));
    } else {
        return opevo_i_harness_fail(harness, err, step->where,
                                    "An object with \"launch\", \"repeat\", \"while\" or \"zero\" "
                                    "is expected.");
    }
    if (depth == NESTING)
        return opevo_i_harness_fail(harness, err, step->where, "Loops are nested too deeply.");
    status = read_steps(harness, json_object_get(object, "steps"), step->where, depth + 1,
                        &step->steps, &step->step_count, err);
cleanup:
    return status;
}

static opevo_status read_steps(const opevo_harness *harness, json_t *array, const char *where,
                               unsigned depth, opevo_i_harness_step **out, size_t *count,
                               opevo_error *err)
{
    size_t total = json_array_size(array);
    char key[OPEVO_I_WHERE_SIZE];

    snprintf(key, sizeof key, "%s%ssteps", where, *where ? "." : "");
    if (!json_is_array(array) || total == 0 || total > STEPS)
        return opevo_i_harness_fail(harness, err, key, "An array of 1 to %d steps is expected.",
                                    STEPS);
    *out = opevo_calloc(total, sizeof **out);
    if (!*out)
        return no_memory(harness, err);
    for (size_t i = 0; i < total; i++) {
        opevo_status status;

        snprintf(key, sizeof key, "%s%ssteps[%zu]", where, *where ? "." : "", i);
        *count = i + 1;
        (*out)[i].where = opevo_strdup(key);
        if (!(*out)[i].where)
            return no_memory(harness, err);
        status = read_step(harness, json_array_get(array, i), depth, &(*out)[i], err);
        if (status != OPEVO_OK)
            return status;
    }
    return OPEVO_OK;
}

opevo_status opevo_i_harness_steps(opevo_harness *harness, opevo_error *err)
{
    return read_steps(harness, json_object_get(harness->root, "steps"), "", 0, &harness->steps,
                      &harness->step_count, err);
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

static opevo_status check_values(const opevo_harness *harness, json_t *object, const char *key,
                                 opevo_error *err)
{
    const char *name = NULL;
    json_t *value = NULL;

    if (!json_is_object(object))
        return opevo_i_harness_fail(harness, err, key, "An object of integers is expected.");
    json_object_foreach(object, name, value)
    {
        if (!json_is_integer(value))
            return opevo_i_harness_fail(harness, err, key, "\"%.60s\" must be an integer.", name);
    }
    return OPEVO_OK;
}

static bool same_case(const opevo_i_harness_case_plan *a, const opevo_i_harness_case_plan *b)
{
    return a->seed == b->seed && json_equal(a->sizes, b->sizes) &&
           (a->geometry == b->geometry || json_equal(a->geometry, b->geometry));
}

static opevo_status add_case(opevo_harness *harness, opevo_harness_set set,
                             const opevo_i_harness_case_plan *plan, const char *key,
                             size_t *capacity, opevo_error *err)
{
    for (opevo_harness_set other = 0; other <= set; other++) {
        for (size_t i = 0; i < harness->case_count[other]; i++) {
            if (same_case(plan, &harness->cases[other][i]))
                return opevo_i_harness_fail(harness, err, key,
                                            "The case with seed %" PRIu64
                                            " is in the set \"%s\" already; change its "
                                            "sizes, geometry or seed.",
                                            plan->seed, opevo_harness_set_name(other));
        }
    }
    if (harness->case_count[set] == CASES)
        return opevo_i_harness_fail(harness, err, key, "A set has at most %d cases.", CASES);
    if (!opevo_reserve((void **)&harness->cases[set], capacity, harness->case_count[set] + 1,
                       sizeof *plan))
        return no_memory(harness, err);
    harness->cases[set][harness->case_count[set]++] = *plan;
    return OPEVO_OK;
}

/* All combinations of sizes, geometries and seeds of a group. */
static opevo_status add_group(opevo_harness *harness, opevo_harness_set set, json_t *group,
                              const char *key, size_t *capacity, opevo_error *err)
{
    static const char *const known[] = {"sizes", "geometries", "seeds", NULL};
    json_t *sizes = json_object_get(group, "sizes");
    json_t *geometries = json_object_get(group, "geometries");
    json_t *seeds = json_object_get(group, "seeds");
    size_t geometry_count = geometries ? json_array_size(geometries) : 1;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_harness_keys(harness, group, key, known, err));
    if (!json_is_array(sizes) || !json_is_array(seeds) || json_array_size(sizes) == 0 ||
        json_array_size(seeds) == 0 || geometry_count == 0)
        return opevo_i_harness_fail(
            harness, err, key,
            "\"sizes\", \"seeds\" and, if present, \"geometries\" must be arrays that are not "
            "empty.");
    for (size_t i = 0; i < json_array_size(sizes); i++)
        OPEVO_TRY(check_values(harness, json_array_get(sizes, i), key, err));
    for (size_t i = 0; geometries && i < geometry_count; i++)
        OPEVO_TRY(check_values(harness, json_array_get(geometries, i), key, err));
    for (size_t i = 0; i < json_array_size(sizes) * geometry_count * json_array_size(seeds); i++) {
        json_t *seed = json_array_get(seeds, i % json_array_size(seeds));
        size_t rest = i / json_array_size(seeds);
        opevo_i_harness_case_plan plan = {
            .sizes = json_array_get(sizes, rest / geometry_count),
            .geometry = geometries ? json_array_get(geometries, rest % geometry_count) : NULL,
            .seed = (uint64_t)json_integer_value(seed)};

        if (!json_is_integer(seed) || json_integer_value(seed) < 0)
            return opevo_i_harness_fail(harness, err, key, "A seed must be an integer from 0 on.");
        OPEVO_TRY(add_case(harness, set, &plan, key, capacity, err));
    }
cleanup:
    return status;
}

opevo_status opevo_i_harness_sets(opevo_harness *harness, opevo_error *err)
{
    json_t *sets = json_object_get(harness->root, "sets");
    static const char *const known[] = {"search", "selection", "final", NULL};
    opevo_status status = opevo_i_harness_keys(harness, sets, "sets", known, err);
    char key[OPEVO_I_WHERE_SIZE];

    if (status != OPEVO_OK)
        return status;
    for (opevo_harness_set set = 0; set < OPEVO_HARNESS_SETS; set++) {
        json_t *groups = json_object_get(sets, opevo_harness_set_name(set));
        size_t capacity = 0;

        snprintf(key, sizeof key, "sets.%s", opevo_harness_set_name(set));
        if (!json_is_array(groups) || json_array_size(groups) == 0)
            return opevo_i_harness_fail(harness, err, key,
                                        "An array with at least one group is expected.");
        for (size_t i = 0; i < json_array_size(groups); i++) {
            snprintf(key, sizeof key, "sets.%s[%zu]", opevo_harness_set_name(set), i);
            status = add_group(harness, set, json_array_get(groups, i), key, &capacity, err);
            if (status != OPEVO_OK)
                return status;
        }
    }
    return OPEVO_OK;
}
