/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The text of edit lists (docs/formats/edits.md). */

#include "edits_internal.h"

#include <opevo/memory.h>

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { WORD_SIZE = 48 };

typedef struct parser {
    const opevo_module *module;
    const char *at;
    size_t number; /* of the edit, from 1 */
    opevo_error *err;
} parser;

static void skip_blanks(parser *self)
{
    while (*self->at == ' ' || *self->at == '\t' || *self->at == '\r')
        self->at++;
}

static bool at_end(const parser *self)
{
    return *self->at == '\0' || *self->at == ';' || *self->at == '\n';
}

static opevo_status fail(const parser *self, const char *word, const char *what)
{
    opevo_text shown = {0};
    opevo_status status;

    opevo_text_add_visible(&shown, word);
    status = OPEVO_FAIL(self->err, OPEVO_INVALID, "Edit %zu: '%s' %s.", self->number,
                        opevo_text_string(&shown), what);
    opevo_text_free(&shown);
    return status;
}

/* The next word, "" at the end of the edit. */
static opevo_status word(parser *self, char out[WORD_SIZE])
{
    size_t length = 0;

    skip_blanks(self);
    while (!at_end(self) && *self->at != ' ' && *self->at != '\t' && *self->at != '\r') {
        if (length + 1 == WORD_SIZE) {
            out[length] = '\0';
            return fail(self, out, "is the beginning of a word that is too long");
        }
        out[length++] = *self->at++;
    }
    out[length] = '\0';
    return OPEVO_OK;
}

static bool parse_hash(const char *text, uint64_t *out)
{
    uint64_t number = 0;

    if (strlen(text) != 16 || strspn(text, "0123456789abcdef") != 16)
        return false;
    for (; *text; text++)
        number = number << 4 | (uint64_t)(*text <= '9' ? *text - '0' : *text - 'a' + 10);
    *out = number;
    return true;
}

/* Without leading zeros, so that each reference has one text. */
static bool parse_number(const char *text, uint64_t most, uint64_t *out)
{
    return (*text != '0' || text[1] == '\0') && isdigit((unsigned char)*text) &&
           opevo_parse_u64(text, out) && *out <= most;
}

static opevo_status fail_ref(const parser *self, const char *text, bool value)
{
    char what[128];

    if (value)
        snprintf(what, sizeof what,
                 "is not a value: U1 to U%zu, A1 to A%zu, X with 16 digits, or one",
                 self->module->instruction_count, self->module->argument_count);
    else
        snprintf(what, sizeof what,
                 "is not an instruction of the module: U1 to U%zu, or X with 16 digits",
                 self->module->instruction_count);
    return fail(self, text, what);
}

static opevo_status parse_ref(const parser *self, const char *text, bool value,
                              opevo_i_edit_ref *out)
{
    opevo_i_edit_ref ref = {OPEVO_I_NO_REF, 0};

    if (*text == 'U' && parse_number(text + 1, self->module->instruction_count, &ref.number) &&
        ref.number)
        ref.kind = OPEVO_I_INSTRUCTION;
    else if (*text == 'X' && parse_hash(text + 1, &ref.number) && ref.number >> 63)
        ref.kind = OPEVO_I_CREATED;
    else if (value && *text == 'A' &&
             parse_number(text + 1, self->module->argument_count, &ref.number) && ref.number)
        ref.kind = OPEVO_I_ARGUMENT;
    else if (value && strcmp(text, "one") == 0)
        ref.kind = OPEVO_I_ONE;
    else
        return fail_ref(self, text, value);
    *out = ref;
    return OPEVO_OK;
}

/* "U5.1" */
static opevo_status parse_use(const parser *self, char *text, opevo_i_edit_ref *out,
                              uint32_t *operand)
{
    char *dot = strchr(text, '.');
    uint64_t number = 0;

    if (!dot || !parse_number(dot + 1, UINT32_MAX, &number))
        return fail(self, text, "is not an operand: U1.0 is operand 0 of instruction U1");
    *dot = '\0';
    *operand = (uint32_t)number;
    return parse_ref(self, text, false, out);
}

static opevo_status parse_option(const parser *self, char *text, opevo_i_edit *edit)
{
    char *equal = strchr(text, '=');
    opevo_i_edit_kind kind = edit->kind;
    bool clones = kind != OPEVO_I_EDIT_DELETE && kind != OPEVO_I_EDIT_OPERAND;
    bool other = strncmp(text, "other", 5) == 0;
    uint64_t operand = 0;
    opevo_i_edit_ref value;

    if (!equal)
        return fail(self, text, "is not an option of an edit, such as fix0=A1");
    *equal = '\0';
    if (strcmp(text, "with") == 0 && (kind == OPEVO_I_EDIT_DELETE || kind == OPEVO_I_EDIT_MOVE) &&
        !edit->with.kind)
        return parse_ref(self, equal + 1, true, &edit->with);
    if (strcmp(text, "use") == 0 && (kind == OPEVO_I_EDIT_COPY || kind == OPEVO_I_EDIT_MOVE) &&
        !edit->use.kind)
        return parse_use(self, equal + 1, &edit->use, &edit->use_operand);
    if (!clones || (other ? kind != OPEVO_I_EDIT_SWAP : strncmp(text, "fix", 3) != 0) ||
        !parse_number(text + (other ? 5 : 3), UINT32_MAX, &operand) ||
        opevo_i_edit_fixed(edit, other, (uint32_t)operand))
        return fail(self, text, "is not an option of this edit, or stands twice");
    if (edit->fix_count == OPEVO_I_FIXES_MOST)
        return fail(self, text, "is one repair too many");
    opevo_status status = parse_ref(self, equal + 1, true, &value);
    if (status == OPEVO_OK && !opevo_i_edit_fix(edit, other, (uint32_t)operand, value))
        status = OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory for an edit.");
    return status;
}

