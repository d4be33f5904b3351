/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Edits: what a list of edits does to a kernel, and the variant that it makes. */

#include "evolve_internal.h"
#include "options_internal.h"
#include "output_file_internal.h"

#include <opevo/file.h>
#include <opevo/json.h>
#include <opevo/memory.h>
#include <opevo/objective.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const opevo_option options[] = {
    OPEVO_I_EVOLVER_OPTIONS(OPEVO_I_WITH_CHECKS),
    {"tolerance", "P", "minimise: cost that may be lost, in percent of the base's (default 0)",
     false},
    {"svg", "FILE", "explain: write the graph of dependencies and epistasis", false},
    {"form", "FORM",
     "emit: ll, ptx, amdgcn-ll, amdgcn, cpu-ll, cpu-object, opencl or diff (default ll)", false},
    {"machine", "NAME", "emit: processor, such as sm_80 or gfx90a (default: sm_70, gfx906)", false},
    {"out", "FILE", "emit: write it here instead of to standard output", false},
    {"json", NULL, "print one JSON object", false},
};

enum { FILE_LIMIT = 16 << 20 };

/* ---- The list -------------------------------------------------------------------------------- */

/* A text, or "@FILE". */
static opevo_status read_edits(opevo_evolver *evolver, const char *given, opevo_edit_list *list,
                               opevo_error *err)
{
    opevo_error inner = {OPEVO_OK, ""};
    opevo_status status = OPEVO_OK;
    char *data = NULL;
    size_t size = 0;

    if (*given == '@')
        OPEVO_TRY(opevo_file_read(given + 1, FILE_LIMIT, &data, &size, err));
    status = opevo_edit_list_read(evolver, data ? data : given, list, &inner);
    if (status != OPEVO_OK)
        OPEVO_FAIL(err, status, "%.300s: %.700s", data ? given + 1 : "EDITS", inner.message);
cleanup:
    opevo_free(data);
    return status;
}

/* ---- apply ----------------------------------------------------------------------------------- */

static const char *const set_names[] = {"search", "selection", "final"};

static void print_set(const opevo_evolved *said, const opevo_evolved *base, opevo_cases set,
                      bool json, opevo_text *out)
{
    if (json) {
        opevo_json_open(out, set_names[set], "{");
        opevo_json_string(out, "status", said->status);
        opevo_json_double(out, "cost", said->cost);
        opevo_json_double(out, "fraction_of_base", said->cost / base->cost);
        opevo_json_double(out, "error", said->error);
        if (said->message)
            opevo_json_string(out, "message", said->message);
        opevo_text_add(out, "}");
    } else if (said->kind == OPEVO_OUTCOME_OK) {
        opevo_text_printf(out, "%s: cost %.8g, %.4f of the base; error %.3g\n", set_names[set],
                          said->cost, said->cost / base->cost, said->error);
    } else {
        opevo_text_printf(out, "%s: ", set_names[set]);
        opevo_text_add_visible(out, said->message ? said->message : said->status);
        opevo_text_add(out, "\n");
    }
}

static opevo_status apply(const opevo_call *call, opevo_edit_list *list, opevo_text *out,
                          int *exit_code, opevo_error *err)
{
    const char *const both[] = {"none", list->edits};
    bool json = opevo_i_cli_flag(call, "json");
    opevo_status status = OPEVO_OK;
    char **lines = NULL;
    size_t count = 0;

    OPEVO_TRY(opevo_evolver_describe(list->evolver, list->edits, &lines, &count, err));
    if (isnan(opevo_evolver_facts_of(list->evolver)->base_cost))
        fprintf(stderr, "opevo edits: nothing is run, as the kernel has no harness file beside it: "
                        "name one by --harness\n");
    if (json) {
        opevo_text_add(out, "{");
        opevo_json_string(out, "edits", list->edits);
        opevo_json_open(out, "list", "[");
        for (size_t i = 0; i < count; i++) {
            opevo_json_open_next(out, " ", "{");
            opevo_json_string(out, "edit", lines[i]);
            opevo_text_add(out, "}");
        }
        opevo_text_add(out, "]");
    }
    for (size_t i = 0; i < count && !json; i++)
        opevo_text_printf(out, "%zu  %s\n", i + 1, lines[i]);
    (json ? opevo_i_cli_unchecked_json : opevo_i_cli_unchecked_print)(list->evolver, out);
    for (opevo_cases set = OPEVO_CASES_SEARCH;
         !isnan(opevo_evolver_facts_of(list->evolver)->base_cost) && set <= OPEVO_CASES_FINAL;
         set++) {
        opevo_evolved said[2];

        OPEVO_TRY(opevo_evolver_evaluate(list->evolver, both, 2, set, NULL, said, err));
        print_set(&said[1], &said[0], set, json, out);
        if (said[1].kind != OPEVO_OUTCOME_OK)
            *exit_code = OPEVO_EXIT_FAILED;
        opevo_evolved_free(&said[0]);
        opevo_evolved_free(&said[1]);
    }
    opevo_text_add(out, json ? "}\n" : "");
cleanup:
    for (size_t i = 0; i < count; i++)
        opevo_free(lines[i]);
    opevo_free(lines);
    return status;
}

