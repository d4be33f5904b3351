/* SPDX-License-Identifier: GPL-3.0-or-later */

#include "check.h"

#include <opevo/tvm_log.h>

#include <string.h>

#define AUTOTVM                                                                                    \
    "{\"input\": [\"cuda\", \"conv\", [], {}], \"config\": {\"entity\": []}, \"result\": [[1.0], " \
    "0, 1, 1], \"version\": 0.2}"
#define AUTOTVM_OLD                                                                                \
    "{\"i\": [\"cuda\", \"conv\", [], {}, null, {\"e\": []}], \"r\": [[1.0], 0, 1, 1], \"v\": "    \
    "0.1}"
#define ANSOR "{\"i\": [[\"[\\\"mm\\\"]\", \"llvm\"], [[], []]], \"r\": [[1.0], 0, 1, 1]}"
#define META "[0, [[[], []], [0.001], {\"kind\": \"llvm\"}, []]]"
#define META_WORKLOAD "[\"4824461705361984\", \"AAAA\"]"

CHECK_TEST(tells_who_wrote_it)
{
    static const struct {
        const char *text;
        opevo_tvm_log log;
    } cases[] = {
        {AUTOTVM, OPEVO_TVM_LOG_AUTOTVM},
        {AUTOTVM_OLD, OPEVO_TVM_LOG_AUTOTVM},
        {ANSOR, OPEVO_TVM_LOG_ANSOR},
        {META, OPEVO_TVM_LOG_META_SCHEDULE},
        {META_WORKLOAD, OPEVO_TVM_LOG_META_SCHEDULE},
    };
    static const char *const heads[] = {"", "\n", "# a log\n\r\n", "  ", " \t\n#\n \t"};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_non_null(opevo_tvm_log_advice(cases[i].log));
        for (size_t k = 0; k < sizeof heads / sizeof *heads; k++) {
            char text[1024];

            snprintf(text, sizeof text, "%s%s\n%s\n", heads[k], cases[i].text, cases[i].text);
            assert_int_equal(opevo_tvm_log_of(text), cases[i].log);
            snprintf(text, sizeof text, "%s%s", heads[k], cases[i].text);
            assert_int_equal(opevo_tvm_log_of(text), cases[i].log);
        }
    }
    assert_null(opevo_tvm_log_advice(OPEVO_TVM_LOG_OTHER));
}

/* What else may stand where a log is looked for; and each log without one of its marks. */
CHECK_TEST(leaves_others_alone)
{
    static const char *const texts[] = {
        "",
        "\n\n",
        "# operator: matmul(8,8,8)\n",
        "a,b,time_ms\n1,2,3\n",
        "[]",
        "[[\"SP\",2,0,24,[2,2],1]]",
        "[1]",
        "[1, 2]",
        "[\"a\", \"b\"]",
        "[\"12\", \"b\"]",
        "{}",
        "{\"i\": {\"_type\": \"choice\"}, \"r\": 1}",
        "{\"i\": [1], \"r\": [1]}",
        "{\"input\": [\"cuda\"], \"config\": {}}",
        "{\"input\": {}, \"config\": {}, \"result\": 1}",
        "{\"x\": \"\\\"input\\\": [], \\\"config\\\": 1, \\\"result\\\": 1\"}",
        "{\"Metadata\": {},\n\"input\": [], \"config\": {}, \"result\": []}",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_int_equal(opevo_tvm_log_of(texts[i]), OPEVO_TVM_LOG_OTHER);
}

CHECK_TEST(passes_comments)
{
    const char *text = "# a\n\n  one\n \t# b\ntwo\n#";
    size_t line = 1;

    assert_true(opevo_tvm_log_next(&text, &line));
    assert_int_equal(line, 3);
    assert_memory_equal(text, "one", 3);
    text += 3;
    assert_true(opevo_tvm_log_next(&text, &line));
    assert_int_equal(line, 5);
    assert_memory_equal(text, "two", 3);
    text += 3;
    assert_false(opevo_tvm_log_next(&text, &line));
}
