/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Computations by what a user writes: a name with numbers, a shape of an evaluation, an operator or
 * a text. */

#include "computation_internal.h"

#include <opevo/computation_named.h>

#include <opevo/closest.h>
#include <opevo/memory.h>

#include <string.h>

enum { MOST_PARAMETERS = 12 };

/* The parameters of a family with their values. */
typedef struct instance {
    const opevo_computation_family *family;
    size_t count;
    char name[MOST_PARAMETERS][OPEVO_COMPUTATION_NAME + 1];
    opevo_binding binding[MOST_PARAMETERS];
} instance;

static void start(const opevo_computation_family *family, instance *out)
{
    const char *at = family->parameters;

    *out = (instance){.family = family};
    for (; *at; at += *at == ',') {
        size_t length = strcspn(at, ",");

        memcpy(out->name[out->count], at, length);
        out->binding[out->count].name = out->name[out->count];
        out->count++;
        at += length;
    }
}

static int64_t value_of(const instance *self, const char *name, size_t length)
{
    for (size_t i = 0; i < self->count; i++) {
        if (strlen(self->name[i]) == length && memcmp(self->name[i], name, length) == 0)
            return self->binding[i].value;
    }
    return 0;
}

static opevo_status fail_usage(const instance *self, const char *text, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "'%.200s' does not match %s(%s), integers from 1 to %lld (pad: from 0).",
                      text, self->family->name, self->family->parameters,
                      (long long)OPEVO_COMPUTATION_EXTENT);
}

static bool read_number(const char *at, size_t length, int64_t least, int64_t *out)
{
    char number[24] = "";
    int64_t value = 0;

    while (length && *at == ' ')
        at++, length--;
    if (length >= sizeof number)
        return false;
    memcpy(number, at, length);
    if (!opevo_parse_i64(number, &value) || value < least || value > OPEVO_COMPUTATION_EXTENT)
        return false;
    *out = value;
    return true;
}

/* The numbers up to `end` as the parameters from `first` on. */
static bool read_numbers(instance *self, size_t first, const char *at, const char *end)
{
    for (size_t i = first; i < self->count; i++) {
        size_t length = strcspn(at, ",;)");

        if (length > (size_t)(end - at) ||
            !read_number(at, length, strcmp(self->name[i], "pad") != 0, &self->binding[i].value))
            return false;
        at += length;
        if (i + 1 < self->count && (at == end || *at++ != ','))
            return false;
    }
    return at == end;
}

/* ---- Making one ---- */

/* "groups|in,groups|out" */
static opevo_status check_divides(const instance *self, const char *text, opevo_error *err)
{
    const char *at = self->family->divides;

    while (at && *at) {
        size_t left = strcspn(at, "|");
        const char *right = at + left + 1;
        size_t length = strcspn(right, ",");
        int64_t divisor = value_of(self, at, left);

        if (divisor && value_of(self, right, length) % divisor != 0)
            return OPEVO_FAIL(err, OPEVO_INVALID, "'%.200s': %.*s must be a multiple of %.*s.",
                              text, (int)length, right, (int)left, at);
        at = right + length + (right[length] == ',');
    }
    return OPEVO_OK;
}

/* The same failure, told of the parameters instead of a place in the family's text. */
static opevo_status fail_shape(const instance *self, const char *text, const opevo_error *cause,
                               opevo_error *err)
{
    const char *what = strstr(cause->message, ": ");

    if (cause->status == OPEVO_NOMEM)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "%s", cause->message);
    return OPEVO_FAIL(err, cause->status, "'%.200s' is not possible: %s%s", text,
                      what ? what + 2 : cause->message,
                      value_of(self, "kernel", 6) > 0
                          ? " A kernel is at most as large as an image with its padding."
                          : "");
}

/* The lines of the family's text that stand for these parameters. */
static void choose_lines(const instance *self, opevo_text *out)
{
    bool padded = value_of(self, "pad", 3) > 0;

    for (const char *at = self->family->text; *at;) {
        size_t length = strcspn(at, "\n");
        bool marked = *at == '+' || *at == '-';

        if (!marked || (*at == '+') == padded) {
            opevo_text_add_bytes(out, at + marked, length - marked);
            opevo_text_add(out, "\n");
        }
        at += length + (at[length] == '\n');
    }
}

/* "c2d(1,56,56,64,64,1,1,0)" */
static void print_form(const instance *self, opevo_text *out)
{
    opevo_text_printf(out, "%s(", self->family->name);
    for (size_t i = 0; i < self->count; i++)
        opevo_text_printf(out, "%s%lld", i ? "," : "", (long long)self->binding[i].value);
    opevo_text_add(out, ")");
}

static opevo_status make(const instance *self, const char *text, opevo_computation **out,
                         opevo_error *err)
{
    opevo_text lines = {0}, form = {0};
    opevo_computation *computation = NULL;
    opevo_error cause = {0};
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(check_divides(self, text, err));
    choose_lines(self, &lines);
    OPEVO_TRY(opevo_text_check(&lines, err));
    status = opevo_computation_parse(opevo_text_string(&lines), text, self->binding, self->count,
                                     &computation, &cause);
    if (status != OPEVO_OK) {
        status = fail_shape(self, text, &cause, err);
        goto cleanup;
    }
    print_form(self, &form);
    OPEVO_TRY(opevo_i_comp_name(computation, &form, err));
    *out = computation;
    computation = NULL;
cleanup:
    opevo_computation_destroy(computation);
    opevo_text_free(&lines);
    opevo_text_free(&form);
    return status;
}

