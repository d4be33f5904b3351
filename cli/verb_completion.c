/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Completion of command lines for bash, zsh and fish. The scripts ask the program itself for the
 * candidates, so that these come from the tables that parsing uses; where it has none, the shells
 * complete file names. */

#include "options_internal.h"

#include <opevo/computation_named.h>
#include <opevo/landscape.h>
#include <opevo/law.h>
#include <opevo/scheduler.h>
#include <opevo/template.h>
#include <opevo/tuners.h>

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A command line under completion: the words after the program's name, of which the last is
 * completed. */
typedef struct line {
    const char *const *words;
    size_t count;
    const char *prefix; /* of the last word, not part of the value: "--tuner=" */
    size_t prefix_length;
    const char *value; /* the rest of the last word */
    opevo_text *out;
} line;

static void offer(const line *self, const char *before, const char *candidate)
{
    char whole[PATH_MAX];

    snprintf(whole, sizeof whole, "%s%s", before, candidate);
    if (strncmp(whole, self->value, strlen(self->value)) != 0)
        return;
    opevo_text_add_bytes(self->out, self->prefix, self->prefix_length);
    opevo_text_printf(self->out, "%s\n", whole);
}

/* ---- Values -------------------------------------------------------------------------------- */

static void offer_verbs(const line *self)
{
    for (size_t i = 0; opevo_i_cli_verbs[i]; i++)
        offer(self, "", opevo_i_cli_verbs[i]->name);
}

static void offer_tuners(const line *self)
{
    for (size_t i = 0; i < opevo_tuner_count(); i++)
        offer(self, "", opevo_tuner_get(i)->name);
}

static void offer_operators(const line *self)
{
    for (size_t i = 0; i < opevo_operator_count(); i++)
        offer(self, "", opevo_operator_get(i)->name);
}

static void offer_computations(const line *self)
{
    for (size_t i = 0; i < opevo_computation_family_count(); i++) {
        const opevo_computation_family *family = opevo_computation_family_get(i);
        char shape[64] = "";

        for (int s = 1; s <= 4 && family->shapes; s++) {
            snprintf(shape, sizeof shape, "%s-%d", family->name, s);
            offer(self, "ansor-", shape);
        }
    }
    offer_operators(self);
}

/* Whether a recording may be read from a file of this name. */
static bool is_recording(const char *name)
{
    static const char *const endings[] = {".csv",  ".csv.gz",  ".csv.xz",
                                          ".json", ".json.gz", ".json.xz"};
    size_t length = strlen(name);

    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t end = strlen(endings[i]);

        if (length > end && !strcmp(name + length - end, endings[i]))
            return true;
    }
    return false;
}

/* An entry of the folder that the value names, if it is a folder or may be a recording; a hidden
 * one only if its dot is typed. */
static void offer_entry(const line *self, const char *before, const char *folder, const char *name)
{
    const char *typed = self->value + strlen(before);
    char path[PATH_MAX];
    struct stat entry;

    if ((name[0] == '.' && *typed != '.') || !strcmp(name, ".") || !strcmp(name, ".."))
        return;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= PATH_MAX || stat(path, &entry) != 0)
        return;
    snprintf(path, sizeof path, "%s%s", name, S_ISDIR(entry.st_mode) ? "/" : "");
    if (S_ISDIR(entry.st_mode) || (S_ISREG(entry.st_mode) && is_recording(name)))
        offer(self, before, path);
}

