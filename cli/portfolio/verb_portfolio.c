/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Portfolio: a few configurations for many workloads, with a proof, a decision tree and its C. */

#include "portfolio_class_internal.h"
#include "terminal_internal.h"

#include <opevo/file.h>
#include <opevo/memory.h>

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const opevo_option options[] = {
    {"configurations", "K", "how many configurations (default 4)", false},
    {"by", "AIM", "minimise the worst regret of a workload (default), or the mean", false},
    {"weight", "NAME=W", "--by mean: the weight of a workload (default 1)", true},
    {"numbers", "NAME=N,N,...", "the numbers of a workload (default: those of its shape)", true},
    {"depth", "N", "decisions of the tree on a path (default 3, at most 8)", false},
    {"seconds", "S", "time for each proof, after which the gap is printed (default 60)", false},
    {"emit", "DIR",
     "write portfolio.h, which dispatches, portfolio.json, and kernels that devices "
     "measured",
     false},
    {"class", "CLASS",
     "with --emit: kernels of the configurations for all shapes of a class, such as "
     "'matmul(1..4096,512,512)'",
     false},
    {"json", NULL, "print one JSON object", false},
};

static opevo_status read_options(const opevo_call *call, opevo_i_cli_portfolio *self,
                                 uint64_t *depth, opevo_error *err)
{
    const char *by = opevo_i_cli_option(call, "by");
    uint64_t most = 0;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_i_cli_option_count(call, "configurations", 4, 1, 64, &most, err));
    OPEVO_TRY(opevo_i_cli_option_count(call, "depth", 3, 0, 8, depth, err));
    OPEVO_TRY(opevo_i_cli_option_positive(call, "seconds", &self->options.seconds, err));
    self->options.seconds = self->options.seconds > 0 ? self->options.seconds : 60;
    self->options.most = (size_t)most;
    self->options.worst = !by || !strcmp(by, "worst");
    self->options.interrupt = &opevo_i_cli_interrupted;
    if (by && !self->options.worst && strcmp(by, "mean") != 0)
        return OPEVO_FAIL(err, OPEVO_INVALID, "--by %.200s: give worst or mean.", by);
    if (self->options.worst && opevo_i_cli_option(call, "weight"))
        return OPEVO_FAIL(err, OPEVO_INVALID, "--weight requires --by mean.");
    if (opevo_i_cli_option(call, "class") && !opevo_i_cli_option(call, "emit"))
        return OPEVO_FAIL(err, OPEVO_INVALID, "--class requires --emit.");
    if (opevo_i_cli_option(call, "class") && opevo_i_cli_option(call, "numbers"))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--class takes the numbers of shapes; leave out --numbers.");
cleanup:
    return status;
}

/* ---- Files ---- */

static const char *const file_names[] = {"portfolio.h",     "portfolio.json", "Makefile",
                                         "kernels.h",       "kernels.c",      "kernels.cu",
                                         "kernels.hip.cpp", "class"};

static opevo_status refuse_present(const char *folder, opevo_error *err)
{
    for (size_t i = 0; i < sizeof file_names / sizeof *file_names; i++) {
        opevo_text path = {0};
        bool present = false;

        opevo_text_printf(&path, "%s/%s", folder, file_names[i]);
        present = !path.failed && access(opevo_text_string(&path), F_OK) == 0;
        opevo_text_free(&path);
        if (present)
            return OPEVO_FAIL(err, OPEVO_INVALID, "--emit %s: it has a %s; name another folder.",
                              folder, file_names[i]);
    }
    return OPEVO_OK;
}

