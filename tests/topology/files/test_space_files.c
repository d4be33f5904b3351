/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Space files in NNI's form and ours: read, written, and every mistake with its place. */

#include "space_file_checks.h"

#include <opevo/file.h>
#include <opevo/memory.h>

#include <stdlib.h>
#include <unistd.h>

/* ---- NNI's form ---- */

CHECK_TEST(test_nni_form)
{
    opevo_space *space = parse("{\"K\": {\"_type\": \"factor\", \"_value\": [1024, 3]},\n"
                               " \"X\": {\"_type\": \"factor\", \"_value\": [512, 4]},\n"
                               " \"Y\": {\"_type\": \"factor\", \"_value\": [1024, 4]}}");

    check_size(space, 4152720);
    check_parameter(space, 0, "K", "factor(1024,3)", "prime-move");
    check_parameter(space, 1, "X", "factor(512,4)", "prime-move");
    check_parameter(space, 2, "Y", "factor(1024,4)", "prime-move");
    opevo_space_destroy(space);
    space = parse("{\"z\": {\"_type\": \"discrete\", \"_value\": [256, 0, 125]},"
                  " \"a\": {\"_type\": \"choice\", \"_value\": [0, 1]},"
                  " \"m\": {\"_type\": \"choice\", \"_value\": [\"fp16\", true, 2.5, -3]},"
                  " \"o\": {\"_value\": 3, \"_type\": \"permutation\"}}");
    check_size(space, 3 * 2 * 4 * 6);
    check_parameter(space, 0, "z", "discrete(0,125,256)", "path");
    check_parameter(space, 1, "a", "categorical(0,1)", "complete");
    check_parameter(space, 2, "m", "categorical(fp16,true,2.5,-3)", "complete");
    check_parameter(space, 3, "o", "permutation(3)", "transposition");
    opevo_space_destroy(space);
}

CHECK_TEST(test_our_extensions)
{
    opevo_space *space =
        parse("{\"n\": {\"_type\": \"factor\", \"_value\": [24, 3], \"_topology\": \"any-divisor\","
              "        \"_components\": [\"n1\", \"n2\", \"n3\"]},"
              " \"s\": {\"_type\": \"discrete\", \"_value\": [1, 2, 4, 8],"
              "        \"_topology\": \"steps(2)\"},"
              " \"_constraints\": [\"n1 * s <= 24\", \"n[1] != 3\"]}");
    opevo_index expected = 0;

    check_parameter(space, 0, "n", "factor(24,3)", "any-divisor");
    check_parameter(space, 1, "s", "discrete(1,2,4,8)", "steps(2)");
    assert_string_equal(opevo_parameter_component_name(opevo_space_parameter(space, 0), 2), "n3");
    assert_int_equal(opevo_space_constraint_count(space), 2);
    for (int64_t a = 1; a <= 24; a++)
        for (int64_t b = 1; b <= 24; b++)
            for (int64_t s = 1; s <= 8; s *= 2)
                expected += 24 % (a * b) == 0 && a * s <= 24 && b != 3;
    assert_true(count_allowed(space) == expected);
    opevo_space_destroy(space);
    space = parse("{\"a\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3]}, \"_dialect\": "
                  "\"python\", \"_constraints\": [\"1 < a <= 3 and not a == 2\"]}");
    assert_true(count_allowed(space) == 1);
    opevo_space_destroy(space);
}

/* A real number that is whole stays a real number: 1 / 2.0 is not 1 / 2. */
CHECK_TEST(test_reals_stay_reals)
{
    opevo_space *space = parse("{\"s\": {\"_type\": \"discrete\", \"_value\": [2.0, 1e30, 5]},"
                               " \"_constraints\": [\"1 / s > 0\", \"s >= 2\"]}");
    opevo_text written = {0};

    assert_true(count_allowed(space) == 2);
    opevo_space_write_json(space, &written);
    assert_non_null(strstr(opevo_text_string(&written), "[2.0, 5, 1e+30]"));
    opevo_text_free(&written);
    opevo_space_destroy(space);
}

