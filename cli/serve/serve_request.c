/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What each request may have: docs/formats/serve.md as tables. */

#include "serve_internal.h"

#include <opevo/closest.h>
#include <opevo/kernel_harness.h>
#include <opevo/status.h>

#include <string.h>

enum { WORKERS_MOST = 1000000, THREADS_MOST = 1024 };

#define FIELD(name, ...) OPEVO_JSON_FIELD(opevo_i_cli_request, name, __VA_ARGS__)
#define DIGITS(name, low, high) FIELD(name, WHOLE, .or_digits = true, .least = low, .most = high)
#define HEAD FIELD(op, TEXT), FIELD(id, ANY)
#define SESSION HEAD, DIGITS(session, 1, UINT32_MAX)

static const opevo_json_field head_fields[] = {HEAD};
static const opevo_json_field create_fields[] = {
    HEAD,
    FIELD(space, ANY),
    FIELD(tuner, TEXT),
    DIGITS(seed, 0, 0),
    FIELD(settings, OBJECT),
    FIELD(store, TEXT),
    FIELD(name, TEXT),
    FIELD(result, WORD, .words = opevo_i_cli_told_names),
    FIELD(criterion, TEXTS),
    FIELD(criteria, TEXT),
    FIELD(require, TEXTS),
    FIELD(learn, TEXTS),
    FIELD(start, TEXTS),
    FIELD(signature, TEXT),
    DIGITS(workers, 1, WORKERS_MOST)};
static const opevo_json_field ask_fields[] = {SESSION, DIGITS(count, 1, OPEVO_I_SERVE_ASK_MOST),
                                              DIGITS(until, 1, 0)};
static const opevo_json_field pending_fields[] = {SESSION, FIELD(hold, LIST)};
static const opevo_json_field tell_fields[] = {SESSION, FIELD(trials, LIST, .required = true)};
static const opevo_json_field session_fields[] = {SESSION};
static const opevo_json_field judge_fields[] = {
    HEAD,
    FIELD(task, TEXT, .required = true, .least = 1),
    FIELD(kernels, TEXTS, .required = true, .least = 1),
    FIELD(baselines, TEXTS, .least = 1),
    FIELD(on, TEXT, .least = 1),
    DIGITS(seed, 0, 0),
    FIELD(rounds, WHOLE, .least = 1, .most = OPEVO_HARNESS_ROUNDS),
    FIELD(calls, WHOLE, .least = 1, .most = OPEVO_HARNESS_CALLS),
    FIELD(threads, WHOLE, .least = 1, .most = THREADS_MOST),
    FIELD(timeout, NUMBER, .is_open = true, .least = 0, .unit = "seconds")};
static const opevo_json_field law_fields[] = {SESSION,
                                              FIELD(parameter, TEXT),
                                              FIELD(topology, TEXT),
                                              FIELD(start, ANY),
                                              FIELD(q, NUMBER),
                                              FIELD(method, TEXT),
                                              FIELD(tolerance, NUMBER, .is_open = true)};

#define FIELDS(table) table, sizeof table / sizeof *table
static const struct {
    const char *name;
    opevo_i_cli_answer answer;
    const opevo_json_field *fields;
    size_t count;
} operations[] = {{"create", opevo_i_cli_serve_create, FIELDS(create_fields)},
                  {"ask", opevo_i_cli_serve_ask, FIELDS(ask_fields)},
                  {"pending", opevo_i_cli_serve_pending, FIELDS(pending_fields)},
                  {"tell", opevo_i_cli_serve_tell, FIELDS(tell_fields)},
                  {"best", opevo_i_cli_serve_best, FIELDS(session_fields)},
                  {"judge", opevo_i_cli_serve_judge, FIELDS(judge_fields)},
                  {"law", opevo_i_cli_serve_law, FIELDS(law_fields)},
                  {"tuners", opevo_i_cli_serve_tuners, FIELDS(head_fields)},
                  {"version", opevo_i_cli_serve_version, FIELDS(head_fields)},
                  {"close", opevo_i_cli_serve_close, FIELDS(session_fields)}};
enum { OPERATION_COUNT = sizeof operations / sizeof *operations };

static opevo_status find_operation(const char *op, size_t *out, opevo_error *err)
{
    opevo_closest closest = {.word = op};

    for (size_t i = 0; i < OPERATION_COUNT; i++) {
        if (!strcmp(operations[i].name, op)) {
            *out = i;
            return OPEVO_OK;
        }
        opevo_closest_offer(&closest, operations[i].name);
    }
    if (closest.found)
        return OPEVO_FAIL(err, OPEVO_INVALID, "Unknown op \"%.60s\"; did you mean \"%s\"?", op,
                          closest.found);
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "Unknown op \"%.60s\"; it is one of create, ask, pending, tell, best, judge, "
                      "law, tuners, version and close.",
                      op);
}

opevo_status opevo_i_cli_request_read(const json_t *root, opevo_i_cli_request *out,
                                      opevo_i_cli_answer *answer, opevo_error *err)
{
    const opevo_json_reader whole = {.value = root};
    opevo_status status = OPEVO_OK;
    size_t found = 0;

    *out =
        (opevo_i_cli_request){.root = root, .count = 1, .until = UINT64_MAX, .seed = 1, .q = 0.5};
    OPEVO_TRY(opevo_json_read_some(&whole, head_fields, 2, out, err));
    if (!out->op)
        return OPEVO_FAIL(err, OPEVO_INVALID, "\"op\" is missing: what to do, such as \"ask\".");
    OPEVO_TRY(find_operation(out->op, &found, err));
    OPEVO_TRY(opevo_json_read(&whole, operations[found].fields, operations[found].count, out, err));
    *answer = operations[found].answer;
cleanup:
    return status;
}
