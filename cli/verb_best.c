/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Best: the best configuration of a stored run, in the forms that builds and scripts take. */

#include "options_internal.h"
#include "store_of_call_internal.h"

#include <opevo/finals.h>
#include <opevo/memory.h>

#include <string.h>

static const opevo_option options[] = {
    {"as", "FORM", "text (default), flags, header, env or json", false},
};

typedef struct best {
    opevo_store *store;
    opevo_space *space;
    int64_t run;
    bool final; /* the winner of the finals */
    uint64_t trial;
    opevo_index point;
    opevo_text head; /* which run, in one line */
} best;

/* ---- The run ------------------------------------------------------------------------------- */

static void visit(void *context, const opevo_run_info *info)
{
    best *self = context;

    self->trial = info->best_trial;
    opevo_text_printf(&self->head, "run %lld: ", (long long)info->run);
    opevo_text_add_visible(&self->head, info->objective);
}

/* The winner of the finals, or else the best trial. */
static opevo_status find_point(best *self, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_space *space = NULL;
    opevo_finals *finals = NULL;
    opevo_trial trial = {.number = 0};
    double fitness = 0;
    size_t count = 0;

    OPEVO_TRY(opevo_store_space(self->store, self->run, &self->space, err));
    OPEVO_TRY(opevo_finals_read(self->store, self->run, &finals, &space, err));
    OPEVO_TRY(opevo_store_read(self->store, self->run, self->trial - 1, &trial, 1, &count, err));
    self->final = finals->ran;
    opevo_finals_best(finals, &trial, &self->point, &fitness);
cleanup:
    opevo_space_destroy(space);
    opevo_finals_destroy(finals);
    return status;
}

static opevo_status read_run(best *self, const char *path, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_store_open(path, OPEVO_STORE_READ, &self->store, err));
    OPEVO_TRY(opevo_store_visit(self->store, self->run, visit, self, err));
    OPEVO_TRY(opevo_text_check(&self->head, err));
    if (!self->trial)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "%s: no trial of run %lld succeeded.", path,
                            (long long)self->run);
    if (status != OPEVO_OK)
        goto cleanup;
    OPEVO_TRY(find_point(self, err));
    if (!self->space)
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%s: run %lld searched no space of parameters; opevo runs %s:%lld "
                            "shows its best.",
                            path, (long long)self->run, path, (long long)self->run);
cleanup:
    return status;
}

/* ---- Forms --------------------------------------------------------------------------------- */

/* A word of a shell: bare where nothing in it means anything to one. */
static void add_word(const char *word, opevo_text *out)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=.,/:@%";

    if (*word && word[strspn(word, plain)] == '\0') {
        opevo_text_add(out, word);
        return;
    }
    opevo_text_add(out, "'");
    for (; *word; word++) {
        if (*word == '\'')
            opevo_text_add(out, "'\\''");
        else
            opevo_text_add_bytes(out, word, 1);
    }
    opevo_text_add(out, "'");
}

static void add_flag(const char *name, const char *value, opevo_text *out)
{
    opevo_text word = {0};

    opevo_text_printf(&word, "-D%s=%s", name, value);
    opevo_text_add(out, out->length ? " " : "");
    add_word(opevo_text_string(&word), out);
    out->failed |= word.failed;
    opevo_text_free(&word);
}

static void add_define(const char *name, const char *value, opevo_text *out)
{
    opevo_text_printf(out, "#define %s %s\n", name, value);
}

static void add_variable(const char *name, const char *value, opevo_text *out)
{
    opevo_text_printf(out, "%s=", name);
    add_word(value, out);
    opevo_text_add(out, "\n");
}

typedef void (*entry)(const char *name, const char *value, opevo_text *out);

/* NAME with all components, and of several also NAME_0 and following. Names are identifiers. */
static opevo_status add_parameter(const opevo_parameter *parameter, opevo_index vertex, entry add,
                                  opevo_text *out, opevo_error *err)
{
    size_t arity = opevo_parameter_arity(parameter);
    opevo_value *values = opevo_calloc(arity, sizeof *values);
    const char *name = opevo_parameter_name(parameter);
    opevo_text component = {0}, value = {0}, all = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(values, "a configuration");
    opevo_parameter_value(parameter, vertex, values);
    for (size_t i = 0; i < arity; i++) {
        opevo_text_clear(&value);
        opevo_value_print(&value, values[i]);
        opevo_text_printf(&all, "%s%s", i ? "," : "", opevo_text_string(&value));
        opevo_text_clear(&component);
        opevo_text_printf(&component, "%s_%zu", name, i);
        if (arity > 1)
            add(opevo_text_string(&component), opevo_text_string(&value), out);
    }
    add(name, opevo_text_string(&all), out);
    if (component.failed || value.failed || all.failed)
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a configuration.");
    opevo_text_free(&component);
    opevo_text_free(&value);
    opevo_text_free(&all);
    opevo_free(values);
    return status;
}