static opevo_status parse_edit(parser *self, opevo_i_edit *edit)
{
    opevo_status status = OPEVO_OK;
    char text[WORD_SIZE];
    bool operand = edit->kind == OPEVO_I_EDIT_OPERAND;

    OPEVO_TRY(word(self, text));
    if (operand)
        OPEVO_TRY(parse_use(self, text, &edit->a, &edit->operand));
    else
        OPEVO_TRY(parse_ref(self, text, false, &edit->a));
    if (edit->kind != OPEVO_I_EDIT_DELETE) {
        OPEVO_TRY(word(self, text));
        OPEVO_TRY(parse_ref(self, text, operand, &edit->b));
    }
    OPEVO_TRY(word(self, text));
    while (*text) {
        OPEVO_TRY(parse_option(self, text, edit));
        OPEVO_TRY(word(self, text));
    }
    if (!opevo_i_edit_seal(edit))
        status = OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory for an edit.");
cleanup:
    return status;
}

static opevo_status parse_one(parser *self, const char *name, opevo_edits *edits)
{
    opevo_status status = OPEVO_OK;
    int kind = 0;
    opevo_i_edit *edit = NULL;

    while (kind < OPEVO_I_EDIT_KINDS &&
           strcmp(opevo_i_edit_name((opevo_i_edit_kind)kind), name) != 0)
        kind++;
    if (kind == OPEVO_I_EDIT_KINDS)
        return fail(self, name, "is not copy, delete, move, replace, swap or operand");
    if (edits->count == OPEVO_EDITS_MOST)
        return OPEVO_FAIL(self->err, OPEVO_LIMIT, "A list has at most %d edits.", OPEVO_EDITS_MOST);
    edit = opevo_i_edit_create((opevo_i_edit_kind)kind);
    if (!edit)
        return OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory for an edit.");
    OPEVO_TRY(parse_edit(self, edit));
    if (!opevo_i_edit_add(edits, edit))
        status = OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory for an edit.");
cleanup:
    opevo_i_edit_release(edit);
    return status;
}

static opevo_status check_module(parser *self)
{
    opevo_status status = OPEVO_OK;
    char text[WORD_SIZE];
    uint64_t hash = 0;

    OPEVO_TRY(word(self, text));
    if (!parse_hash(text, &hash))
        return fail(self, text, "is not the hash of a module, 16 hexadecimal digits");
    if (hash != self->module->hash)
        return OPEVO_FAIL(self->err, OPEVO_MISMATCH,
                          "The edits belong to module %016" PRIx64 ", this one is %016" PRIx64
                          "; name the file that they were made for.",
                          hash, self->module->hash);
    OPEVO_TRY(word(self, text));
    if (*text)
        status = fail(self, text, "stands behind the hash of the module");
cleanup:
    return status;
}

static opevo_status parse_list(parser *self, opevo_edits *edits)
{
    opevo_status status = OPEVO_OK;
    char text[WORD_SIZE];
    bool first = true, none = false;

    for (self->number = 1;;) {
        OPEVO_TRY(word(self, text));
        if (none && *text)
            return fail(self, text, "stands behind 'none'");
        if (strcmp(text, "none") == 0 && edits->count == 0) {
            none = true;
            OPEVO_TRY(word(self, text));
            if (*text)
                return fail(self, text, "stands behind 'none'");
        } else if (strcmp(text, "module") == 0 && first) {
            OPEVO_TRY(check_module(self));
            first = false;
        } else if (*text) {
            OPEVO_TRY(parse_one(self, text, edits));
            self->number++;
        }
        first &= !none && edits->count == 0;
        if (*self->at == '\0')
            break;
        self->at++;
    }
    if (edits->count == 0 && !none)
        status = OPEVO_FAIL(self->err, OPEVO_INVALID,
                            "The text has no edits; the base is written 'none'.");
cleanup:
    return status;
}

opevo_status opevo_edits_parse(const opevo_module *module, const char *text, opevo_edits **out,
                               opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    parser self = {.module = module, .at = text, .err = err};
    opevo_edits *edits = opevo_edits_create();

    OPEVO_NEED_OR_RETURN(edits, "edits");
    OPEVO_TRY(parse_list(&self, edits));
    *out = edits;
    edits = NULL; /* handed over */
cleanup:
    opevo_edits_destroy(edits);
    return status;
}
