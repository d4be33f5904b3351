/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Spaces of other tools, made into NNI's form: BaCO's scenarios, ConfigSpace's JSON, and those of
 * NNI's own interval types that have a finite list of values. What has another meaning here, such
 * as an interval of real numbers, is refused by name.
 *
 * Source: BaCO, schema.json (Hellsten et al., ASPLOS 2024); ConfigSpace 0.4 to 1.2, read_and_write/
 * json.py; NNI, "Search Space", NNI v2. */

#include "space_file_internal.h"

#include "json_place.h"
#include "value_text.h"

#include <math.h>
#include <string.h>

enum { VALUES_MOST = 1 << 16 };

static const char *text_of(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

static json_t *entry(const char *type, json_t *value)
{
    return json_pack("{s:s, s:o}", "_type", type, "_value", value);
}

/* The line of a parameter at the top of a file in NNI's form; 0 elsewhere. */
static size_t line_of(const opevo_i_topology_space_file *file, const char *name)
{
    return json_object_get(file->root, name)
               ? opevo_i_topology_json_place_find(opevo_i_topology_json_place_start(file->text),
                                                  file->root, name)
                     .line
               : 0;
}

/* Values with an order: numbers that ascend, or others on a path. */
static json_t *ordinal(json_t *values)
{
    json_t *edges = NULL;
    bool ascends = true;

    for (size_t i = 0; i < json_array_size(values); i++) {
        const json_t *one = json_array_get(values, i);

        ascends =
            ascends && json_is_number(one) &&
            (i == 0 || json_number_value(json_array_get(values, i - 1)) < json_number_value(one));
    }
    if (ascends)
        return json_pack("{s:s, s:O?}", "_type", "discrete", "_value", values);
    edges = json_array();
    for (size_t i = 1; i < json_array_size(values); i++)
        json_array_append_new(edges, json_pack("[i, i]", (int)i - 1, (int)i));
    return json_pack("{s:s, s:O?, s:o}", "_type", "graph", "_value", values, "_edges", edges);
}

/* low, low + step, ..., at most high. */
static opevo_status add_range(const opevo_i_topology_space_file *file, const char *name, double low,
                              double high, double step, bool whole, json_t **out, opevo_error *err)
{
    double count = floor((high - low) / step * (1 + 1e-12)) + 1;
    json_t *list = NULL;

    if (low > high)
        return opevo_i_topology_space_file_refuse(
            file, line_of(file, name), err,
            "Parameter %s: its lower bound %g is above its upper bound %g.", OPEVO_I_EXCERPT(name),
            low, high);
    if (!(step > 0) || !(count <= (double)VALUES_MOST))
        return opevo_i_topology_space_file_refuse(
            file, line_of(file, name), err,
            "Parameter %s: steps of %g from %g to %g are not 1 to %d values; list them.",
            OPEVO_I_EXCERPT(name), step, low, high, (int)VALUES_MOST);
    list = json_array();
    for (size_t k = 0; k < (size_t)count; k++) {
        double value = low + (double)k * step;

        json_array_append_new(list, whole ? json_integer((json_int_t)value) : json_real(value));
    }
    *out = entry("discrete", list);
    return OPEVO_OK;
}

static opevo_status refuse_reals(const opevo_i_topology_space_file *file, const char *name,
                                 const char *type, opevo_error *err)
{
    return opevo_i_topology_space_file_refuse(
        file, line_of(file, name), err,
        "Parameter %s: %s is an interval of real numbers, and a parameter has a finite "
        "list of values here; list them as discrete.",
        OPEVO_I_EXCERPT(name), OPEVO_I_EXCERPT(type));
}

/* ---- NNI's intervals ---- */

/* Multiples of q, and the bounds where these are not: clip(round(x / q) q, low, high). */
static opevo_status add_quantized(const opevo_i_topology_space_file *file, const char *name,
                                  double low, double high, double q, json_t **out, opevo_error *err)
{
    double first = round(low / q), last = round(high / q);
    double before = NAN;
    json_t *list = NULL;

    if (low > high || !(q > 0) || !(last - first < (double)VALUES_MOST))
        return add_range(file, name, low, high, q, false, out, err);
    list = json_array();
    for (size_t k = 0; k <= (size_t)(last - first); k++) {
        double value = fmin(fmax((first + (double)k) * q, low), high);

        if (value != before)
            json_array_append_new(list, value == floor(value) && fabs(value) < 1e15
                                            ? json_integer((json_int_t)value)
                                            : json_real(value));
        before = value;
    }
    *out = entry("discrete", list);
    return OPEVO_OK;
}

/* Replace a parameter of an interval; *out stays NULL for any other. */
static opevo_status read_interval(const opevo_i_topology_space_file *file, const char *name,
                                  const json_t *given, json_t **out, opevo_error *err)
{
    static const char *const reals[] = {"uniform",   "loguniform", "normal",
                                        "lognormal", "qnormal",    "qlognormal"};
    const char *type = text_of(given, "_type");
    const json_t *value = json_object_get(given, "_value");
    double low = json_number_value(json_array_get(value, 0));
    double high = json_number_value(json_array_get(value, 1));
    bool quantized = strcmp(type, "quniform") == 0 || strcmp(type, "qloguniform") == 0;

    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        if (strcmp(type, reals[i]) == 0)
            return refuse_reals(file, name, type, err);
    }
    if (!quantized && strcmp(type, "randint") != 0)
        return OPEVO_OK;
    if (json_array_size(value) != (quantized ? 3 : 2))
        return opevo_i_topology_space_file_refuse(
            file, line_of(file, name), err, "Parameter %s: %s takes [low, high%s].",
            OPEVO_I_EXCERPT(name), OPEVO_I_EXCERPT(type), quantized ? ", q" : "");
    return quantized ? add_quantized(file, name, low, high,
                                     json_number_value(json_array_get(value, 2)), out, err)
                     : add_range(file, name, low, high - 1, 1, true, out, err);
}