static opevo_status add_all(const best *self, entry add, opevo_text *out, opevo_error *err)
{
    size_t count = opevo_space_parameter_count(self->space);
    opevo_index *vertices = opevo_calloc(count, sizeof *vertices);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(vertices, "a configuration");
    opevo_space_decode(self->space, self->point, vertices);
    for (size_t i = 0; i < count && status == OPEVO_OK; i++) {
        if (vertices[i] != OPEVO_INACTIVE)
            status =
                add_parameter(opevo_space_parameter(self->space, i), vertices[i], add, out, err);
    }
    opevo_free(vertices);
    return status;
}

static opevo_status print_text(const best *self, opevo_text *out, opevo_error *err)
{
    (void)err;
    opevo_space_print(self->space, self->point, out);
    opevo_text_add(out, "\n");
    return OPEVO_OK;
}

static opevo_status print_json(const best *self, opevo_text *out, opevo_error *err)
{
    (void)err;
    opevo_space_print_json(self->space, self->point, out);
    opevo_text_add(out, "\n");
    return OPEVO_OK;
}

static opevo_status print_flags(const best *self, opevo_text *out, opevo_error *err)
{
    opevo_status status = add_all(self, add_flag, out, err);

    opevo_text_add(out, "\n");
    return status;
}

static opevo_status print_header(const best *self, opevo_text *out, opevo_error *err)
{
    opevo_text_printf(out, "// Best of %s%s\n", opevo_text_string(&self->head),
                      self->final ? " (winner of the finals)" : "");
    return add_all(self, add_define, out, err);
}

static opevo_status print_env(const best *self, opevo_text *out, opevo_error *err)
{
    return add_all(self, add_variable, out, err);
}

static const struct {
    const char *name;
    opevo_status (*print)(const best *self, opevo_text *out, opevo_error *err);
} forms[] = {
    {"text", print_text}, {"flags", print_flags}, {"header", print_header},
    {"env", print_env},   {"json", print_json},
};

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    const char *wanted = opevo_i_cli_option(call, "as") ? opevo_i_cli_option(call, "as") : "text";
    size_t form = 0;
    best self = {.run = 0};
    char *path = NULL;
    opevo_status status = opevo_i_cli_run_split(call->arguments[0], &path, &self.run, err);

    (void)exit_code;
    while (form < sizeof forms / sizeof *forms && strcmp(forms[form].name, wanted) != 0)
        form++;
    if (status == OPEVO_OK && form == sizeof forms / sizeof *forms)
        status = OPEVO_FAIL(err, OPEVO_INVALID, "--as %s: give text, flags, header, env or json.",
                            wanted);
    if (status == OPEVO_OK)
        status = read_run(&self, path, err);
    if (status == OPEVO_OK)
        status = forms[form].print(&self, out, err);
    opevo_space_destroy(self.space);
    opevo_store_close(self.store);
    opevo_text_free(&self.head);
    opevo_free(path);
    return status;
}

const opevo_verb opevo_i_cli_verb_best = {
    .name = "best",
    .arguments = "STORE:RUN",
    .arguments_min = 1,
    .arguments_max = 1,
    .summary = "Print the best configuration of a run, for builds and scripts.",
    .details = "  opevo best runs.db:1\n"
               "  cc -O3 $(opevo best runs.db:1 --as flags) s.c -o s\n"
               "  opevo best runs.db:1 --as header >best.h\n"
               "  opevo best runs.db:1 --as env >best.env && . ./best.env\n"
               "  opevo best runs.db:1 --as json | jq .TI\n\n"
               "The best is the winner of the finals where a run has some, or else its best\n"
               "trial. A parameter X of several components is X=4,2 and X_0=4, X_1=2.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .prints_data = true,
    .run = run,
};
