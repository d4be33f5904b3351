/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Strict reading of JSON: each kind of field takes what it says and refuses the values beside it,
 * with file, path of the key and what is wanted. */

#include "check.h"

#include <opevo/json_read.h>
#include <opevo/memory.h>

#include <stdlib.h>
#include <unistd.h>

typedef struct record {
    json_t *any, *object, *list, *texts;
    const char *text;
    bool flag;
    uint64_t whole;
    double number, share, cycles;
    unsigned word;
} record;

static const char *const words[] = {"left", "right", "none", NULL};

static const opevo_json_field fields[] = {
    OPEVO_JSON_FIELD(record, any, ANY),
    OPEVO_JSON_FIELD(record, object, OBJECT),
    OPEVO_JSON_FIELD(record, list, LIST, .least = 1, .most = 2),
    OPEVO_JSON_FIELD(record, texts, TEXTS, .least = 1),
    OPEVO_JSON_FIELD(record, text, TEXT, .least = 1, .most = 3),
    OPEVO_JSON_FIELD(record, flag, FLAG),
    OPEVO_JSON_FIELD(record, whole, WHOLE, .or_digits = true, .least = 2),
    {"large", OPEVO_JSON_WHOLE, .offset = offsetof(record, whole), .or_digits = true,
     .most = 0x1p63},
    {"strict", OPEVO_JSON_WHOLE, .offset = offsetof(record, whole), .most = 5},
    OPEVO_JSON_FIELD(record, number, NUMBER),
    OPEVO_JSON_FIELD(record, share, NUMBER, .is_open = true, .most = 1),
    OPEVO_JSON_FIELD(record, cycles, NUMBER, .is_integral = true, .least = -1, .most = 1e6,
                     .unit = "cycles"),
    OPEVO_JSON_FIELD(record, word, WORD, .words = words),
};
enum { FIELD_COUNT = sizeof fields / sizeof *fields };

static json_t *parsed(const char *text)
{
    json_t *root = NULL;

    CHECK_OK(opevo_json_parse("a.json", text, strlen(text), &root, &err));
    return root;
}

static opevo_status read_record(const char *origin, const json_t *root, record *out,
                                opevo_error *err)
{
    const opevo_json_reader whole = {.origin = origin, .value = root};

    return opevo_json_read(&whole, fields, FIELD_COUNT, out, err);
}

CHECK_TEST(test_fields_are_read)
{
    json_t *root = parsed("{\"any\": null, \"object\": {}, \"list\": [1, 2], \"texts\": [\"a\", "
                          "\"b\"], \"text\": \"abc\", \"flag\": true, \"whole\": "
                          "\"18446744073709551615\", \"number\": -1e300, \"share\": 1, "
                          "\"cycles\": -1.0, \"word\": \"none\"}");
    record out = {.flag = false};

    CHECK_OK(read_record("a.json", root, &out, &err));
    assert_true(json_is_null(out.any));
    assert_true(json_is_object(out.object));
    assert_int_equal(json_array_size(out.list), 2);
    assert_int_equal(opevo_json_text_count(out.texts), 2);
    assert_string_equal(opevo_json_text_at(out.texts, 1), "b");
    assert_string_equal(out.text, "abc");
    assert_true(out.flag);
    assert_true(out.whole == UINT64_MAX);
    CHECK_CLOSE(out.number, -1e300, 0);
    CHECK_CLOSE(out.share, 1, 0);
    CHECK_CLOSE(out.cycles, -1, 0);
    assert_int_equal(out.word, 2);
    json_decref(root);
}

/* One text stands for a list of one; what is absent keeps its value. */
CHECK_TEST(test_defaults_and_lone_texts)
{
    json_t *root = parsed("{\"texts\": \"a\"}");
    record out = {.whole = 7, .number = 0.5, .text = "kept"};

    CHECK_OK(read_record("a.json", root, &out, &err));
    assert_int_equal(opevo_json_text_count(out.texts), 1);
    assert_string_equal(opevo_json_text_at(out.texts, 0), "a");
    assert_int_equal(out.whole, 7);
    CHECK_CLOSE(out.number, 0.5, 0);
    assert_string_equal(out.text, "kept");
    assert_null(out.list);
    assert_int_equal(opevo_json_text_count(NULL), 0);
    json_decref(root);
}

