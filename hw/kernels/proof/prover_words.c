/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Values of parameters, as macros of the source and as names of the harness, and words for the
 * compiler. Of these a proof uses what the text of the program depends on; what chooses how it is
 * optimised changes nothing that a proof is about. */

#include "prover_internal.h"

#include <opevo/memory.h>

#include <jansson.h>

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool is_name(const char *text, size_t length)
{
    if (length == 0 || isdigit((unsigned char)*text))
        return false;
    for (size_t i = 0; i < length; i++)
        if (!isalnum((unsigned char)text[i]) && text[i] != '_')
            return false;
    return true;
}

/* A macro, and where it is a whole number a name of the harness. */
static bool add_value(opevo_i_prover_words *self, const char *name, const char *value,
                      size_t length)
{
    char *text = opevo_strndup(value, length), *end = NULL;
    bool good = text != NULL;

    opevo_text_printf(&self->lines, "-D%s=%s\n", name, text ? text : "");
    errno = 0;
    if (good && *text) {
        int64_t number = strtoll(text, &end, 10);

        if (!*end && !errno && self->count < OPEVO_HARNESS_VALUES) {
            self->name[self->count] = opevo_strdup(name);
            self->number[self->count] = number;
            good = self->name[self->count++] != NULL;
        }
    }
    opevo_free(text);
    return good;
}

/* "NAME=VALUE", and of several components "NAME=V,W", which are NAME_0 and NAME_1. */
static opevo_status add_setting(opevo_i_prover_words *self, const char *setting, opevo_error *err)
{
    const char *equals = setting ? strchr(setting, '=') : NULL, *value = equals ? equals + 1 : NULL;
    bool several = value && strchr(value, ','), good = true;

    if (!equals || !is_name(setting, (size_t)(equals - setting)) || !*value ||
        strpbrk(value, "\n\r"))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--set %.200s: give NAME=VALUE, or NAME=VALUE,VALUE for a parameter of "
                          "several components.",
                          setting ? setting : "");
    for (unsigned i = 0; good; i++) {
        size_t length = strcspn(value, ",");
        opevo_text name = {0};

        opevo_text_printf(&name, "%.*s", (int)(equals - setting), setting);
        if (several)
            opevo_text_printf(&name, "_%u", i);
        good = add_value(self, opevo_text_string(&name), value, length) && !name.failed;
        opevo_text_free(&name);
        if (!value[length])
            break;
        value += length + 1;
    }
    return good ? OPEVO_OK : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for parameters.");
}

opevo_status opevo_i_prover_words_read(const json_t *settings, opevo_i_prover_words *out,
                                       opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < json_array_size(settings) && status == OPEVO_OK; i++)
        status = add_setting(out, json_string_value(json_array_get(settings, i)), err);
    return status;
}

opevo_harness_values opevo_i_prover_values(const opevo_i_prover_words *self)
{
    return (opevo_harness_values){
        .count = self->count, .name = (const char *const *)self->name, .value = self->number};
}

static bool begins(const char *word, const char *const *heads)
{
    for (; *heads; heads++)
        if (strncmp(word, *heads, strlen(*heads)) == 0)
            return true;
    return false;
}

static opevo_status add_word(opevo_i_prover_words *self, const char *word, opevo_error *err)
{
    /* The processor decides which of several texts opevo's functions have. */
    static const char *const of_text[] = {
        "-D", "-U", "-I", "-std=", "--target=", "-march=x86-64-v", "-march=armv8", NULL};
    static const char *const of_speed[] = {
        "-O",    "-g", "-W", "-m", "-funroll", "-fopenmp", "-fno-math-errno", "-fno-trapping-math",
        "-pipe", NULL};

    /* These begin as words of speed do. */
    static const char *const unknown[] = {"-Wp,", "-m16", "-m32", "-mx32", "-Ofast", NULL};

    if (begins(word, of_text))
        opevo_text_printf(&self->lines, "%s\n", word);
    else if (!begins(word, of_speed) || begins(word, unknown))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "The harness has the word %.200s for a compiler, which proofs do not "
                          "know: compile the kernel with it to LLVM IR, and prove that file.",
                          word);
    return OPEVO_OK;
}

opevo_status opevo_i_prover_words_add(opevo_i_prover_words *self, const char *lines,
                                      opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    while (*lines && status == OPEVO_OK) {
        size_t length = strcspn(lines, "\n");
        char *word = opevo_strndup(lines, length);

        status = word ? *word ? add_word(self, word, err) : OPEVO_OK
                      : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a command.");
        opevo_free(word);
        lines += length + (lines[length] == '\n');
    }
    return status;
}

void opevo_i_prover_words_free(opevo_i_prover_words *self)
{
    for (size_t i = 0; i < self->count; i++)
        opevo_free(self->name[i]);
    opevo_text_free(&self->lines);
}