/* Everything that the form can say comes back, and so does every point. */
CHECK_TEST(test_written_spaces_come_back)
{
    static const char *const files[] = {
        "{\"a\": {\"_type\": \"discrete\", \"_value\": [1]}}",
        "{\"n\": {\"_type\": \"factor\", \"_value\": [24, 3], \"_topology\": \"any-divisor\","
        "\"_components\": [\"n1\", \"n2\", \"n3\"]},"
        "\"s\": {\"_type\": \"discrete\", \"_value\": [1, 2.0, 4.5, 1e30, 1e-7], \"_topology\": "
        "\"cycle\"},"
        "\"m\": {\"_type\": \"choice\", \"_value\": [\"fp\\\"16\", true, false, 2.0, \"a\\nb\", "
        "\"\","
        "\"\\u00e4\"]},"
        "\"_constraints\": [\"n1 * 2 <= 48\", \"m != 'x' || n[0] < 3\"]}",
        "{\"p\": {\"_type\": \"permutation\", \"_value\": [4], \"_topology\": \"insertion\"},"
        "\"q\": {\"_type\": \"permutation\", \"_value\": [2], \"_components\": [\"q0\", \"q1\"]},"
        "\"_constraints\": [\"p[0] < 3 < p[1] + 4 or q0\"], \"_dialect\": \"python\"}",
        "{\"g\": {\"_type\": \"graph\", \"_value\": [\"b\", \"a b\", 7, \"alone\"], \"_edges\": "
        "[[0, 1], [2, 0]]}, \"h\": {\"_type\": \"graph\", \"_value\": [0], \"_edges\": []},"
        "\"_constraints\": [\"g != 'b' || h == 0\"]}",
        "{\"f\": {\"_type\": \"factor\", \"_value\": [1, 2]},"
        "\"g\": {\"_type\": \"factor\", \"_value\": [97, 1], \"_topology\": \"complete\"},"
        "\"h\": {\"_type\": \"discrete\", \"_value\": [-9223372036854775807, 0, "
        "9223372036854775807]}"
        "}",
    };

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        opevo_space *space = parse(files[i]), *again = NULL;
        opevo_text written = {0}, twice = {0}, line = {0};

        opevo_space_write_json(space, &written);
        CHECK_OK(opevo_text_check(&written, &err));
        again = parse(opevo_text_string(&written));
        assert_true(opevo_space_signature(again) == opevo_space_signature(space));
        assert_true(opevo_space_size(again) == opevo_space_size(space));
        opevo_space_write_json(again, &twice);
        assert_string_equal(opevo_text_string(&twice), opevo_text_string(&written));
        for (opevo_index point = 0; point < opevo_space_size(space); point++) {
            opevo_index read = OPEVO_INDEX_MAX;

            opevo_text_clear(&line);
            opevo_space_print(space, point, &line);
            CHECK_OK(opevo_space_read(again, opevo_text_string(&line), &read, &err));
            assert_true(read == point);
            assert_int_equal(opevo_space_allows(again, point), opevo_space_allows(space, point));
        }
        opevo_text_free(&written);
        opevo_text_free(&twice);
        opevo_text_free(&line);
        opevo_space_destroy(space);
        opevo_space_destroy(again);
    }
}