/* Replace the intervals in an object of parameters, and in the branches of its choices. */
static opevo_status read_intervals(const opevo_i_topology_space_file *file, json_t *object,
                                   size_t depth, opevo_error *err)
{
    const char *key = NULL;
    json_t *given = NULL;
    opevo_status status = OPEVO_OK;

    json_object_foreach(object, key, given)
    {
        json_t *values = json_object_get(given, "_value");
        json_t *made = NULL;

        OPEVO_TRY(read_interval(file, key, given, &made, err));
        if (made)
            json_object_set_new(object, key, made);
        for (size_t i = 0; !made && depth < 64 && i < json_array_size(values); i++) {
            if (json_is_object(json_array_get(values, i)))
                OPEVO_TRY(read_intervals(file, json_array_get(values, i), depth + 1, err));
        }
    }
cleanup:
    return status;
}

/* ---- BaCO ---- */

static opevo_status read_baco_parameter(const opevo_i_topology_space_file *file, const char *name,
                                        const json_t *given, json_t *out, opevo_error *err)
{
    const char *type = text_of(given, "parameter_type");
    json_t *values = json_object_get(given, "values");
    json_t *made = NULL;
    opevo_status status = OPEVO_OK;

    if (strcmp(type, "ordinal") == 0)
        made = json_pack("{s:s, s:O?}", "_type", "discrete", "_value", values);
    else if (strcmp(type, "categorical") == 0)
        made = json_pack("{s:s, s:O?}", "_type", "choice", "_value", values);
    else if (strcmp(type, "permutation") == 0)
        made = json_pack("{s:s, s:O?}", "_type", type, "_value", values);
    else if (strcmp(type, "integer") == 0)
        status = add_range(file, name, json_number_value(json_array_get(values, 0)),
                           json_number_value(json_array_get(values, 1)), 1, true, &made, err);
    else if (strcmp(type, "real") == 0)
        status = refuse_reals(file, name, type, err);
    else
        status = opevo_i_topology_space_file_refuse(
            file, line_of(file, name), err,
            "Parameter %s: unknown parameter_type \"%s\"; BaCO's are ordinal, integer, "
            "categorical, permutation and real.",
            OPEVO_I_EXCERPT(name), OPEVO_I_EXCERPT(type));
    if (made)
        json_object_set_new(out, name, made);
    return status;
}

static opevo_status read_baco(const opevo_i_topology_space_file *file, json_t *out,
                              opevo_error *err)
{
    const json_t *parameters = json_object_get(file->root, "input_parameters");
    json_t *constraints = json_array();
    const char *name = NULL;
    json_t *given = NULL;
    opevo_status status = OPEVO_OK;

    json_object_foreach((json_t *)parameters, name, given)
    {
        const json_t *own = json_object_get(given, "constraints");

        OPEVO_TRY(read_baco_parameter(file, name, given, out, err));
        for (size_t i = 0; i < json_array_size(own); i++)
            json_array_append(constraints, json_array_get(own, i));
    }
    if (json_array_size(constraints)) {
        json_object_set(out, "_constraints", constraints);
        json_object_set_new(out, "_dialect", json_string("python"));
    }
cleanup:
    json_decref(constraints);
    return status;
}

