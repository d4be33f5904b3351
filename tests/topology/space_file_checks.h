/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reading spaces from texts. */

#ifndef OPEVO_TESTS_SPACE_FILE_CHECKS_H
#define OPEVO_TESTS_SPACE_FILE_CHECKS_H

#include "check.h"

#include <opevo/space.h>

static inline opevo_space *parse(const char *json)
{
    opevo_space *space = NULL;

    CHECK_OK(opevo_space_parse(json, "space.json", NULL, &space, &err));
    return space;
}

static inline void check_size(const opevo_space *space, opevo_index expected)
{
    char a[OPEVO_INDEX_TEXT_SIZE], b[OPEVO_INDEX_TEXT_SIZE];

    if (opevo_space_size(space) != expected)
        fail_msg("%s points, expected %s", opevo_index_format(opevo_space_size(space), a),
                 opevo_index_format(expected, b));
}

static inline void check_parameter(const opevo_space *space, size_t i, const char *name,
                                   const char *text, const char *topology)
{
    const opevo_parameter *parameter = opevo_space_parameter(space, i);

    assert_string_equal(opevo_parameter_name(parameter), name);
    assert_string_equal(opevo_parameter_text(parameter), text);
    assert_string_equal(opevo_parameter_topology(parameter), topology);
}

static inline opevo_index count_allowed(const opevo_space *space)
{
    opevo_space_share share = {0};

    CHECK_OK(opevo_space_count_allowed(space, OPEVO_INDEX_MAX, 0, &share, &err));
    assert_true(share.exact);
    return share.allowed;
}

/* A T1 file with one parameter p, and perhaps a condition. */
static inline opevo_status parse_t1(const char *type, const char *values, const char *condition,
                                    opevo_space **out, opevo_error *err)
{
    opevo_text json = {0};
    opevo_status status = OPEVO_OK;

    opevo_text_printf(&json,
                      "{\"General\": {}, \"ConfigurationSpace\": {\"TuningParameters\": "
                      "[{\"Name\": \"p\", \"Default\": 1, \"Type\": \"%s\", \"Values\": ",
                      type);
    opevo_text_add_json(&json, values);
    opevo_text_add(&json, "}]");
    if (condition) {
        opevo_text_add(&json, ", \"Conditions\": [{\"Parameters\": [\"p\"], \"Expression\": ");
        opevo_text_add_json(&json, condition);
        opevo_text_add(&json, "}]");
    }
    opevo_text_add(&json, "}, \"KernelSpecification\": {\"Language\": \"CUDA\"}}");
    status = opevo_space_parse(opevo_text_string(&json), "t1.json", NULL, out, err);
    opevo_text_free(&json);
    return status;
}

#endif
