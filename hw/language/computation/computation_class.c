/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Classes are texts with ranges. That a range is the extent of axes alone is read off members: the
 * canonical text of the largest one, with another number behind the names of these axes, is that of
 * the member with this number. */

#include <opevo/computation_class.h>

#include <opevo/computation_named.h>
#include <opevo/memory.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Ranges ---- */

/* The first range from `at` on; false without one. */
static bool find_range(const char *text, size_t at, opevo_class_number *out)
{
    const char *dots = strstr(text + at, "..");
    const char *first = dots;
    char *end = NULL;

    for (; dots; dots = strstr(dots + 1, "..")) {
        for (first = dots; first > text + at && isdigit((unsigned char)first[-1]);)
            first--;
        if (first < dots && isdigit((unsigned char)dots[2]))
            break;
    }
    if (!dots)
        return false;
    *out = (opevo_class_number){.at = (size_t)(first - text)};
    out->least = strtoll(first, NULL, 10);
    out->most = strtoll(dots + 2, &end, 10);
    out->length = (size_t)(end - first);
    return true;
}

static opevo_status find_ranges(opevo_class *self, opevo_error *err)
{
    opevo_class_number one;

    for (size_t at = 0; find_range(self->text, at, &one); at = one.at + one.length) {
        if (self->numbers == OPEVO_CLASS_NUMBERS)
            return OPEVO_FAIL(err, OPEVO_LIMIT, "A class has at most %d ranges.",
                              OPEVO_CLASS_NUMBERS);
        if (one.at > 0 && strchr("-.", self->text[one.at - 1]))
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%c%.*s: give a range of whole numbers from at least 1, such as "
                              "1..4096.",
                              self->text[one.at - 1], (int)one.length, self->text + one.at);
        if (one.least < 1 || one.most <= one.least || one.most > OPEVO_COMPUTATION_EXTENT)
            return OPEVO_FAIL(err, OPEVO_INVALID,
                              "%.*s: give a range from at least 1 to more, such as 1..4096.",
                              (int)one.length, self->text + one.at);
        self->number[self->numbers++] = one;
    }
    if (!self->numbers)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "%.200s: give a range in the place of a number, such as 1..4096.",
                          self->text);
    return OPEVO_OK;
}

void opevo_class_print_member(const opevo_class *self, const int64_t *numbers, opevo_text *out)
{
    size_t at = 0;

    for (int i = 0; i < self->numbers; i++) {
        const opevo_class_number *one = &self->number[i];

        opevo_text_add_bytes(out, self->text + at, one->at - at);
        opevo_text_printf(out, "%lld", (long long)numbers[i]);
        at = one->at + one->length;
    }
    opevo_text_add(out, self->text + at);
}

static opevo_status read_member(const opevo_class *self, const int64_t *numbers,
                                opevo_computation **out, opevo_error *err)
{
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    opevo_class_print_member(self, numbers, &text);
    status = opevo_text_check(&text, err);
    if (status == OPEVO_OK)
        status = opevo_computation_read(opevo_text_string(&text), out, err);
    opevo_text_free(&text);
    return status;
}

/* ---- The axes of a range ---- */

static opevo_status add_axis(opevo_class_number *one, const char *name, opevo_error *err)
{
    for (int i = 0; i < one->axes; i++) {
        if (strcmp(one->axis[i], name) == 0)
            return OPEVO_OK;
    }
    if (one->axes == OPEVO_CLASS_NUMBERS)
        return OPEVO_FAIL(err, OPEVO_LIMIT, "%lld..%lld is the extent of more than %d axes.",
                          (long long)one->least, (long long)one->most, OPEVO_CLASS_NUMBERS);
    snprintf(one->axis[one->axes++], sizeof one->axis[0], "%s", name);
    return OPEVO_OK;
}

/* The axes whose extents are not the same in two members. */
static opevo_status find_axes(const opevo_class *self, const opevo_computation *other,
                              opevo_class_number *one, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    for (int t = 0; t < self->largest->tensors && t < other->tensors; t++) {
        const opevo_definition *a = self->largest->tensor[t]->definition;
        const opevo_definition *b = other->tensor[t]->definition;

        for (int i = 0; a && b && i < a->axes && i < b->axes; i++) {
            if (a->axis[i].extent != b->axis[i].extent)
                OPEVO_TRY(add_axis(one, a->axis[i].name, err));
        }
    }
cleanup:
    return status;
}

/* The canonical text with another number in the place of the extent of an axis: behind the name and
 * a colon, where the text has it once. */