static const struct {
    const char *json, *words;
} nni_mistakes[] = {
    {"", "space.json:"},
    {"[1]", "space.json:1: A search space is a JSON object."},
    {"{}", "space.json: A space needs at least one parameter."},
    {"{\"a\": {\"_type\": \"discrete\",\n \"_value\": [1, 2,]}}", "space.json:2:"},
    {"{\"a\": {\"_type\": \"discrete\", \"_value\": [1]}", "space.json:1:"},
    {"{\"a\": {\"_type\": \"discrete\", \"_value\": [1]},\n\n \"a\": 3}", "space.json:3:"},
    {"{\"a\": {\"_type\": \"discrete\", \"_value\": [1e999]}}", "space.json:1:"},
    {"{\"a\": {\"_type\": \"discrete\", \"_value\": [1\xff]}}", "space.json:1:"},
    {"{\n\"a\": 3}", "space.json:2: Parameter a: write {\"_type\": ..., \"_value\": ...}"},
    {"{\n\n\"a\": {\"_value\": [1]}}", "space.json:3: Parameter a: _type must be a string"},
    {"{\"a\": {\"_type\": \"discrete\"}}", "space.json:1: Parameter a: _value is missing."},
    {"{\"b\": {\"_type\": \"choice\", \"_value\": [\"{:,\\\"\\n\"]},\n\"a\": {\"_type\": "
     "\"uniform\", \"_value\": [0, 1]}}",
     "space.json:2: Parameter a: uniform is an interval of real numbers"},
    {"{\"b\": {\"_type\": \"choice\", \"_value\": [1]},\n\"a\": {\"_type\": "
     "\"uniformly\", \"_value\": [0, 1]}}",
     "space.json:2: Parameter a: unknown type \"uniformly\"; the types are"},
    {"{\"a\": {\"_type\": \"factor\", \"_value\": [0, 3]}}", "space.json:1: Parameter a: factor"},
    {"{\"a\": {\"_type\": \"factor\", \"_value\": [8, 0]}}", "space.json:1: Parameter a: factor"},
    {"{\"a\": {\"_type\": \"factor\", \"_value\": [8]}}", "space.json:1: Parameter a: factor"},
    {"{\"a\": {\"_type\": \"factor\", \"_value\": [8.5, 2]}}", "space.json:1: Parameter a"},
    {"{\"a\": {\"_type\": \"permutation\", \"_value\": 0}}", "space.json:1: Parameter a"},
    {"{\"a\": {\"_type\": \"discrete\", \"_value\": []}}", "space.json:1: Parameter a"},
    {"{\"a\": {\"_type\": \"discrete\", \"_value\": [1, 2, 1]}}", "space.json:1: Parameter a"},
    {"{\"a\": {\"_type\": \"discrete\", \"_value\": [1, \"x\"]}}", "space.json:1: Parameter a"},
    {"{\"a\": {\"_type\": \"choice\", \"_value\": [null]}}", "a value is null"},
    {"{\"a\": {\"_type\": \"choice\", \"_value\": [[1, 2]]}}", "a value is a list"},
    {"{\"a\": {\"_type\": \"discrete\", \"_value\": [{\"_name\": \"x\"}]}}",
     "space.json:1: Parameter a: a value is an object; only the values of a choice open"},
    {"{\"a\": {\"_type\": \"graph\", \"_value\": \"no such file\"}}", "space.json:1: "},
    {"{\"a\": {\"_type\": \"graph\", \"_value\": [1, 2], \"_edges\": [[0, 2]]}}",
     "space.json:1: Parameter a: Edge 0 joins 0 and 2, but there are 2 vertices."},
    {"{\"a\": {\"_type\": \"graph\", \"_value\": [1, 2], \"_edges\": [[0]]}}",
     "space.json:1: Parameter a: _edges must be a list of pairs"},
    {"{\"a\": {\"_type\": \"graph\", \"_value\": [1, 2], \"_edges\": {}}}",
     "space.json:1: Parameter a: _edges must be a list of pairs"},
    {"{\"a\": {\"_type\": \"graph\", \"_value\": [1, 2], \"_edge\": []}}",
     "did you mean \"_edges\"?"},
    {"{\"a\": {\"_type\": \"graph\", \"_value\": [1, 2], \"_sides\": []}}",
     "_topology, _components and _edges."},
    {"{\"a\": {\"_type\": \"discrete\", \"_value\": [1, 2], \"_edges\": []}}",
     "space.json:1: Parameter a: only a graph has edges."},
    {"{\"a b\": {\"_type\": \"discrete\", \"_value\": [1]}}", "space.json:1: "},
    {"{\"a\": {\"_type\": \"discrete\", \"_value\": [1], \"_topologie\": \"path\"}}",
     "Parameter a: unknown key \"_topologie\"; did you mean \"_topology\"?"},
    {"{\"a\": {\"_type\": \"discrete\", \"_value\": [1], \"_topology\": \"torus\"}}",
     "space.json:1: Parameter a: discrete has no topology \"torus\""},
    {"{\"a\": {\"_type\": \"discrete\", \"_value\": [1], \"_topology\": 4}}",
     "_topology must be a string."},
    {"{\"a\": {\"_type\": \"factor\", \"_value\": [8, 2], \"_components\": [\"x\"]}}",
     "Parameter a: 1 component names for values of 2 components"},
    {"{\"a\": {\"_type\": \"factor\", \"_value\": [8, 1], \"_components\": \"x\"}}",
     "_components must be a list of strings"},
    {"{\"a\": {\"_type\": \"factor\", \"_value\": [8, 1], \"_components\": [3]}}",
     "Item 1 of _components is not a string."},
    {"{\"a\": {\"_type\": \"factor\", \"_value\": [8, 2], \"_components\": [\"x\", \"x\"]}}",
     "two components have the name x"},
    {"{\"a\": {\"_type\": \"factor\", \"_value\": [8, 1], \"_components\": [\"b\"]}, \"b\": "
     "{\"_type\": \"discrete\", \"_value\": [1]}}",
     "space.json: The name b is used twice"},
    {"{\"a\": {\"_type\": \"discrete\", \"_value\": [1]},\n\"_constraint\": []}",
     "space.json:2: Unknown key \"_constraint\"; apart from parameters, a space file may have"},
    {"{\"a\": {\"_type\": \"discrete\", \"_value\": [1]}, \"_constraints\": \"a < 2\"}",
     "_constraints must be a list of strings"},
    {"{\"a\": {\"_type\": \"discrete\", \"_value\": [1]}, \"_dialect\": \"fortran\"}",
     "_dialect must be \"c\" or \"python\"."},
    {"{\"a\": {\"_type\": \"discrete\", \"_value\": [1]}, \"_constraints\": [\"a < 2\", "
     "\"b\"]}",
     "space.json:1: constraint 2, column 1: unknown name b; the names are a."},
    {"{\"a\": {\"_type\": \"discrete\", \"_value\": [1]}, \"_constraints\": [\"a > 2\"]}",
     "space.json:1: constraint 1: no point satisfies the constraints"},
};