static opevo_status emit(const opevo_i_cli_portfolio *self, const char *folder, opevo_error *err)
{
    const opevo_portfolio_names names = {self->configurations, self->names};
    opevo_text texts[2] = {{0}, {0}};
    opevo_status status = OPEVO_OK;

    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return OPEVO_FAIL(err, OPEVO_IO, "--emit %s: %s.", folder, strerror(errno));
    opevo_portfolio_print_c(&self->matrix, &self->portfolio, self->has_tree ? &self->tree : NULL,
                            self->numbers, self->features, &names, &texts[0]);
    opevo_i_cli_portfolio_print_json(self, &texts[1]);
    for (size_t i = 0; i < 2; i++)
        OPEVO_TRY(opevo_file_write_in(folder, file_names[i], &texts[i], err));
cleanup:
    opevo_text_free(&texts[0]);
    opevo_text_free(&texts[1]);
    return status;
}

/* Ahead of all files: what gives no kernels writes nothing. */
static opevo_status make_class(const char *text, const opevo_i_cli_portfolio *self,
                               opevo_i_cli_portfolio_class **out, opevo_error *err)
{
    *out = opevo_calloc(1, sizeof **out);
    if (!*out)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the kernels of a class.");
    return opevo_i_cli_portfolio_class_make(text, self, *out, err);
}

/* What the files are for. */
static void say_what_is_there(const char *folder, size_t kernels, const char *class_text,
                              opevo_text *out)
{
    opevo_text_printf(out, "%s/portfolio.h says which configuration to call; ", folder);
    if (kernels)
        opevo_text_printf(out, "make -C %s check builds and checks its kernels: %zu.\n", folder,
                          kernels);
    else
        opevo_text_add(out, "the kernels themselves are not in it: build one for each "
                            "configuration.\n");
    if (class_text)
        opevo_text_printf(out, "%s/class has the kernels for all of %s.\n", folder, class_text);
}

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    opevo_i_cli_portfolio self = {.cells = NULL};
    const char *folder = opevo_i_cli_option(call, "emit");
    const char *class_text = opevo_i_cli_option(call, "class");
    opevo_i_cli_portfolio_class *of = NULL;
    uint64_t depth = 0;
    size_t kernels = 0;
    opevo_status status = OPEVO_OK;

    (void)exit_code;
    OPEVO_TRY(read_options(call, &self, &depth, err));
    if (folder)
        OPEVO_TRY(refuse_present(folder, err));
    OPEVO_TRY(opevo_i_cli_portfolio_read(call, &self, err));
    self.options.weights = opevo_i_cli_option(call, "weight") ? self.weights : NULL;
    opevo_i_cli_catch_interrupts();
    OPEVO_TRY(opevo_i_cli_portfolio_find(&self, (size_t)depth, err));
    if (class_text)
        OPEVO_TRY(make_class(class_text, &self, &of, err));
    if (folder)
        OPEVO_TRY(emit(&self, folder, err));
    if (of)
        OPEVO_TRY(opevo_i_cli_portfolio_class_write(of, folder, err));
    if (folder)
        OPEVO_TRY(opevo_i_cli_portfolio_kernels(call, &self, folder, &kernels, err));
    if (opevo_i_cli_flag(call, "json"))
        opevo_i_cli_portfolio_print_json(&self, out);
    else
        status = opevo_i_cli_portfolio_print(&self, out, err);
    if (folder && !opevo_i_cli_flag(call, "json"))
        say_what_is_there(folder, kernels, class_text, out);
cleanup:
    if (of)
        opevo_i_cli_portfolio_class_free(of);
    opevo_free(of);
    opevo_i_cli_portfolio_free(&self);
    return status;
}

const opevo_verb opevo_i_cli_verb_portfolio = {
    .name = "portfolio",
    .arguments = "STORE | RECORDING...",
    .arguments_min = 1,
    .arguments_max = 256,
    .summary = "Choose a few configurations for many workloads, with a proof.",
    .details =
        "  opevo portfolio a100.csv.xz v100.csv.xz mi50.csv.xz --configurations 2\n"
        "  opevo portfolio runs.db --configurations 4 --by mean --emit dispatch\n\n"
        "Each objective of a store and each recording is a workload; configurations are the same "
        "if\n"
        "their texts are. Regrets are 1 - result / best measured result. What was not measured "
        "is\n"
        "bounded, not guessed. docs/portfolio.md has the searches and what their results say.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = run,
};
