/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Two JSON objects side by side. */

#include "claims_internal.h"

#include <opevo/json_read.h>
#include <opevo/memory.h>
#include <opevo/reproduction.h>

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MOST = 64, LISTED_MOST = 1000 };

typedef struct comparer {
    opevo_reproduction *result;
    bool exactly;
    const json_t *outer[DEPTH_MOST]; /* objects and lists of the stated side that it is in */
    size_t depth;
    opevo_text path;
} comparer;

void opevo_reproduction_free(opevo_reproduction *self)
{
    opevo_text_free(&self->list);
}

/* ---- What is said ---------------------------------------------------------------------------- */

static void add_value(const json_t *value, opevo_text *out)
{
    char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : NULL;

    if (!value)
        opevo_text_add(out, "nothing");
    else if (text)
        opevo_text_printf(out, "%.120s", text);
    free(text); /* Jansson's */
}

static void differ(comparer *self, const json_t *stated, const json_t *found)
{
    opevo_text *out = &self->result->list;

    if (++self->result->differ > LISTED_MOST)
        return;
    opevo_text_printf(out, "%s: ", opevo_text_string(&self->path));
    add_value(stated, out);
    opevo_text_add(out, " is stated, ");
    add_value(found, out);
    opevo_text_add(out, " found\n");
}

/* ---- Bounds and intervals -------------------------------------------------------------------- */

/* Whether x is within a list of two numbers. */
static bool has(const json_t *interval, double x)
{
    double low = json_number_value(json_array_get(interval, 0));
    double high = json_number_value(json_array_get(interval, 1));

    return json_array_size(interval) == 2 && json_is_number(json_array_get(interval, 0)) &&
           json_is_number(json_array_get(interval, 1)) && x >= low && x <= high;
}

/* The member KEY_interval, or "interval" beside what an object is mainly about. */
static const json_t *interval_of(const json_t *object, const char *key)
{
    static const char *const main[] = {"mean", "ert", "share", "rate", "p", "median"};
    opevo_text name = {0};
    const json_t *found = NULL;

    opevo_text_printf(&name, "%s_interval", key);
    found = json_object_get(object, opevo_text_string(&name));
    opevo_text_free(&name);
    for (size_t i = 0; i < sizeof main / sizeof *main && !found; i++) {
        if (!strcmp(key, main[i]))
            found = json_object_get(object, "interval");
    }
    return found;
}

/* The bound that the nearest object around a number states. */
static const json_t *bound_around(const comparer *self)
{
    for (size_t i = self->depth; i-- > 0;) {
        const json_t *bound = json_object_get(self->outer[i], "bound");

        if (json_is_number(bound))
            return bound;
    }
    return NULL;
}

/* An element of a column of numbers beside columns of the ends of their intervals. */
static bool is_within_columns(const comparer *self, const char *column, size_t at, double x,
                              bool *known)
{
    const json_t *object = self->depth > 1 ? self->outer[self->depth - 2] : NULL;
    const json_t *low = json_array_get(json_object_get(object, "low"), at);
    const json_t *high = json_array_get(json_object_get(object, "high"), at);

    *known = (!strcmp(column, "mean") || !strcmp(column, "ert")) && json_is_number(low) &&
             json_is_number(high);
    return *known && x >= json_number_value(low) && x <= json_number_value(high);
}

/* `key` is that of the number, or of the list that it is an element of. */
static void judge_number(comparer *self, const char *key, size_t at, bool is_element,
                         const json_t *stated, const json_t *found)
{
    double x = json_number_value(found), y = json_number_value(stated);
    const json_t *object = self->depth ? self->outer[self->depth - 1] : NULL;
    const json_t *bound = bound_around(self);
    const json_t *interval = is_element ? NULL : interval_of(object, key);
    bool known = false, within = false;

    if (json_equal((json_t *)stated, (json_t *)found) || x == y) {
        self->result->equal++;
        return;
    }
    if (bound)
        within = fabs(x - y) <= json_number_value(bound);
    else if (interval)
        within = has(interval, x);
    else if (is_element)
        within = is_within_columns(self, key, at, x, &known);
    if (self->exactly || ((bound || interval || known) && !within))
        differ(self, stated, found);
    else if (within)
        self->result->within++;
    else
        self->result->unjudged++;
}

/* Two lists of two numbers that are intervals. */
static bool is_interval(const char *key, const json_t *value)
{
    size_t length = strlen(key);

    return json_is_array(value) && json_array_size(value) == 2 && length >= 8 &&
           !strcmp(key + length - 8, "interval");
}

static void judge_interval(comparer *self, const json_t *stated, const json_t *found)
{
    double low = json_number_value(json_array_get(stated, 0));
    double high = json_number_value(json_array_get(stated, 1));

    if (json_equal((json_t *)stated, (json_t *)found))
        self->result->equal += 2;
    else if (!self->exactly && json_number_value(json_array_get(found, 0)) <= high &&
             json_number_value(json_array_get(found, 1)) >= low)
        self->result->within += 2;
    else
        differ(self, stated, found);
}

/* ---- Words ----------------------------------------------------------------------------------- */

static const char *after_number(const char *at)
{
    while (*at && (isdigit((unsigned char)*at) || strchr(".,+-e", *at)))
        at++;
    return at;
}