/* ---- minimise, explain, emit ----------------------------------------------------------------- */

static opevo_status minimise(const opevo_call *call, opevo_edit_list *list, opevo_text *out,
                             int *exit_code, opevo_error *err)
{
    size_t before = list->count;
    size_t evaluations = 0;
    double percent = 0;
    const char *edits = NULL;
    opevo_evolved last;
    opevo_status status = OPEVO_OK;

    (void)exit_code;
    OPEVO_TRY(opevo_i_cli_option_positive(call, "tolerance", &percent, err));
    OPEVO_TRY(opevo_edit_list_evaluate(list, err));
    OPEVO_TRY(opevo_edit_list_minimise(list, percent / 100, &evaluations, err));
    edits = list->edits;
    OPEVO_TRY(
        opevo_evolver_evaluate(list->evolver, &edits, 1, OPEVO_CASES_SEARCH, NULL, &last, err));
    if (opevo_i_cli_flag(call, "json")) {
        opevo_text_add(out, "{");
        opevo_json_index(out, "edits_before", before);
        opevo_json_index(out, "edits_after", list->count);
        opevo_json_index(out, "evaluations", evaluations);
        opevo_json_double(out, "fraction_of_base_before", list->whole.cost / list->base.cost);
        opevo_json_double(out, "fraction_of_base", last.cost / list->base.cost);
        opevo_i_cli_unchecked_json(list->evolver, out);
        opevo_json_string(out, "edits", list->edits);
        opevo_text_add(out, "}\n");
    } else {
        opevo_i_cli_unchecked_print(list->evolver, out);
        opevo_text_printf(out, "%zu of %zu edits, %.4f of the base cost (%.4f before)\n%s\n",
                          list->count, before, last.cost / list->base.cost,
                          list->whole.cost / list->base.cost, list->edits);
    }
    opevo_evolved_free(&last);
cleanup:
    return status;
}

static opevo_status explain(const opevo_call *call, opevo_edit_list *list, opevo_text *out,
                            int *exit_code, opevo_error *err)
{
    const char *svg = opevo_i_cli_option(call, "svg");
    opevo_edits_explained explained = {.alone = NULL};
    opevo_text graph = {0};
    opevo_status status = OPEVO_OK;

    (void)exit_code;
    if (svg)
        OPEVO_TRY(opevo_i_cli_check_output("svg", svg, "opevo edits explain", err));
    OPEVO_TRY(opevo_edit_list_evaluate(list, err));
    OPEVO_TRY(opevo_edit_list_explain(list, &explained, err));
    if (svg) {
        opevo_edits_graph(list, &explained, &graph);
        OPEVO_TRY(opevo_text_check(&graph, err));
        OPEVO_TRY(opevo_file_write(svg, graph.data, graph.length, err));
    }
    (opevo_i_cli_flag(call, "json") ? opevo_i_cli_explained_json
                                    : opevo_i_cli_explained_print)(list, &explained, out);
cleanup:
    opevo_text_free(&graph);
    opevo_edits_explained_free(list, &explained);
    return status;
}