/* ---- ConfigSpace ---- */

static opevo_status read_hyperparameter(const opevo_i_topology_space_file *file,
                                        const json_t *given, json_t *out, opevo_error *err)
{
    const char *type = text_of(given, "type");
    const char *name = text_of(given, "name");
    double low = json_number_value(json_object_get(given, "lower"));
    double high = json_number_value(json_object_get(given, "upper"));
    double q = json_number_value(json_object_get(given, "q"));
    json_t *made = NULL;
    opevo_status status = OPEVO_OK;

    if (strcmp(type, "categorical") == 0)
        made = json_pack("{s:s, s:O?}", "_type", "choice", "_value",
                         json_object_get(given, "choices"));
    else if (strcmp(type, "ordinal") == 0)
        made = ordinal(json_object_get(given, "sequence"));
    else if (strcmp(type, "constant") == 0)
        made = json_pack("{s:s, s:[O?]}", "_type", "choice", "_value",
                         json_object_get(given, "value"));
    else if (strcmp(type, "uniform_int") == 0)
        status = add_range(file, name, low, high, q > 0 ? q : 1, true, &made, err);
    else if (strcmp(type, "uniform_float") == 0 && q > 0)
        status = add_range(file, name, low, high, q, false, &made, err);
    else
        status = refuse_reals(file, name, type, err);
    if (made)
        json_object_set_new(out, name, made);
    return status;
}

/* Move a child under the value of its parent. */
static opevo_status nest(const opevo_i_topology_space_file *file, const json_t *condition,
                         json_t *all, json_t *inside, opevo_error *err)
{
    const char *child = text_of(condition, "child");
    const char *parent = text_of(condition, "parent");
    const json_t *value = json_object_get(condition, "value");
    const json_t *values = json_object_get(condition, "values");
    json_t *entry_of = json_object_get(all, child);
    json_t *list = json_object_get(json_object_get(all, parent), "_value");
    bool is_in = strcmp(text_of(condition, "type"), "IN") == 0;
    size_t found = 0;

    if (!is_in && strcmp(text_of(condition, "type"), "EQ") != 0)
        return opevo_i_topology_space_file_refuse(
            file, 0, err,
            "The condition %s of %s: opevo has branches, which are conditions EQ and IN "
            "on the value of one categorical parameter.",
            OPEVO_I_EXCERPT(text_of(condition, "type")), OPEVO_I_EXCERPT(child));
    if (!entry_of || strcmp(text_of(json_object_get(all, parent), "_type"), "choice") != 0)
        return opevo_i_topology_space_file_refuse(
            file, 0, err, "The condition of %s: its parent %s is not categorical.",
            OPEVO_I_EXCERPT(child), OPEVO_I_EXCERPT(parent));
    if (json_object_get(inside, child))
        return opevo_i_topology_space_file_refuse(
            file, 0, err, "%s has two conditions; opevo has branches, which are one.",
            OPEVO_I_EXCERPT(child));
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *one = json_array_get(list, i);
        const json_t *name = json_is_object(one) ? json_object_get(one, "_name") : one;
        bool meant = !is_in && json_equal(name, value);

        for (size_t k = 0; is_in && k < json_array_size(values); k++)
            meant = meant || json_equal(name, json_array_get(values, k));
        if (!meant)
            continue;
        found++;
        if (!json_is_object(one)) {
            json_array_set_new(list, i, json_pack("{s:O}", "_name", one));
            one = json_array_get(list, i);
        }
        json_object_set(one, child, entry_of);
    }
    if (!found)
        return opevo_i_topology_space_file_refuse(file, 0, err,
                                                  "The condition of %s: %s has no such value.",
                                                  OPEVO_I_EXCERPT(child), OPEVO_I_EXCERPT(parent));
    json_object_set_new(inside, child, json_true());
    return OPEVO_OK;
}