CHECK_TEST(test_nni_mistakes)
{
    for (size_t i = 0; i < sizeof nni_mistakes / sizeof *nni_mistakes; i++) {
        opevo_space *space = NULL;
        opevo_error err = {OPEVO_OK, ""};
        int64_t live = opevo_memory_live();

        assert_int_not_equal(
            opevo_space_parse(nni_mistakes[i].json, "space.json", NULL, &space, &err), OPEVO_OK);
        if (!strstr(err.message, nni_mistakes[i].words))
            fail_msg("%s:\n\"%s\", expected \"%s\"", nni_mistakes[i].json, err.message,
                     nni_mistakes[i].words);
        assert_null(space);
        assert_int_equal(opevo_memory_live(), live);
    }
}

/* Each constraint is named with the line on which it begins,
 * whatever stands in the texts before. */
CHECK_TEST(test_lines_of_constraints)
{
    static const struct {
        const char *constraints, *words;
    } cases[] = {
        {"[\"a < 2\",\n\"b\"]", "space.json:5: constraint 2, column 1: unknown name b"},
        {"\n[\n\n\"4 /\"]", "space.json:7: constraint 1, column 4: unexpected end"},
        {"[\"s != '],[\\\"'\", \"a < 2\",\r\n\"s != '\\\\\\\\'\",\n\"a > 7\"\n]",
         "space.json:6: constraint 4: no point satisfies"},
        {"[\"a < 2\"\n,\n\"\"\n]", "space.json:6: constraint 2 is empty"},
        {"[\"a < 2\", \"1 < 2\"]", "space.json:4: constraint 2: \"1 < 2\" names no parameter"},
        {"[\"a < 1\",\n\"a > 0\"]",
         "space.json: no point satisfies the constraints 1 (\"a < 1\") and 2 (\"a > 0\") together"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_text json = {0};
        opevo_space *space = NULL;

        opevo_text_printf(&json,
                          "{\"a\": {\"_type\": \"discrete\", \"_value\": [0, 1]},\n\"s\": "
                          "{\"_value\": [\"{\\\"_constraints\\\": [\"],\n \"_type\": \"choice\"},\n"
                          "\"_constraints\": %s, \"_dialect\": \"c\"}",
                          cases[i].constraints);
        CHECK_FAILS(OPEVO_INVALID, cases[i].words,
                    opevo_space_parse(opevo_text_string(&json), "space.json", NULL, &space, &err));
        opevo_text_free(&json);
    }
}

/* What somebody wrote is cut in messages. */
CHECK_TEST(test_long_texts_are_cut)
{
    static const char *const formats[] = {
        "{\"%s\": 3}",
        "{\"%s\": {\"_type\": \"discrete\", \"_value\": [1]}}",
        "{\"a\": {\"_type\": \"%s\", \"_value\": [1]}}",
        "{\"a\": {\"_type\": \"discrete\", \"_value\": [1], \"_topology\": \"%s\"}}",
        "{\"a\": {\"_type\": \"discrete\", \"_value\": [\"%s\"]}}",
        "{\"a\": {\"_type\": \"choice\", \"_value\": [\"%s\"]}, \"_constraints\": [\"a / 2\"]}",
        "{\"a\": {\"_type\": \"choice\", \"_value\": [\"%s\", 1]}, \"_constraints\": [\"a / 2\"]}",
        "{\"a\": {\"_type\": \"discrete\", \"_value\": [1]}, \"_constraints\": [\"%s\"]}",
        "{\"a\": {\"_type\": \"discrete\", \"_value\": [1]}, \"_constraints\": [\"%s(1)\"]}",
        "{\"a\": {\"_type\": \"discrete\", \"_value\": [1]}, \"_constraints\": [\"a %s\"]}",
        "{\"a\": {\"_type\": \"choice\", \"_value\": [\"b\"]}, \"_constraints\": [\"a == '%s'\"]}",
        "{\"a\": {\"_type\": \"discrete\", \"_value\": [1], \"_%s\": 1}}",
    };
    char longer[5001] = "";

    memset(longer, 'w', sizeof longer - 1);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        opevo_text json = {0};
        opevo_space *space = NULL;
        opevo_error err = {OPEVO_OK, ""};

        opevo_text_printf(&json, formats[i], longer);
        assert_int_equal(
            opevo_space_parse(opevo_text_string(&json), "space.json", NULL, &space, &err),
            OPEVO_INVALID);
        if (strlen(err.message) > 260 || strstr(err.message, "w\""))
            fail_msg("%s", err.message);
        opevo_text_free(&json);
    }
}