/* Whether texts are equal but for the numbers in them. */
static bool are_alike(const char *a, const char *b)
{
    while (*a && *b) {
        const char *after_a = after_number(a), *after_b = after_number(b);

        if (after_a > a && after_b > b) {
            a = after_a;
            b = after_b;
        } else if (*a++ != *b++) {
            return false;
        }
    }
    return !*a && !*b;
}

static void judge_text(comparer *self, const json_t *stated, const json_t *found)
{
    if (json_equal((json_t *)stated, (json_t *)found))
        self->result->equal++;
    else if (!self->exactly && json_is_string(found) &&
             are_alike(json_string_value(stated), json_string_value(found)))
        self->result->unjudged++;
    else
        differ(self, stated, found);
}

/* ---- Trees ----------------------------------------------------------------------------------- */

/* Members that name files, commands, programs or dates. */
static bool is_left_out(const char *key)
{
    static const char *const keys[] = {OPEVO_I_MANIFEST_KEY,
                                       "title",
                                       "command",
                                       "notes",
                                       "version",
                                       "versions",
                                       "plan",
                                       "written",
                                       "hash",
                                       "store",
                                       "folder",
                                       "threads"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (!strcmp(keys[i], key))
            return true;
    }
    return false;
}

static void compare(comparer *self, const char *key, size_t at, bool is_element,
                    const json_t *stated, const json_t *found);

static void compare_objects(comparer *self, const json_t *stated, const json_t *found)
{
    const char *key = NULL;
    json_t *value = NULL;

    json_object_foreach((json_t *)stated, key, value)
    {
        size_t length = self->path.length;

        if (is_left_out(key))
            continue;
        opevo_text_printf(&self->path, "%s%s", length ? "." : "", key);
        compare(self, key, 0, false, value, json_object_get(found, key));
        self->path.length = length;
        self->path.data[length] = '\0';
    }
}

static void compare_lists(comparer *self, const char *key, const json_t *stated,
                          const json_t *found)
{
    for (size_t i = 0; i < json_array_size(stated); i++) {
        size_t length = self->path.length;

        opevo_text_printf(&self->path, "[%zu]", i);
        compare(self, key, i, true, json_array_get(stated, i), json_array_get(found, i));
        self->path.length = length;
        self->path.data[length] = '\0';
    }
}

/* `at` is the place of an element of the list of that key. */
static void compare(comparer *self, const char *key, size_t at, bool is_element,
                    const json_t *stated, const json_t *found)
{
    bool nested = json_is_object(stated) || json_is_array(stated);

    if (self->path.failed)
        return;
    if (json_is_number(stated) && json_is_number(found)) {
        judge_number(self, key, at, is_element, stated, found);
    } else if (json_is_string(stated)) {
        judge_text(self, stated, found);
    } else if (!nested && found && json_typeof(stated) == json_typeof(found)) {
        self->result->equal++;
    } else if (!nested || self->depth == DEPTH_MOST || !found ||
               json_typeof(stated) != json_typeof(found) ||
               (json_is_array(stated) && json_array_size(stated) != json_array_size(found))) {
        differ(self, stated, found);
    } else if (is_interval(key, stated)) {
        judge_interval(self, stated, found);
    } else {
        self->outer[self->depth++] = stated;
        if (json_is_object(stated))
            compare_objects(self, stated, found);
        else
            compare_lists(self, key, stated, found);
        self->depth--;
    }
}

opevo_status opevo_reproduction_compare(opevo_reproduction *self, const char *stated,
                                        size_t stated_size, const char *found, size_t found_size,
                                        bool exactly, opevo_error *err)
{
    comparer now = {.result = self, .exactly = exactly};
    json_t *a = NULL, *b = NULL;
    opevo_status status = OPEVO_OK;

    OPEVO_TRY(opevo_json_parse("what a file states", stated, stated_size, &a, err));
    OPEVO_TRY(opevo_json_parse("what was computed", found, found_size, &b, err));
    if (!json_is_object(a) || !json_is_object(b)) {
        status = OPEVO_FAIL(err, OPEVO_INVALID, "What is compared must be two objects.");
        goto cleanup;
    }
    opevo_text_add(&now.path, "");
    compare(&now, "", 0, false, a, b);
    if (self->differ > LISTED_MOST)
        opevo_text_printf(&self->list, "and %zu more\n", self->differ - LISTED_MOST);
    OPEVO_TRY(opevo_text_check(&now.path, err));
    OPEVO_TRY(opevo_text_check(&self->list, err));
cleanup:
    json_decref(a);
    json_decref(b);
    opevo_text_free(&now.path);
    return status;
}

/* ---- Pages ----------------------------------------------------------------------------------- */

bool opevo_reproduction_prints(const char *text, double value)
{
    opevo_text plain = {0};
    const char *point = NULL;
    double stated = 0, step = 1;
    bool good = false;

    for (; *text; text++) {
        if (*text != ',')
            opevo_text_add_bytes(&plain, text, 1);
        if (*text == '.' && (plain.length == 1 || !isdigit((unsigned char)text[-1]))) {
            plain.length--;
            opevo_text_add(&plain, "0.");
        }
    }
    point = strchr(opevo_text_string(&plain), '.');
    for (size_t i = 1; point && point[i]; i++)
        step /= 10;
    good = !plain.failed && opevo_parse_double(opevo_text_string(&plain), &stated) &&
           fabs(stated - value) <= step * (0.5 + 1e-9);
    opevo_text_free(&plain);
    return good;
}
