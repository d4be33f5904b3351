/* SPDX-License-Identifier: GPL-3.0-or-later */

/* An objective on a space with other topologies. A topology says which values are neighbours and
 * leaves the values and their numbers alone, so that a point means the same on either space and the
 * outcomes are those of the objective underneath. */

#include "study_plan_internal.h"

#include <opevo/memory.h>

#include <string.h>

typedef struct reshaped {
    opevo_objective super;
    opevo_objective *inner; /* not owned */
    opevo_space *space;
} reshaped;

static opevo_status evaluate(opevo_objective *objective, const opevo_index *points, size_t count,
                             opevo_outcome *outcomes, opevo_error *err)
{
    reshaped *self = (reshaped *)objective;

    return opevo_objective_evaluate(self->inner, points, count, outcomes, err);
}

static opevo_status measure(opevo_objective *objective, const opevo_index *points, size_t count,
                            const opevo_interrupt *interrupt, opevo_outcome_sink sink,
                            void *sink_context, opevo_error *err)
{
    reshaped *self = (reshaped *)objective;

    return opevo_objective_measure(self->inner, points, count, interrupt, sink, sink_context, err);
}

static opevo_status measure_from(opevo_objective *objective, const opevo_point_source *source,
                                 const opevo_interrupt *interrupt, opevo_outcome_sink sink,
                                 void *sink_context, opevo_error *err)
{
    reshaped *self = (reshaped *)objective;

    return opevo_objective_measure_from(self->inner, source, interrupt, sink, sink_context, err);
}

static opevo_status optimum(opevo_objective *objective, opevo_optimum *out, opevo_error *err)
{
    return opevo_objective_optimum(((reshaped *)objective)->inner, out, err);
}

static const double *processor_times(const opevo_objective *objective, const opevo_outcome *outcome)
{
    return opevo_objective_processor_times(((const reshaped *)objective)->inner, outcome);
}

static void note_best(opevo_objective *objective, double fitness)
{
    opevo_objective_note_best(((reshaped *)objective)->inner, fitness);
}

static bool worker(const opevo_objective *objective, size_t i, opevo_worker_facts *out)
{
    return opevo_objective_worker(((const reshaped *)objective)->inner, i, out);
}

static void destroy(opevo_objective *objective)
{
    opevo_space_destroy(((reshaped *)objective)->space);
    opevo_free(objective);
}

static const opevo_objective_ops reshaped_ops = {
    .kind = "reshaped",
    .evaluate = evaluate,
    .measure = measure,
    .measure_from = measure_from,
    .optimum = optimum,
    .destroy = destroy,
    .processor_times = processor_times,
    .note_best = note_best,
    .worker = worker,
};

/* "*factor" names all parameters of that type, another text the parameter of that name. */
static bool is_named(const opevo_parameter *parameter, const char *key)
{
    const char *type = opevo_parameter_type(parameter);

    if (*key != '*')
        return !strcmp(key, opevo_parameter_name(parameter));
    return !strcmp(key + 1, type) || (!strcmp(key + 1, "choice") && !strcmp(type, "categorical"));
}

/* Note the topology of the parameters that the key names; returns how many. */
static size_t choose(const opevo_space *space, const char *key, const char *value,
                     const char **topologies)
{
    size_t named = 0;

    for (size_t i = 0; i < opevo_space_parameter_count(space); i++) {
        bool chosen = is_named(opevo_space_parameter(space, i), key);

        topologies[i] = chosen ? value : NULL;
        named += chosen;
    }
    return named;
}

/* Replace the space by one with these topologies; a refusal is laid to the axis that they come
 * from. */
static opevo_status reshape(const opevo_objective *inner, const opevo_i_study_axis *axis,
                            const char *const *topologies, const char *path, opevo_space **space,
                            opevo_error *err)
{
    static const char origin[] = "the space";
    opevo_space *made = NULL;
    opevo_error refusal = {OPEVO_OK, ""};
    const char *sentence = refusal.message;
    opevo_status status =
        opevo_space_with_topologies(*space ? *space : inner->space, topologies, &made, &refusal);

    if (status == OPEVO_NOMEM)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the spaces of %s.", path);
    if (status != OPEVO_OK) {
        size_t length = strncmp(sentence, origin, strlen(origin)) ? 0 : strlen(origin);

        sentence += length;
        sentence += length ? strcspn(sentence, " ") : 0;
        return opevo_i_study_plan_fail(err, path, axis->where, "%s:%s", inner->name, sentence);
    }
    opevo_space_destroy(*space);
    *space = made;
    return OPEVO_OK;
}

/* The space of `inner` with the topologies of the combination. */
static opevo_status make_space(const opevo_objective *inner, const opevo_i_study_axes *axes,
                               uint64_t number, const char *path, opevo_space **out,
                               opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_space *space = NULL;
    const char **topologies =
        opevo_calloc(opevo_space_parameter_count(inner->space), sizeof(char *));

    OPEVO_NEED_OR_RETURN(topologies, "the spaces of %s", path);
    for (size_t i = 0; i < axes->count; i++) {
        const opevo_i_study_axis *axis = &axes->items[i];

        if (!choose(inner->space, axis->key, opevo_i_study_axes_value(axes, number, i),
                    topologies)) {
            status = opevo_i_study_plan_fail(
                err, path, axis->where,
                "%s has no such parameter: give the name of a parameter, or "
                "a type such as *factor.",
                inner->name);
            goto cleanup;
        }
        OPEVO_TRY(reshape(inner, axis, topologies, path, &space, err));
    }
    *out = space;
    space = NULL;
cleanup:
    opevo_space_destroy(space);
    opevo_free(topologies);
    return status;
}

opevo_status opevo_i_study_reshape(opevo_objective *inner, const opevo_i_study_axes *axes,
                                   uint64_t number, const char *path, opevo_objective **out,
                                   opevo_error *err)
{
    opevo_space *space = NULL;
    reshaped *self = NULL;
    opevo_status status = make_space(inner, axes, number, path, &space, err);

    if (status != OPEVO_OK)
        return status;
    self = opevo_calloc(1, sizeof *self);
    if (!self || opevo_space_size(space) != opevo_space_size(inner->space)) {
        opevo_space_destroy(space);
        opevo_free(self);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the spaces of %s.", path);
    }
    self->super = *inner;
    self->super.ops = &reshaped_ops;
    self->super.space = space;
    self->super.signature ^= opevo_i_store_topology_mark(opevo_space_signature(space));
    self->inner = inner;
    self->space = space;
    *out = &self->super;
    return OPEVO_OK;
}
