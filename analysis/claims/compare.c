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
    const json_t *other[DEPTH_MOST]; /* those of the found side */
    size_t depth;
    size_t kept, moved; /* estimates with an interval: equal but for rounding, and others */
    size_t pending;     /* numbers without an interval that are other ones, ... */
    opevo_text pending_list;
    opevo_text path;
} comparer;

void opevo_reproduction_free(opevo_reproduction *self)
{
    opevo_text_free(&self->list);
    opevo_text_free(&self->open);
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

static void list(const comparer *self, const json_t *stated, const json_t *found, opevo_text *out)
{
    opevo_text_printf(out, "%s: ", opevo_text_string(&self->path));
    add_value(stated, out);
    opevo_text_add(out, " is stated, ");
    add_value(found, out);
    opevo_text_add(out, " found\n");
}

static void differ(comparer *self, const json_t *stated, const json_t *found)
{
    if (++self->result->differ <= LISTED_MOST)
        list(self, stated, found, &self->result->list);
}

static void leave_open(comparer *self, const json_t *stated, const json_t *found)
{
    if (++self->result->unjudged <= LISTED_MOST)
        list(self, stated, found, &self->result->open);
}

/* ---- Bounds and intervals -------------------------------------------------------------------- */

/* Whether numbers are the same, on another machine but for rounding. */
static bool are_same(const json_t *a, const json_t *b, bool exactly)
{
    double x = json_number_value(a), y = json_number_value(b);

    if (json_is_integer(a) && json_is_integer(b))
        return json_integer_value(a) == json_integer_value(b);
    return x == y || (!exactly && fabs(x - y) <= 1e-9 * fmax(fabs(x), fabs(y)));
}

static bool is_one_of(const char *key, const char *const *keys)
{
    while (*keys && strcmp(*keys, key) != 0)
        keys++;
    return *keys != NULL;
}

/* Numbers of the plan, of the data and of the analysis, which no machine changes. */
static bool is_given(const char *key)
{
    static const char *const keys[] = {
        "optimum",    "fractions_of", "compared_at", "horizon", "trials",   "runs",       "pairs",
        "confidence", "alpha",        "resamples",   "seed",    "fraction", "unfinished", NULL};

    return is_one_of(key, keys);
}

/* Whether the nearest object that says how sure its numbers are says "exact". */
static bool is_exact(const comparer *self)
{
    for (size_t i = self->depth; i-- > 0;) {
        const char *sure = json_string_value(json_object_get(self->outer[i], "sure"));

        if (sure)
            return !strcmp(sure, "exact");
    }
    return false;
}

/* Whether x is within a list of two numbers. */
static bool has(const json_t *interval, double x)
{
    const json_t *low = json_array_get(interval, 0), *high = json_array_get(interval, 1);

    return json_is_number(low) && json_is_number(high) && x >= json_number_value(low) &&
           x <= json_number_value(high);
}

/* The member KEY_interval, or "interval" beside what an object is mainly about. */
static const json_t *interval_of(const json_t *object, const char *key)
{
    static const char *const mains[] = {"mean", "ert", "share", "rate", "p", "median", NULL};
    opevo_text name = {0};
    const json_t *found = NULL;

    opevo_text_printf(&name, "%s_interval", key);
    found = json_object_get(object, opevo_text_string(&name));
    opevo_text_free(&name);
    return found || !is_one_of(key, mains) ? found : json_object_get(object, "interval");
}

/* The bound that the nearest object around a number states; NULL: none. */
static const json_t *bound_around(const json_t *const *outer, size_t depth)
{
    while (depth-- > 0) {
        const json_t *bound = json_object_get(outer[depth], "bound");

        if (json_is_number(bound))
            return bound;
    }
    return NULL;
}

/* Whether x is between elements of the columns "low" and "high"; *known: there are such. */
static bool is_between(const json_t *object, size_t at, double x, bool *known)
{
    const json_t *low = json_array_get(json_object_get(object, "low"), at);
    const json_t *high = json_array_get(json_object_get(object, "high"), at);

    *known = json_is_number(low) && json_is_number(high);
    return *known && x >= json_number_value(low) && x <= json_number_value(high);
}

/* Each number must be within the interval of the other, so that neither a wide interval nor a
 * narrow one lets it pass. */
static bool is_within(const comparer *self, const char *key, size_t at, bool is_element, double x,
                      double y, bool *known)
{
    const size_t up = is_element ? 2 : 1;
    const json_t *a = self->depth >= up ? self->outer[self->depth - up] : NULL;
    const json_t *b = self->depth >= up ? self->other[self->depth - up] : NULL;
    bool both = false;

    if (!is_element) {
        const json_t *stated = interval_of(a, key), *found = interval_of(b, key);

        *known = stated && found;
        return *known && has(stated, x) && has(found, y);
    }
    *known = false;
    if (strcmp(key, "mean") != 0 && strcmp(key, "ert") != 0)
        return false;
    both = is_between(a, at, x, known);
    return both && is_between(b, at, y, known);
}

/* `key` is that of the number, or of the list that it is an element of. */
static void judge_number(comparer *self, const char *key, size_t at, bool is_element,
                         const json_t *stated, const json_t *found)
{
    double x = json_number_value(found), y = json_number_value(stated);
    const json_t *bound = bound_around(self->outer, self->depth);
    const json_t *own = bound_around(self->other, self->depth);
    bool known = false, within = false;

    (void)is_within(self, key, at, is_element, x, y, &known);
    if (known && !is_given(key) && !is_exact(self))
        *(are_same(stated, found, false) ? &self->kept : &self->moved) += 1;
    known = false;
    if (are_same(stated, found, true)) {
        self->result->equal++;
        return;
    }
    if (are_same(stated, found, self->exactly))
        within = known = true;
    else if (!strcmp(key, "bound"))
        within = x <= 2 * y && y <= 2 * x, known = true;
    else if (bound && own)
        within = fabs(x - y) <= 2 * fmin(json_number_value(bound), json_number_value(own)),
        known = true;
    else if (is_given(key) || is_exact(self))
        known = true;
    else
        within = is_within(self, key, at, is_element, x, y, &known);
    if (self->exactly || (known && !within))
        differ(self, stated, found);
    else if (within)
        self->result->within++;
    else if (++self->pending <= LISTED_MOST)
        list(self, stated, found, &self->pending_list);
}

/* Two lists of two numbers that are intervals. */
static bool is_interval(const char *key, const json_t *value)
{
    size_t length = strlen(key);

    return json_is_array(value) && json_array_size(value) == 2 && length >= 8 &&
           !strcmp(key + length - 8, "interval");
}

/* Intervals follow that overlap, of which none is more than twice as long as the other. */
static bool are_near(const json_t *a, const json_t *b)
{
    double ends[2][2], lengths[2], size = 0;

    for (size_t i = 0; i < 2; i++) {
        if (!json_is_number(json_array_get(a, i)) || !json_is_number(json_array_get(b, i)))
            return json_equal((json_t *)a, (json_t *)b);
        ends[0][i] = json_number_value(json_array_get(a, i));
        ends[1][i] = json_number_value(json_array_get(b, i));
        size = fmax(size, fmax(fabs(ends[0][i]), fabs(ends[1][i])));
    }
    for (size_t i = 0; i < 2; i++)
        lengths[i] = ends[i][1] - ends[i][0] + 1e-9 * size;
    return lengths[0] >= 0 && ends[0][0] <= ends[1][1] + 1e-9 * size &&
           ends[1][0] <= ends[0][1] + 1e-9 * size && lengths[0] <= 2 * lengths[1] &&
           lengths[1] <= 2 * lengths[0];
}

/* As numbers: 1 is 1.0. */
static bool are_equal(const json_t *a, const json_t *b, bool exactly)
{
    for (size_t i = 0; i < 2; i++) {
        const json_t *one = json_array_get(a, i), *two = json_array_get(b, i);

        if (json_is_number(one) && json_is_number(two) ? !are_same(one, two, exactly)
                                                       : !json_equal((json_t *)one, (json_t *)two))
            return false;
    }
    return true;
}

static void judge_interval(comparer *self, const json_t *stated, const json_t *found)
{
    *(are_equal(stated, found, false) ? &self->kept : &self->moved) += 1;
    if (are_equal(stated, found, true))
        self->result->equal += 2;
    else if (!self->exactly && are_near(stated, found))
        self->result->within += 2;
    else
        differ(self, stated, found);
}

/* ---- Words ----------------------------------------------------------------------------------- */

/* Behind the number at `at`, with its sign; `at` itself without a number. */
static const char *after_number(const char *at)
{
    const char *next = at + (*at == '+' || *at == '-');

    next += *next == '.';
    if (!isdigit((unsigned char)*next))
        return at;
    while (isdigit((unsigned char)*next) ||
           (*next && strchr(".,e", *next) && isdigit((unsigned char)next[1])) ||
           (*next == 'e' && (next[1] == '-' || next[1] == '+') && isdigit((unsigned char)next[2])))
        next += *next == 'e' ? 2 : 1;
    return next;
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

/* Sentences for readers, whose numbers are also members of their own. */
static bool is_prose(const char *key)
{
    static const char *const keys[] = {"sentence", "standing", "message", "notes", "rest", NULL};

    return is_one_of(key, keys);
}

/* Whether members name the same file in different folders, such as recorded:/a/b.csv. */
static bool are_same_file(const char *key, const char *a, const char *b)
{
    static const char *const keys[] = {"on", "space", "what", NULL};
    const char *last_a = strrchr(a, '/'), *last_b = strrchr(b, '/');
    size_t scheme = strcspn(a, ":/");

    return is_one_of(key, keys) && last_a && last_b && !strcmp(last_a, last_b) &&
           scheme == strcspn(b, ":/") && !strncmp(a, b, scheme + 1);
}

static void judge_text(comparer *self, const char *key, const json_t *stated, const json_t *found)
{
    const char *a = json_string_value(stated), *b = json_string_value(found);

    if (b && (!strcmp(a, b) || are_same_file(key, a, b)))
        self->result->equal++;
    else if (b && is_prose(key) && (!self->exactly || !strcmp(key, "notes")) && are_alike(a, b))
        leave_open(self, stated, found);
    else
        differ(self, stated, found);
}

/* ---- Trees ----------------------------------------------------------------------------------- */

/* Members that name commands, programs or dates, that are compared with the manifest, or that grow
 * with each look at a sealed landscape. */
static bool is_left_out(const char *key)
{
    static const char *const keys[] = {OPEVO_I_MANIFEST_KEY,
                                       "command",
                                       "version",
                                       "versions",
                                       "plan",
                                       "written",
                                       "hash",
                                       "store",
                                       "folder",
                                       "threads",
                                       "looks",
                                       "looks_after_copies",
                                       "log_head",
                                       NULL};

    return is_one_of(key, keys);
}

static void compare(comparer *self, const char *key, size_t at, bool is_element,
                    const json_t *stated, const json_t *found);

static void enter(comparer *self, const char *key, const json_t *stated, const json_t *found)
{
    size_t length = self->path.length;

    if (is_left_out(key))
        return;
    opevo_text_printf(&self->path, "%s%s", length ? "." : "", key);
    if (stated)
        compare(self, key, 0, false, stated, found);
    else
        differ(self, NULL, found);
    self->path.length = length;
    self->path.data[length] = '\0';
}

static void compare_objects(comparer *self, const json_t *stated, const json_t *found)
{
    const char *key = NULL;
    json_t *value = NULL;

    json_object_foreach((json_t *)stated, key, value)
    {
        enter(self, key, value, json_object_get(found, key));
    }
    json_object_foreach((json_t *)found, key, value)
    {
        if (!json_object_get(stated, key))
            enter(self, key, NULL, value);
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
        judge_text(self, key, stated, found);
    } else if (!nested && found && json_typeof(stated) == json_typeof(found)) {
        self->result->equal++;
    } else if (!nested || self->depth == DEPTH_MOST || !found ||
               json_typeof(stated) != json_typeof(found) ||
               (json_is_array(stated) && json_array_size(stated) != json_array_size(found))) {
        differ(self, stated, found);
    } else if (is_interval(key, stated)) {
        judge_interval(self, stated, found);
    } else {
        self->other[self->depth] = found;
        self->outer[self->depth++] = stated;
        if (json_is_object(stated))
            compare_objects(self, stated, found);
        else
            compare_lists(self, key, stated, found);
        self->depth--;
    }
}

/* If all estimates with an interval came out the same, the trials behind them did, and whatever
 * else follows from these, such as p-values and counts, had to come out the same as well. */
static void judge_pending(comparer *self)
{
    bool same = self->kept && !self->moved;

    *(same ? &self->result->differ : &self->result->unjudged) += self->pending;
    opevo_text_add(same ? &self->result->list : &self->result->open,
                   opevo_text_string(&self->pending_list));
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
    judge_pending(&now);
    if (self->differ > LISTED_MOST)
        opevo_text_printf(&self->list, "and %zu more\n", self->differ - LISTED_MOST);
    OPEVO_TRY(opevo_text_check(&now.path, err));
    OPEVO_TRY(opevo_text_check(&now.pending_list, err));
    OPEVO_TRY(opevo_text_check(&self->list, err));
cleanup:
    json_decref(a);
    json_decref(b);
    opevo_text_free(&now.path);
    opevo_text_free(&now.pending_list);
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