/* ---- Files ---- */

/* What is written holds the graph, not the name of its file. */
static void check_copy_needs_no_file(const opevo_space *space, const char *graph)
{
    opevo_text written = {0};
    opevo_space *copy = NULL;

    opevo_space_write_json(space, &written);
    CHECK_OK(opevo_text_check(&written, &err));
    assert_int_equal(unlink(graph), 0);
    CHECK_OK(opevo_space_parse(written.data, "a copy", NULL, &copy, &err));
    assert_true(opevo_space_signature(copy) == opevo_space_signature(space));
    opevo_space_destroy(copy);
    opevo_text_free(&written);
}

CHECK_TEST(test_loading)
{
    char folder[] = "opevo-space-XXXXXX", path[64], graph[64];
    opevo_space *space = NULL;
    static const char json[] = "{\"g\": {\"_type\": \"graph\", \"_value\": \"triangle.txt\"}}";
    static const char edges[] = "0 1\n1 2\n2 0\n";
    static const char zero[] = "{}\0{}";

    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/space.json", folder);
    snprintf(graph, sizeof graph, "%s/triangle.txt", folder);
    CHECK_FAILS(OPEVO_IO, path, opevo_space_load(path, &space, &err));
    CHECK_OK(opevo_file_write(path, json, sizeof json - 1, &err));
    CHECK_OK(opevo_file_write(graph, edges, sizeof edges - 1, &err));
    CHECK_OK(opevo_space_load(path, &space, &err));
    check_size(space, 3);
    opevo_space_destroy(space);
    CHECK_OK(opevo_space_load(path, &space, &err));
    check_copy_needs_no_file(space, graph);
    opevo_space_destroy(space);
    CHECK_OK(opevo_file_write(graph, "0 1\n1 x\n", 8, &err));
    CHECK_FAILS(OPEVO_INVALID, path, opevo_space_load(path, &space, &err));
    CHECK_OK(opevo_file_write(path, zero, sizeof zero - 1, &err));
    CHECK_FAILS(OPEVO_INVALID, "holds a zero byte", opevo_space_load(path, &space, &err));
    unlink(path);
    unlink(graph);
    rmdir(folder);
}