CHECK_TEST(test_bad_values_are_refused)
{
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"[]", "expected an object."},
        {"{\"object\": []}", "object: must be an object."},
        {"{\"list\": {}}", "list: must be a list of 1 to 2 elements."},
        {"{\"list\": []}", "list: must be a list of 1 to 2 elements."},
        {"{\"list\": [1, 2, 3]}", "list: must be a list of 1 to 2 elements."},
        {"{\"texts\": 1}", "texts: must be a string, or a list of strings, none of them empty."},
        {"{\"texts\": []}", "texts: must be a string, or a list of strings, none of them empty."},
        {"{\"texts\": [\"a\", 1]}", "texts: must be a string, or a list of strings, none of"},
        {"{\"texts\": [\"a\", \"\"]}", "texts: must be a string, or a list of strings, none of"},
        {"{\"text\": null}", "text: must be a string of 1 to 3 bytes."},
        {"{\"text\": \"\"}", "text: must be a string of 1 to 3 bytes."},
        {"{\"text\": \"abcd\"}", "text: must be a string of 1 to 3 bytes."},
        {"{\"flag\": 1}", "flag: must be true or false."},
        {"{\"whole\": 1}", "whole: must be a whole number of at least 2."},
        {"{\"whole\": -3}", "whole: must be a whole number of at least 2."},
        {"{\"whole\": 2.5}", "whole: must be a whole number of at least 2."},
        {"{\"whole\": \"-2\"}", "whole: must be a whole number of at least 2."},
        {"{\"whole\": \"18446744073709551616\"}", "whole: must be a whole number"},
        {"{\"strict\": \"2\"}", "strict: must be a whole number from 0 to 5."},
        {"{\"large\": \"9223372036854775809\"}", "large: must be a whole number from 0 to "},
        {"{\"strict\": 6}", "strict: must be a whole number from 0 to 5."},
        {"{\"number\": \"1\"}", "number: must be a number."},
        {"{\"share\": 0}", "share: must be a number above 0 and at most 1."},
        {"{\"share\": 1.5}", "share: must be a number above 0 and at most 1."},
        {"{\"cycles\": 0.5}", "cycles: must be a whole number from -1 to 1000000 cycles."},
        {"{\"cycles\": -2}", "cycles: must be a whole number from -1 to 1000000 cycles."},
        {"{\"cycles\": 1000001}", "cycles: must be a whole number from -1 to 1000000 cycles."},
        {"{\"word\": \"top\"}", "word: must be \"left\", \"right\" or \"none\"."},
        {"{\"word\": 1}", "word: must be \"left\", \"right\" or \"none\"."},
        {"{\"shar\": 1}", "shar: unknown key; did you mean \"share\"?"},
        {"{\"zzzzzz\": 1}", "zzzzzz: unknown key; the keys are any, object, list, texts, text, "
                            "flag, whole, large, strict, number, share, cycles and word."},
        {"{\"a\\u001b[0m\": 1}", "a\\x1b[0m: unknown key; "},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        json_t *root = parsed(cases[i].text);
        record out = {.flag = false};
        char sentence[512];

        snprintf(sentence, sizeof sentence, "a.json: %s", cases[i].sentence);
        CHECK_FAILS(OPEVO_INVALID, sentence, read_record("a.json", root, &out, &err));
        json_decref(root);
    }
}

/* In a reply to who sent the JSON, a sentence names the key only. */
CHECK_TEST(test_sentences_without_origin)
{
    json_t *root = parsed("{\"flag\": 1}"), *unknown = parsed("{\"flg\": 1}");
    record out = {.flag = false};

    CHECK_FAILS(OPEVO_INVALID, "\"flag\" must be true or false.",
                read_record(NULL, root, &out, &err));
    CHECK_FAILS(OPEVO_INVALID, "\"flg\": unknown key; did you mean \"flag\"?",
                read_record(NULL, unknown, &out, &err));
    json_decref(root);
    json_decref(unknown);
}