static void replace_extent(opevo_text *text, const char *axis, int64_t from, int64_t to)
{
    char written[OPEVO_COMPUTATION_NAME + 24];
    size_t length = (size_t)snprintf(written, sizeof written, "%s:%lld", axis, (long long)from);
    const char *start = opevo_text_string(text), *at = start;
    opevo_text result = {0};

    for (const char *found = strstr(at, written); found; found = strstr(found + 1, written)) {
        bool is_word = found > start && (isalnum((unsigned char)found[-1]) || found[-1] == '_');

        if (is_word || isdigit((unsigned char)found[length]))
            continue;
        opevo_text_add_bytes(&result, at, (size_t)(found - at));
        opevo_text_printf(&result, "%s:%lld", axis, (long long)to);
        at = found + length;
    }
    opevo_text_add(&result, at);
    result.failed |= text->failed;
    opevo_text_free(text);
    *text = result;
}

/* Whether a member with another number in one range differs from the largest in extents alone. */
static opevo_status check_member(const opevo_class *self, const opevo_class_number *one,
                                 int64_t number, const opevo_computation *other, opevo_error *err)
{
    opevo_text expected = {0}, is = {0};
    opevo_status status = OPEVO_OK;

    opevo_computation_print(self->largest, "\n", &expected);
    opevo_computation_print(other, "\n", &is);
    for (int i = 0; i < one->axes; i++)
        replace_extent(&expected, one->axis[i], one->most, number);
    OPEVO_TRY(opevo_text_check(&expected, err));
    OPEVO_TRY(opevo_text_check(&is, err));
    if (strcmp(opevo_text_string(&expected), opevo_text_string(&is)) != 0)
        status = OPEVO_FAIL(err, OPEVO_INVALID,
                            "%.*s is not the extent of axes alone: other numbers of the "
                            "computation depend on it.",
                            (int)one->length, self->text + one->at);
cleanup:
    opevo_text_free(&expected);
    opevo_text_free(&is);
    return status;
}

/* By the members with the next smaller and with the least number. */
static opevo_status look_at_range(opevo_class *self, int range, opevo_error *err)
{
    opevo_class_number *one = &self->number[range];
    int64_t numbers[OPEVO_CLASS_NUMBERS];
    opevo_status status = OPEVO_OK;

    for (int i = 0; i < self->numbers; i++)
        numbers[i] = self->number[i].most;
    for (int again = 0; again < 2 && status == OPEVO_OK; again++) {
        opevo_computation *other = NULL;

        numbers[range] = again ? one->least : one->most - 1;
        status = read_member(self, numbers, &other, err);
        if (status == OPEVO_OK && !again)
            status = find_axes(self, other, one, err);
        if (status == OPEVO_OK)
            status = check_member(self, one, numbers[range], other, err);
        opevo_computation_destroy(other);
    }
    return status;
}

opevo_status opevo_class_read(const char *text, opevo_class **out, opevo_error *err)
{
    opevo_class *self = opevo_calloc(1, sizeof *self);
    int64_t most[OPEVO_CLASS_NUMBERS];
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(self, "a class of computations");
    self->text = opevo_strdup(text);
    OPEVO_NEED(self->text, "a class of computations");
    OPEVO_TRY(find_ranges(self, err));
    for (int i = 0; i < self->numbers; i++)
        most[i] = self->number[i].most;
    OPEVO_TRY(read_member(self, most, &self->largest, err));
    for (int i = 0; i < self->numbers; i++)
        OPEVO_TRY(look_at_range(self, i, err));
    *out = self;
    self = NULL;
cleanup:
    opevo_class_destroy(self);
    return status;
}

void opevo_class_destroy(opevo_class *self)
{
    if (!self)
        return;
    opevo_computation_destroy(self->largest);
    opevo_free(self->text);
    opevo_free(self);
}

/* ---- Members ---- */

/* The extent of an axis; 0 for one that no definition has. */
static int64_t extent_of(const opevo_computation *computation, const char *axis)
{
    for (int t = 0; t < computation->tensors; t++) {
        const opevo_definition *definition = computation->tensor[t]->definition;

        for (int i = 0; definition && i < definition->axes; i++) {
            if (strcmp(definition->axis[i].name, axis) == 0)
                return definition->axis[i].extent;
        }
    }
    return 0;
}

opevo_status opevo_class_find(const opevo_class *self, const opevo_computation *computation,
                              bool *is_member, int64_t *numbers, opevo_error *err)
{
    opevo_computation *member = NULL;
    opevo_text expected = {0}, is = {0};
    opevo_status status = OPEVO_OK;

    *is_member = false;
    for (int i = 0; i < self->numbers; i++) {
        numbers[i] = extent_of(computation, self->number[i].axis[0]);
        if (numbers[i] < self->number[i].least || numbers[i] > self->number[i].most)
            return OPEVO_OK;
    }
    OPEVO_TRY(read_member(self, numbers, &member, err));
    opevo_computation_print(member, "\n", &expected);
    opevo_computation_print(computation, "\n", &is);
    OPEVO_TRY(opevo_text_check(&expected, err));
    OPEVO_TRY(opevo_text_check(&is, err));
    *is_member = strcmp(opevo_text_string(&expected), opevo_text_string(&is)) == 0;
cleanup:
    opevo_computation_destroy(member);
    opevo_text_free(&expected);
    opevo_text_free(&is);
    return status;
}