/* A forbidden clause as an expression in Python; false for one that is not known. */
static bool add_clause(const json_t *clause, opevo_text *out)
{
    const char *type = text_of(clause, "type");
    bool is_in = strcmp(type, "IN") == 0;
    const json_t *clauses = json_object_get(clause, "clauses");
    const json_t *values = json_object_get(clause, "values");

    if (strcmp(type, "AND") == 0) {
        for (size_t i = 0; i < json_array_size(clauses); i++) {
            opevo_text_add(out, i ? " and " : "");
            if (!add_clause(json_array_get(clauses, i), out))
                return false;
        }
        return json_array_size(clauses) > 0;
    }
    if (!is_in && strcmp(type, "EQUALS") != 0)
        return false;
    opevo_text_printf(out, "%s %s ", text_of(clause, "name"), is_in ? "in (" : "==");
    for (size_t i = 0; i < (is_in ? json_array_size(values) : 1); i++) {
        const json_t *value = is_in ? json_array_get(values, i) : json_object_get(clause, "value");

        opevo_text_add(out, i ? ", " : "");
        if (json_is_boolean(value))
            opevo_text_add(out, json_is_true(value) ? "True" : "False");
        else if (json_is_string(value))
            opevo_text_add_json(out, json_string_value(value));
        else
            opevo_text_add_double(out, json_number_value(value));
    }
    opevo_text_add(out, is_in ? ")" : "");
    return true;
}

static opevo_status read_forbidden(const opevo_i_topology_space_file *file, json_t *out,
                                   opevo_error *err)
{
    const json_t *forbidden = json_object_get(file->root, "forbiddens");
    json_t *constraints = json_array();
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < json_array_size(forbidden); i++) {
        const json_t *clause = json_array_get(forbidden, i);

        opevo_text_clear(&text);
        opevo_text_add(&text, "not (");
        if (!add_clause(clause, &text)) {
            status = opevo_i_topology_space_file_refuse(
                file, 0, err,
                "The forbidden clause %zu is of type %s; those known are EQUALS, IN "
                "and AND.",
                i + 1, OPEVO_I_EXCERPT(text_of(clause, "type")));
            goto cleanup;
        }
        opevo_text_add(&text, ")");
        OPEVO_TRY(opevo_text_check(&text, err));
        json_array_append_new(constraints, json_string(text.data));
    }
    if (json_array_size(constraints)) {
        json_object_set(out, "_constraints", constraints);
        json_object_set_new(out, "_dialect", json_string("python"));
    }
cleanup:
    opevo_text_free(&text);
    json_decref(constraints);
    return status;
}

static opevo_status read_configspace(const opevo_i_topology_space_file *file, json_t *out,
                                     opevo_error *err)
{
    const json_t *list = json_object_get(file->root, "hyperparameters");
    const json_t *conditions = json_object_get(file->root, "conditions");
    json_t *inside = json_object(); /* parameters that are in a branch */
    const char *name = NULL;
    json_t *flag = NULL;
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < json_array_size(list); i++)
        OPEVO_TRY(read_hyperparameter(file, json_array_get(list, i), out, err));
    for (size_t i = 0; i < json_array_size(conditions); i++)
        OPEVO_TRY(nest(file, json_array_get(conditions, i), out, inside, err));
    json_object_foreach(inside, name, flag) json_object_del(out, name);
    OPEVO_TRY(read_forbidden(file, out, err));
cleanup:
    json_decref(inside);
    return status;
}

/* ---- All ---- */

opevo_status opevo_i_topology_space_translate(const opevo_i_topology_space_file *file, json_t **out,
                                              opevo_error *err)
{
    bool baco = json_is_object(json_object_get(file->root, "input_parameters"));
    bool configspace = json_is_array(json_object_get(file->root, "hyperparameters"));
    opevo_status status = OPEVO_OK;
    json_t *made = NULL;

    if ((json_object_get(file->root, "Results") && json_object_get(file->root, "Metadata")) ||
        json_object_get(file->root, "kernel_family"))
        return opevo_i_topology_space_file_refuse(
            file, 0, err,
            "These are results of a tuner, not a search space: read them as a recording, "
            "recorded:FILE.");
    made = baco || configspace ? json_object() : json_deep_copy(file->root);
    if (!made)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%.256s: no memory.", file->origin);
    status = baco          ? read_baco(file, made, err)
             : configspace ? read_configspace(file, made, err)
                           : read_intervals(file, made, 0, err);
    if (status == OPEVO_OK)
        *out = made;
    else
        json_decref(made);
    return status;
}
