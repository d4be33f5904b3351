/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Whether an objective can be recorded under a name: its space can be read back from there, and a
 * NAME.json that is there describes a recording that it may go on with; if not, what differs. */

#include "record_internal.h"

#include <opevo/memory.h>
#include <opevo/objective.h>
#include <opevo/unit.h>

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- What differs --------------------------------------------------------------------------- */

/* The first parameter that differs, or else that the constraints do. */
static void add_difference(const opevo_space *there, const opevo_space *here, opevo_text *out)
{
    size_t there_count = opevo_space_parameter_count(there);
    size_t here_count = opevo_space_parameter_count(here);
    size_t count = there_count < here_count ? there_count : here_count;

    for (size_t i = 0; i < count; i++) {
        const opevo_parameter *a = opevo_space_parameter(there, i);
        const opevo_parameter *b = opevo_space_parameter(here, i);

        if (opevo_parameter_hash(a, 0) == opevo_parameter_hash(b, 0))
            continue;
        opevo_text_printf(out, "parameter %zu is %s, %.120s, %s there and %s, %.120s, %s here",
                          i + 1, opevo_parameter_name(a), opevo_parameter_text(a),
                          opevo_parameter_topology(a), opevo_parameter_name(b),
                          opevo_parameter_text(b), opevo_parameter_topology(b));
        return;
    }
    if (there_count != here_count)
        opevo_text_printf(out, "it has %zu parameters there and %zu here", there_count, here_count);
    else
        opevo_text_add(out, "its constraints differ");
}

static opevo_status refuse_space(const char *path, const opevo_space *there,
                                 const opevo_objective *objective, opevo_error *err)
{
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    add_difference(there, objective->space, &text);
    status = opevo_text_check(&text, err);
    if (status == OPEVO_OK)
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s describes a recording of %s on another space: %.500s; record to "
                            "another name.",
                            path, objective->name, text.data);
    opevo_text_free(&text);
    return status;
}

/* A space as the reader of the description `path` makes it: files are named from its folder. */
static opevo_status parse_space(const char *path, const char *text, opevo_space **out,
                                opevo_error *err)
{
    const char *slash = strrchr(path, '/');
    char *directory = opevo_strndup(path, slash ? (size_t)(slash - path) : 0);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(directory, "reading %s", path);
    status = opevo_space_parse(text, path, slash ? directory : NULL, out, err);
    opevo_free(directory);
    return status;
}

static opevo_status read_space(const char *path, const json_t *described, opevo_space **out,
                               opevo_error *err)
{
    char *text = json_dumps(json_object_get(described, "space"), JSON_COMPACT);
    opevo_status status = OPEVO_OK;

    if (!text)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: \"space\" is missing.", path);
    status = parse_space(path, text, out, err);
    free(text);
    return status;
}

static opevo_status compare(const char *path, const json_t *described,
                            const opevo_objective *objective, opevo_error *err)
{
    const char *name = json_string_value(json_object_get(described, "objective"));
    const char *unit = json_string_value(json_object_get(described, "unit"));
    const char *signature = json_string_value(json_object_get(described, "objective_signature"));
    char wanted[20];
    uint64_t program = 0;
    opevo_space *space = NULL;
    opevo_status status = OPEVO_OK;

    if (strcmp(name, objective->name) != 0)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s describes a recording of %.200s, not of %.200s; record to another "
                          "name.",
                          path, name, objective->name);
    if (!unit || !opevo_unit_agree(unit, objective->unit))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s describes a recording of %s in %.80s, not in %.80s; record to "
                          "another name.",
                          path, name, unit ? unit : "no unit", objective->unit);
    OPEVO_TRY(read_space(path, described, &space, err));
    if (opevo_space_signature(space) != opevo_space_signature(objective->space)) {
        status = refuse_space(path, space, objective, err);
        goto cleanup;
    }
    opevo_i_cli_record_print_signature(objective->signature, wanted);
    program = opevo_i_cli_record_program(described);
    if (strcmp(signature, wanted) != 0)
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s describes a recording of %s with other options or another version "
                            "of it; record to another name.",
                            path, name);
    else if (program && objective->program && program != objective->program)
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s: the program of %s has changed since it was recorded: restore it, "
                            "or record to another name.",
                            path, name);
cleanup:
    opevo_space_destroy(space);
    return status;
}

/* What is written must be readable. */
static opevo_status check_readable(const char *path, const opevo_space *space, opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, "it would be a different one."};
    opevo_status status = OPEVO_OK;
    opevo_space *again = NULL;
    opevo_text text = {0};

    opevo_space_write_json(space, &text);
    OPEVO_TRY(opevo_text_check(&text, err));
    status = parse_space(path, text.data, &again, &inner);
    if (status == OPEVO_OK && opevo_space_signature(again) != opevo_space_signature(space))
        status = OPEVO_INVALID;
    if (status != OPEVO_OK)
        opevo_error_set(err, status, "The space could not be read back from %.200s: %.600s", path,
                        inner.message);
cleanup:
    opevo_space_destroy(again);
    opevo_text_free(&text);
    return status;
}

static opevo_status compare_share(const char *path, const opevo_i_cli_record_share *there,
                                  const opevo_i_cli_record_share *here, opevo_error *err)
{
    if (there->shard.count == here->shard.count && there->shard.index == here->shard.index &&
        (there->shard.count < 2 || there->seed == here->seed))
        return OPEVO_OK;
    if (there->shard.count < 2)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%s does not describe a share of a recording; record to another name.",
                          path);
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "%s describes share %u/%u of a recording with --seed %llu; record to another "
                      "name.",
                      path, (unsigned)there->shard.index + 1, (unsigned)there->shard.count,
                      (unsigned long long)there->seed);
}

opevo_status opevo_i_cli_record_check(const char *path, const opevo_objective *objective,
                                      const opevo_i_cli_record_share *share, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_cli_record_share there;
    json_t *described = NULL;

    if (access(path, F_OK) != 0)
        return check_readable(path, objective->space, err);
    OPEVO_TRY(opevo_i_cli_record_read_description(path, &described, err));
    OPEVO_TRY(compare(path, described, objective, err));
    there = opevo_i_cli_record_share_of(described);
    OPEVO_TRY(compare_share(path, &there, share, err));
cleanup:
    json_decref(described);
    return status;
}
