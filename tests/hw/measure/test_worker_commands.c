/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Lists of workers: what N* stands for. */

#include "check.h"

#include "worker_commands_internal.h"

/* The commands with their words joined by '|', one a line. */
static opevo_status expand(const char *text, opevo_text *out, opevo_error *err)
{
    opevo_i_engine_worker_commands list = {0};
    opevo_status status = opevo_i_engine_worker_commands_add(&list, text, err);

    opevo_text_clear(out);
    for (size_t i = 0; i < list.count && status == OPEVO_OK; i++) {
        for (size_t k = 0; k < list.items[i].count; k++)
            opevo_text_printf(out, "%s%s", k ? "|" : "", list.items[i].items[k]);
        opevo_text_add(out, "\n");
    }
    opevo_i_engine_worker_commands_clear(&list);
    return status;
}

CHECK_TEST(lists_are_expanded)
{
    static const struct {
        const char *text, *commands;
    } cases[] = {
        {"ssh node%d opevo-worker cpu", "ssh|node%d|opevo-worker|cpu\n"},
        {"1*w %d", "w|1\n"},
        {"3*ssh 'node %d' w", "ssh|node 1|w\nssh|node 2|w\nssh|node 3|w\n"},
        {"2*w %02d %09d %% %%d", "w|01|000000001|%|%d\nw|02|000000002|%|%d\n"},
        {"10w x", "10w|x\n"},
        {"2 * w", "2|*|w\n"},
        {"*w", "*w\n"},
        {"2*2*w %d", "2*w|1\n2*w|2\n"},
    };
    opevo_text out = {0};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_OK(expand(cases[i].text, &out, &err));
        assert_string_equal(opevo_text_string(&out), cases[i].commands);
    }
    opevo_text_free(&out);
}

CHECK_TEST(ill_formed_lists_are_refused)
{
    static const char *const texts[] = {"0*w",    "4097*w",  "99999999999999999999999*w",
                                        "2*w %x", "2*w %0d", "2*w %1d",
                                        "2*w %",  "2*w %03", "2*",
                                        "2*'w",   ""};
    opevo_text out = {0};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        opevo_error err = {OPEVO_OK, ""};

        if (expand(texts[i], &out, &err) != OPEVO_INVALID)
            fail_msg("\"%s\" was taken", texts[i]);
    }
    opevo_text_free(&out);
}