CHECK_TEST(test_required)
{
    static const opevo_json_field needed = OPEVO_JSON_FIELD(record, text, TEXT, .required = true);
    opevo_json_reader whole = {.origin = "a.json", .value = NULL};
    json_t *root = parsed("{\"other\": 1}");
    record out = {.flag = false};

    CHECK_FAILS(OPEVO_INVALID, "a.json: text: must be given, as a string.",
                opevo_json_read_some(&whole, &needed, 1, &out, &err));
    whole.value = root;
    CHECK_FAILS(OPEVO_INVALID, "a.json: text: must be given, as a string.",
                opevo_json_read_some(&whole, &needed, 1, &out, &err));
    CHECK_FAILS(OPEVO_INVALID, "a.json: other: unknown key; the key is text.",
                opevo_json_read(&whole, &needed, 1, &out, &err));
    json_decref(root);
}

CHECK_TEST(test_paths)
{
    json_t *root = parsed("{\"a\": [{}, {\"b c\": [[1, 2]]}]}");
    const opevo_json_reader whole = {.origin = "a.json", .value = root};
    const opevo_json_reader a = opevo_json_member(&whole, "a");
    const opevo_json_reader second = opevo_json_element(&a, 1);
    const opevo_json_reader b = opevo_json_member(&second, "b c");
    const opevo_json_reader inner = opevo_json_element(&b, 0);
    const opevo_json_reader number = opevo_json_element(&inner, 1);
    const opevo_json_reader absent = opevo_json_member(&number, "x");
    char *path = opevo_json_path(&number), *none = opevo_json_path(&whole);

    assert_int_equal(json_integer_value(number.value), 2);
    assert_null(absent.value);
    assert_string_equal(path, "a[1].b c[0][1]");
    assert_string_equal(none, "");
    CHECK_FAILS(OPEVO_INVALID, "a.json: a[1].b c[0][1].x: is \"odd\".",
                opevo_json_fail(&absent, &err, "is \"%s\".", "odd"));
    CHECK_FAILS(OPEVO_INVALID, "a.json: is odd.", opevo_json_fail(&whole, &err, "is odd."));
    opevo_free(path);
    opevo_free(none);
    json_decref(root);
}

CHECK_TEST(test_texts_that_are_not_json)
{
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"", "a.json:1:0: invalid JSON: "},
        {"{\n \"a\": }", "a.json:2:7: invalid JSON: "},
        {"{\"a\": 1,\n \"b\": 2,\n\"a\": 3}",
         "a.json:3:3: invalid JSON: the member \"a\" is a duplicate of that in line 1"},
        {"{\"input\": [\"cuda\"], \"config\": {}, \"result\": []}", "a.json: this is a log of "},
    };
    json_t *root = NULL;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_FAILS(OPEVO_INVALID, cases[i].sentence,
                    opevo_json_parse("a.json", cases[i].text, strlen(cases[i].text), &root, &err));
    assert_null(root);
}

CHECK_TEST(test_files)
{
    char path[] = "/tmp/opevo-json-XXXXXX";
    int file = mkstemp(path);
    json_t *root = NULL;

    assert_true(file >= 0);
    assert_int_equal(write(file, "{\"a\": 1}", 8), 8);
    assert_int_equal(close(file), 0);
    CHECK_OK(opevo_json_load(path, 8, &root, &err));
    assert_int_equal(json_integer_value(json_object_get(root, "a")), 1);
    json_decref(root);
    CHECK_FAILS(OPEVO_LIMIT, path, opevo_json_load(path, 7, &root, &err));
    assert_int_equal(unlink(path), 0);
    CHECK_FAILS(OPEVO_IO, path, opevo_json_load(path, 8, &root, &err));
}

/* A sentence that finds no memory is cut; the call fails all the same, and nothing is left. */
CHECK_TEST(test_out_of_memory)
{
    json_t *bad = parsed("{\"shar\": 1}"), *good = parsed("{\"share\": 1}");
    int64_t alive = opevo_memory_live();
    record out = {.flag = false};

    for (int64_t n = 1; n < 12; n++) {
        opevo_status status;

        opevo_memory_fail_at(n);
        status = read_record("a.json", bad, &out, NULL);
        opevo_memory_fail_at(0);
        assert_int_equal(status, n == 1 ? OPEVO_NOMEM : OPEVO_INVALID);
        assert_int_equal(opevo_memory_live(), alive);
    }
    opevo_memory_fail_at(1);
    assert_int_equal(read_record("a.json", good, &out, NULL), OPEVO_NOMEM);
    opevo_memory_fail_at(0);
    json_decref(bad);
    json_decref(good);
}
