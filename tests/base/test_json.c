/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What is printed piece by piece is JSON, in any nesting and layout: Jansson reads it back, and
 * commas stand where the layout wants them. */

#include "check.h"

#include <opevo/json.h>

#include <jansson.h>

#include <math.h>

CHECK_TEST(test_layouts)
{
    static const char *const spaces[] = {"", " ", "\n  "};
    static const char *const written[] = {"[1,[],{},\"[\",2]", "[1, [], {}, \"[\", 2]",
                                          "[\n  1,\n  [],\n  {},\n  \"[\",\n  2]"};
    opevo_text out = {0};

    for (int i = 0; i < 3; i++) {
        static const char *const elements[] = {"1", "[]", "{}", "\"[\"", "2"};

        opevo_text_clear(&out);
        opevo_text_add(&out, "[");
        for (int k = 0; k < 5; k++) {
            opevo_json_next(&out, spaces[i]);
            opevo_text_add(&out, elements[k]);
        }
        opevo_text_add(&out, "]");
        assert_string_equal(opevo_text_string(&out), written[i]);
    }
    opevo_text_free(&out);
}

/* Objects in arrays in objects, each with none to two members. */
static void write_object(opevo_text *out, int depth, int members)
{
    opevo_text_add(out, "{");
    for (int i = 0; i < members; i++) {
        opevo_json_open(out, i ? "b\"" : "a{", "[");
        for (int k = 0; k < members && depth > 0; k++) {
            opevo_json_next(out, k ? " " : "\n");
            write_object(out, depth - 1, (members + k) % 3);
        }
        opevo_text_add(out, "]");
    }
    opevo_text_add(out, "}");
}

CHECK_TEST(test_nested)
{
    for (int depth = 0; depth < 5; depth++) {
        for (int members = 0; members < 3; members++) {
            opevo_text out = {0};
            json_error_t error;
            json_t *root = NULL;

            write_object(&out, depth, members);
            root = json_loads(opevo_text_string(&out), JSON_REJECT_DUPLICATES, &error);
            assert_non_null(root);
            assert_int_equal(json_object_size(root), members);
            json_decref(root);
            opevo_text_free(&out);
        }
    }
}

CHECK_TEST(test_values)
{
    opevo_text out = {0};
    json_t *root = NULL;

    opevo_text_add(&out, "{");
    opevo_json_string(&out, "text", "\"\\\n{\x01");
    opevo_json_double(&out, "tenth", 0.1);
    opevo_json_double(&out, "none", NAN);
    opevo_json_index(&out, "index", 12345678901234567U);
    opevo_json_bool(&out, "yes", true);
    opevo_json_bool(&out, "no", false);
    opevo_text_add(&out, "}");
    root = json_loads(opevo_text_string(&out), 0, NULL);
    assert_non_null(root);
    assert_string_equal(json_string_value(json_object_get(root, "text")), "\"\\\n{\x01");
    assert_true(json_real_value(json_object_get(root, "tenth")) == 0.1);
    assert_true(json_is_null(json_object_get(root, "none")));
    assert_int_equal(json_integer_value(json_object_get(root, "index")), 12345678901234567);
    assert_true(json_is_true(json_object_get(root, "yes")));
    assert_true(json_is_false(json_object_get(root, "no")));
    json_decref(root);
    opevo_text_free(&out);
}