/* ---- Reading a name ---- */

/* "2" or "2(16)" behind "ansor-c2d-". */
static opevo_status read_shape(instance *self, const char *rest, const char *text, opevo_error *err)
{
    const char *shape = self->family->shapes;
    size_t length = strlen(rest);
    int number = rest[0] - '0';
    int shapes = 1;
    bool batched = length > 3 && rest[1] == '(' && rest[length - 1] == ')';

    for (const char *at = shape; *at; at++)
        shapes += *at == ';';
    self->binding[0].value = 1;
    if (number < 1 || number > shapes || (rest[1] && !batched) ||
        (batched && !read_number(rest + 2, length - 3, 1, &self->binding[0].value)))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "'%.200s' is not a shape; write ansor-%s-1 to -%d, or with a batch, such "
                          "as ansor-%s-1(16).",
                          text, self->family->name, shapes, self->family->name);
    for (; number > 1; number--)
        shape = strchr(shape, ';') + 1;
    read_numbers(self, 1, shape, shape + strcspn(shape, ";"));
    return OPEVO_OK;
}

/* "NAME(numbers)" */
static opevo_status read_form(instance *self, const char *rest, const char *text, opevo_error *err)
{
    size_t length = strlen(rest);

    if (length < 2 || rest[0] != '(' || rest[length - 1] != ')' ||
        !read_numbers(self, 0, rest + 1, rest + length - 1))
        return fail_usage(self, text, err);
    return OPEVO_OK;
}

/* A computation by name: "c2d(1,56,56,64,64,1,1,0)"; or a shape of the row, counted from 1, as
 * "ansor-c2d-2", and "ansor-c2d-2(16)" with that as first parameter instead of 1. Errors: MISMATCH
 * where no row has the name; INVALID with the usage; NOMEM. */
static opevo_status named(const char *text, opevo_computation **out, opevo_error *err)
{
    bool evaluated = strncmp(text, "ansor-", 6) == 0;
    const char *name = text + (evaluated ? 6 : 0);

    for (size_t i = 0; i < opevo_computation_family_count(); i++) {
        const opevo_computation_family *family = opevo_computation_family_get(i);
        size_t length = strlen(family->name);
        instance self;
        opevo_status status = OPEVO_OK;

        if (strncmp(name, family->name, length) != 0 ||
            (evaluated ? !family->shapes || name[length] != '-'
                       : name[length] && name[length] != '('))
            continue;
        start(family, &self);
        status = evaluated ? read_shape(&self, name + length + 1, text, err)
                           : read_form(&self, name + length, text, err);
        return status == OPEVO_OK ? make(&self, text, out, err) : status;
    }
    return OPEVO_FAIL(err, OPEVO_MISMATCH, "'%.200s' is not the name of a computation.", text);
}

/* ---- What a user writes ---- */

static opevo_status fail_unknown(const char *what, opevo_error *err)
{
    char *name = opevo_strndup(what, strcspn(what, "("));
    opevo_closest closest = {.word = name ? name : what};
    opevo_text known = {0};

    for (size_t i = 0; i < opevo_computation_family_count(); i++) {
        const char *other = opevo_computation_family_get(i)->name;

        opevo_closest_offer(&closest, other);
        opevo_text_printf(&known, "%s%s", i ? ", " : "", other);
    }
    for (size_t i = 0; i < opevo_operator_count(); i++)
        opevo_closest_offer(&closest, opevo_operator_get(i)->name);
    if (closest.found)
        OPEVO_FAIL(err, OPEVO_INVALID, "Unknown computation '%.200s'; did you mean %s?", what,
                   closest.found);
    else
        OPEVO_FAIL(err, OPEVO_INVALID,
                   "Unknown computation '%.200s'; write an operator such as matmul(8,8,8), one of "
                   "%s with its numbers, definitions such as C[i:8] = A[i] + 1, or the path of a "
                   "file with definitions.",
                   what, opevo_text_string(&known));
    opevo_text_free(&known);
    opevo_free(name);
    return OPEVO_INVALID;
}

opevo_status opevo_computation_read(const char *what, opevo_computation **out, opevo_error *err)
{
    opevo_operator op;
    opevo_status status = named(what, out, err);

    if (status != OPEVO_MISMATCH)
        return status;
    if (strchr(what, '[') && strncmp(what, "contraction(", 12) != 0)
        return opevo_computation_parse(what, "computation", NULL, 0, out, err);
    status = opevo_operator_parse(what, &op, err);
    if (status == OPEVO_OK)
        return opevo_computation_of_operator(&op, out, err);
    /* A known form with wrong numbers has its own sentence. */
    return strchr(what, '(') && strncmp(err ? err->message : "", "Unknown", 7) != 0
               ? status
               : fail_unknown(what, err);
}