/* "recorded:", and behind it the files that it may name. */
static void offer_recordings(const line *self)
{
    static const char kind[] = "recorded:";
    const size_t length = strlen(kind);
    struct dirent **entries = NULL;
    char before[PATH_MAX];
    size_t path = 0;
    int count = 0;

    if (strncmp(self->value, kind, length) != 0) {
        offer(self, "", kind);
        return;
    }
    path = strlen(self->value);
    while (path > length && self->value[path - 1] != '/')
        path--;
    snprintf(before, sizeof before, "%.*s", (int)path, self->value);
    count = scandir(before[length] ? before + length : ".", &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        offer_entry(self, before, before[length] ? before + length : ".", entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
}

static void offer_objectives(const line *self)
{
    static const char *const others[] = {"cmd:", "cpu", "cuda:0", "hip:0"};

    for (size_t i = 0; i < opevo_device_count(); i++)
        offer(self, "sim:", opevo_device_get(i).name);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        offer(self, "", others[i]);
    offer_recordings(self);
}

static void offer_spaces(const line *self)
{
    offer_operators(self);
    offer_recordings(self);
}

static void offer_templates(const line *self)
{
    for (size_t i = 0; i < opevo_template_count(); i++)
        offer(self, "", opevo_template_get(i)->name);
}

/* The names of a list that is separated by blanks, each behind `before`. */
static void offer_list(const line *self, const char *before, const char *names)
{
    char name[64];

    for (size_t length = 0; *names; names += length + strspn(names + length, " ")) {
        length = strcspn(names, " ");
        snprintf(name, sizeof name, "%.*s", (int)length, names);
        offer(self, before, name);
    }
}

static void offer_topologies(const line *self)
{
    for (size_t i = 0; i < opevo_type_count(); i++)
        offer_list(self, "", opevo_type_get(i)->topologies);
}

static void offer_methods(const line *self)
{
    for (int i = OPEVO_LAW_AUTO; i <= OPEVO_LAW_LUMPED; i++)
        offer(self, "", opevo_law_method_name((opevo_law_method)i));
}

static void offer_aims(const line *self)
{
    for (int i = OPEVO_AIM_SUM; i <= OPEVO_AIM_GEOMETRIC_MEAN; i++)
        offer(self, "", opevo_aim_name((opevo_aim)i));
}

static void offer_allocations(const line *self)
{
    for (int i = OPEVO_ALLOCATION_GRADIENT; i <= OPEVO_ALLOCATION_ROUND_ROBIN; i++)
        offer(self, "", opevo_allocation_name((opevo_allocation)i));
}

static void offer_shells(const line *self)
{
    offer(self, "", "bash");
    offer(self, "", "fish");
    offer(self, "", "zsh");
}

/* Of the tuner that the line names. */
static void offer_settings(const line *self)
{
    const opevo_tuner_ops *tuner = NULL;
    const char *name = "opevo";

    for (size_t i = 1; i + 1 < self->count; i++) {
        if (!strcmp(self->words[i], "--tuner"))
            name = self->words[i + 1];
        else if (!strncmp(self->words[i], "--tuner=", 8))
            name = self->words[i] + 8;
    }
    if (opevo_tuner_find(name, &tuner, NULL) != OPEVO_OK)
        return;
    for (size_t i = 0; i < tuner->setting_count; i++) {
        const opevo_setting *setting = &tuner->settings[i];
        char key[64];

        snprintf(key, sizeof key, "%s=", setting->key);
        if (!strchr(self->value, '='))
            offer(self, "", key);
        else if (setting->kind == OPEVO_SETTING_CHOICE)
            offer_list(self, key, setting->choices);
    }
}

/* What the options and arguments of these names take; those of other names take files or
 * numbers. */
static const struct {
    const char *name;
    void (*offer)(const line *self);
} sources[] = {
    {"aim", offer_aims},
    {"allocate", offer_allocations},
    {"method", offer_methods},
    {"on", offer_objectives},
    {"set", offer_settings},
    {"template", offer_templates},
    {"topology", offer_topologies},
    {"tuner", offer_tuners},
    {"[OPERATOR]", offer_operators},
    {"[OPERATOR...|FILE.json|-]", offer_operators},
    {"[TUNER]", offer_tuners},
    {"[VERB]", offer_verbs},
    {"[WHAT]", offer_spaces},
    {"WHAT", offer_spaces},
    {"bash|zsh|fish", offer_shells},
    {"[COMPUTATION]", offer_computations},
    {"COMPUTATION", offer_computations},
};

static void offer_values(const line *self, const char *name)
{
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        if (!strcmp(sources[i].name, name))
            sources[i].offer(self);
    }
}

/* ---- The line ------------------------------------------------------------------------------ */

static void complete(line *self)
{
    const opevo_verb *verb = NULL;
    const opevo_option *before = NULL, *here = NULL;
    const char *last = self->words[self->count - 1], *equals = NULL;

    self->value = last;
    if (self->count == 1) {
        offer_verbs(self);
        return;
    }
    if (opevo_i_cli_verb_find(self->words[0], &verb, NULL) != OPEVO_OK)
        return;
    before = opevo_i_cli_option_find(verb, self->words[self->count - 2]);
    here = *last == '-' ? opevo_i_cli_option_find(verb, last) : NULL;
    equals = strchr(last, '=');
    if (self->count > 2 && before && before->argument && self->words[self->count - 2][0] == '-') {
        offer_values(self, before->name);
    } else if (here && equals) {
        self->prefix = last;
        self->prefix_length = (size_t)(equals + 1 - last);
        self->value = equals + 1;
        offer_values(self, here->name);
    } else if (*last == '-') {
        for (size_t i = 0; i < verb->option_count; i++)
            offer(self, opevo_i_cli_option_dashes(&verb->options[i]), verb->options[i].name);
    } else {
        offer_values(self, verb->arguments);
    }
}

static const struct {
    const char *name, *script;
} shells[] = {
    /* bash cuts words at ':' and '=' and replaces what stands behind the last of them. */
    {"bash", "_opevo() {\n"
             "    local line=${COMP_LINE:0:COMP_POINT} words word\n"
             "    read -ra words <<<\"$line\"\n"
             "    [[ $line == *[[:space:]] ]] && words+=(\"\")\n"
             "    word=${words[${#words[@]} - 1]}\n"
             "    mapfile -t COMPREPLY < <(\"${words[0]}\" completion words -- \"${words[@]:1}\" "
             "2>/dev/null)\n"
             "    [[ ${COMPREPLY[0]} == *[:=/] ]] && compopt -o nospace\n"
             "    COMPREPLY=(\"${COMPREPLY[@]#\"${word%\"${word##*[:=]}\"}\"}\")\n"
             "}\n"
             "complete -o default -F _opevo opevo\n"},
    {"fish", "function __opevo_complete\n"
             "    set -l words (commandline -opc) (commandline -ct)\n"
             "    set -l found ($words[1] completion words -- $words[2..-1] 2>/dev/null)\n"
             "    if test (count $found) -gt 0\n"
             "        string join \\n $found\n"
             "    else\n"
             "        __fish_complete_path (commandline -ct)\n"
             "    end\n"
             "end\n"
             "complete -c opevo -f -a '(__opevo_complete)'\n"},
    /* The same text is evaluated, or autoloaded as the function itself. */
    {"zsh",
     "#compdef opevo\n"
     "_opevo() {\n"
     "    local -a found\n"
     "    found=(${(f)\"$(\"$words[1]\" completion words -- \"${(@)words[2,CURRENT]}\" "
     "2>/dev/null)\"})\n"
     "    if (( $#found )); then\n"
     "        compadd -S '' -- ${(M)found:#*[:=/]}\n"
     "        compadd -- ${found:#*[:=/]}\n"
     "    else\n"
     "        _files\n"
     "    fi\n"
     "}\n"
     "if [[ $funcstack[1] == _opevo ]]; then _opevo \"$@\"; else compdef _opevo opevo; fi\n"},
};

static opevo_status run(const opevo_call *call, opevo_text *out, int *exit_code, opevo_error *err)
{
    line self = {
        .words = call->arguments + 1, .count = call->argument_count - 1, .prefix = "", .out = out};

    (void)exit_code;
    if (!strcmp(call->arguments[0], "words")) {
        if (self.count)
            complete(&self);
        return OPEVO_OK;
    }
    for (size_t i = 0; self.count == 0 && i < sizeof shells / sizeof *shells; i++) {
        if (!strcmp(shells[i].name, call->arguments[0])) {
            opevo_text_add(out, shells[i].script);
            return OPEVO_OK;
        }
    }
    return OPEVO_FAIL(err, OPEVO_INVALID, "\"%.60s\": give bash, zsh or fish.",
                      call->arguments[self.count]);
}

const opevo_verb opevo_i_cli_verb_completion = {
    .name = "completion",
    .arguments = "bash|zsh|fish",
    .arguments_min = 1,
    .arguments_max = SIZE_MAX,
    .summary = "Print a completion script: eval \"$(opevo completion bash)\"",
    .details = "  eval \"$(opevo completion bash)\"       in ~/.bashrc\n"
               "  eval \"$(opevo completion zsh)\"        in ~/.zshrc, after compinit\n"
               "  opevo completion fish | source        in ~/.config/fish/config.fish\n\n"
               "The scripts call `opevo completion words -- WORD...`, which prints the candidates\n"
               "for the last word, one a line.",
    .prints_data = true,
    .run = run,
};