static opevo_status emit(const opevo_call *call, opevo_edit_list *list, opevo_text *out,
                         int *exit_code, opevo_error *err)
{
    const char *form = opevo_i_cli_option(call, "form");
    const char *path = opevo_i_cli_option(call, "out");
    opevo_text bytes = {0};
    opevo_status status = OPEVO_OK;

    (void)exit_code;
    form = form ? form : "ll";
    if (!path && (!strcmp(form, "amdgcn") || !strcmp(form, "cpu-object")))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--form %s is binary: name a file for it by --out FILE.", form);
    OPEVO_TRY(opevo_evolver_emit(list->evolver, list->edits, form,
                                 opevo_i_cli_option(call, "machine"), &bytes, err));
    if (path)
        status = opevo_file_write(path, bytes.length ? bytes.data : "", bytes.length, err);
    else
        opevo_text_add(out, opevo_text_string(&bytes));
cleanup:
    opevo_text_free(&bytes);
    return status;
}

/* Errors: INVALID for an option that the action does not have. */
static opevo_status check_options(const opevo_call *call, const char *action, opevo_error *err)
{
    static const struct {
        const char *option, *actions;
    } owners[] = {{"tolerance", "minimise"}, {"svg", "explain"},
                  {"form", "emit"},          {"machine", "emit"},
                  {"out", "emit"},           {"json", "apply, minimise, explain"}};

    for (size_t i = 0; i < sizeof owners / sizeof *owners; i++) {
        bool given =
            opevo_i_cli_option(call, owners[i].option) || opevo_i_cli_flag(call, owners[i].option);

        if (given && !strstr(owners[i].actions, action))
            return OPEVO_FAIL(err, OPEVO_INVALID, "--%s is an option of %s; omit it with %s.",
                              owners[i].option, owners[i].actions, action);
    }
    return OPEVO_OK;
}

static const struct {
    const char *name;
    opevo_i_cli_evolver_use use;
    opevo_status (*function)(const opevo_call *call, opevo_edit_list *list, opevo_text *out,
                             int *exit_code, opevo_error *err);
} actions[] = {{"apply", OPEVO_I_EDITS_READ, apply},
               {"minimise", OPEVO_I_EDITS_TRIED, minimise},
               {"explain", OPEVO_I_EDITS_TRIED, explain},
               {"emit", OPEVO_I_EDITS_READ, emit}};

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    const char *name = call->arguments[0];
    opevo_evolver *evolver = NULL;
    opevo_edit_list list = {.edits = NULL};
    opevo_status status = OPEVO_OK;
    size_t action = 0;

    while (action < sizeof actions / sizeof *actions && strcmp(actions[action].name, name) != 0)
        action++;
    if (action == sizeof actions / sizeof *actions)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "Unknown action \"%.60s\"; use apply, minimise, explain or emit.", name);
    OPEVO_TRY(check_options(call, name, err));
    OPEVO_TRY(
        opevo_i_cli_evolver_of_call(call, call->arguments[1], actions[action].use, &evolver, err));
    OPEVO_TRY(
        read_edits(evolver, call->argument_count > 2 ? call->arguments[2] : "none", &list, err));
    OPEVO_TRY(actions[action].function(call, &list, out, exit_code, err));
cleanup:
    opevo_edit_list_free(&list);
    opevo_evolver_close(evolver);
    return status;
}

const opevo_verb opevo_i_cli_verb_edits = {
    .name = "edits",
    .arguments = "apply|minimise|explain|emit KERNEL [EDITS]",
    .arguments_min = 2,
    .arguments_max = 3,
    .summary = "Apply, minimise, explain or emit a list of edits of a GPU kernel.",
    .details =
        "  opevo edits apply planted.ll 'delete U66; move U61 U60'\n"
        "  opevo edits minimise planted.ll @best.edits\n"
        "  opevo edits explain planted.ll @best.edits --svg edits.svg\n"
        "  opevo edits emit planted.ll @best.edits --form ptx --machine sm_80\n\n"
        "EDITS is a list as `opevo evolve` prints it, or @FILE. apply runs the variant on all "
        "cases of its harness, where it has one. minimise leaves out edits as long as nothing "
        "is lost, neither cost on the search cases nor results on any. explain says what each edit "
        "gains alone, what the list loses without it, and "
        "which edits need each other. emit writes the variant, or its difference from the base "
        "by --form diff. docs/gevo.md describes the edits.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .prints_data = true,
    .run = run,
};
