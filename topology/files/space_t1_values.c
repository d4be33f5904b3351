/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The lists of T1 files, which are Python expressions:
 *
 *     list  = term { "+" term }
 *     term  = "[" [ item { "," item } [ "," ] ] "]"
 *           | "[" item "for" name "in" list [ "if" condition ] "]"
 *           | "range" "(" item [ "," item [ "," item ] ] ")"
 *           | "list" "(" list ")"  |  "(" list ")"
 *
 * Items and conditions are expressions in the Python dialect. The text is cut at the words and
 * signs that stand outside inner brackets and quotes. */

#include "space_file_internal.h"

#include <opevo/memory.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Made: values of all lists of a file, those that are dropped again and 16 bytes of a text as
 * one. */
enum { VALUES_MAX = 1 << 20, MADE_MAX = 1 << 22, NESTING_MAX = 20 };

typedef struct lists {
    const char *text;
    const char *where;
    unsigned nesting;
    uint64_t *made;
    opevo_error *err;
} lists;

/* Bytes begin .. end - 1 of the text. */
typedef struct span {
    size_t begin, end;
} span;

static opevo_status read_list(lists *self, span at, opevo_i_topology_values *out);

void opevo_i_topology_values_release(opevo_i_topology_values *values)
{
    for (size_t i = 0; i < values->count; i++)
        if (values->items[i].kind == OPEVO_VALUE_TEXT)
            opevo_free((char *)values->items[i].as.text);
    opevo_free(values->items);
    *values = (opevo_i_topology_values){0};
}

static opevo_status refuse(const lists *self, size_t place, const char *sentence)
{
    return OPEVO_FAIL(self->err, OPEVO_INVALID, "%s, column %zu: %s", self->where, place + 1,
                      sentence);
}

static opevo_status no_memory(const lists *self)
{
    return OPEVO_FAIL(self->err, OPEVO_NOMEM, "%s: no memory for the values.", self->where);
}

/* Append a copy. */
static opevo_status append(const lists *self, opevo_i_topology_values *out, opevo_value value)
{
    void *items = out->items;

    if (out->count == VALUES_MAX)
        return OPEVO_FAIL(self->err, OPEVO_LIMIT, "%s: more than %d values.", self->where,
                          VALUES_MAX);
    *self->made += 1 + (value.kind == OPEVO_VALUE_TEXT ? strlen(value.as.text) / 16 : 0);
    if (*self->made > MADE_MAX)
        return OPEVO_FAIL(
            self->err, OPEVO_LIMIT,
            "%s: the lists up to here make more than %d values; write shorter ranges.", self->where,
            MADE_MAX);
    if (!opevo_reserve(&items, &out->capacity, out->count + 1, sizeof *out->items))
        return no_memory(self);
    out->items = items;
    if (value.kind == OPEVO_VALUE_TEXT) {
        value.as.text = opevo_strdup(value.as.text);
        if (!value.as.text)
            return no_memory(self);
    }
    out->items[out->count++] = value;
    return OPEVO_OK;
}

/* ---- Cutting the text ---- */

static span trim(const lists *self, span at)
{
    while (at.begin < at.end && isspace((unsigned char)self->text[at.begin]))
        at.begin++;
    while (at.begin < at.end && isspace((unsigned char)self->text[at.end - 1]))
        at.end--;
    return at;
}

static bool in_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static bool word_at(const lists *self, span at, size_t place, const char *word)
{
    size_t length = strlen(word);

    if (at.end - place < length || memcmp(self->text + place, word, length) != 0)
        return false;
    if (!in_name(*word))
        return true;
    return (place == at.begin || !in_name(self->text[place - 1])) &&
           (place + length == at.end || !in_name(self->text[place + length]));
}

/* Behind the quoted text that starts here, or the end. */
static size_t skip_quotes(const lists *self, span at, size_t place)
{
    char quote = self->text[place];

    for (place++; place < at.end && self->text[place] != quote; place++)
        place += self->text[place] == '\\' && place + 1 < at.end;
    return place < at.end ? place + 1 : at.end;
}

/* The first place outside brackets and quotes where `word` stands; at.end when there is none. */
static size_t find(const lists *self, span at, const char *word)
{
    size_t depth = 0, place = at.begin;

    while (place < at.end) {
        char c = self->text[place];

        if (depth == 0 && word_at(self, at, place, word))
            return place;
        if (c == '"' || c == '\'') {
            place = skip_quotes(self, at, place);
            continue;
        }
        if (c == '[' || c == '(')
            depth++;
        else if ((c == ']' || c == ')') && depth > 0)
            depth--;
        place++;
    }
    return at.end;
}

/* Whether the span is `head`, an opening bracket, anything, and the bracket that closes it. */
static bool bracketed(const lists *self, span at, const char *head, const char *brackets,
                      span *inside)
{
    size_t length = strlen(head);
    span rest = {at.begin + length, at.end};
    const char close[2] = {brackets[1], '\0'};

    if (at.end - at.begin < length + 2 || memcmp(self->text + at.begin, head, length) != 0)
        return false;
    rest = trim(self, rest);
    if (self->text[rest.begin] != brackets[0])
        return false;
    *inside = (span){rest.begin + 1, rest.end - 1};
    /* The first bracket that closes nothing inside must be the last byte. */
    return find(self, (span){rest.begin + 1, rest.end}, close) == rest.end - 1;
}

/* ---- Items ---- */

static opevo_status compile(const lists *self, span at, const opevo_i_topology_symbol *variable,
                            opevo_i_topology_expression *out)
{
    opevo_i_topology_source source = {.text = self->text + at.begin,
                                      .length = at.end - at.begin,
                                      .column = at.begin + 1,
                                      .dialect = OPEVO_DIALECT_PYTHON,
                                      .symbols = variable,
                                      .symbol_count = variable ? 1 : 0,
                                      .where = self->where};

    return opevo_i_topology_expression_create(&source, out, self->err);
}

static opevo_status compute(const lists *self, const opevo_i_topology_expression *expression,
                            const opevo_value *variable, opevo_value *out)
{
    uint32_t column = 0;
    opevo_i_topology_fault fault =
        opevo_i_topology_expression_evaluate(expression, &variable, out, &column);

    if (!fault)
        return OPEVO_OK;
    return OPEVO_FAIL(self->err, OPEVO_INVALID, "%s, column %u: it %s.", self->where,
                      (unsigned)column, opevo_i_topology_fault_text(fault));
}

/* An item without a variable; a text is appended while its expression lives. */
static opevo_status read_item(const lists *self, span at, opevo_i_topology_values *out)
{
    opevo_status status = OPEVO_OK;
    opevo_i_topology_expression expression = {0};
    opevo_value value = {0};

    OPEVO_TRY(compile(self, at, NULL, &expression));
    OPEVO_TRY(compute(self, &expression, NULL, &value));
    status = append(self, out, value);
cleanup:
    opevo_i_topology_expression_release(&expression);
    return status;
}

static opevo_status read_items(const lists *self, span at, opevo_i_topology_values *out)
{
    opevo_status status = OPEVO_OK;

    while (status == OPEVO_OK) {
        size_t comma = find(self, at, ",");
        span item = trim(self, (span){at.begin, comma});

        if (item.begin == item.end && comma == at.end)
            break; /* an empty list, or a comma behind the last item */
        status = read_item(self, item, out);
        if (comma == at.end)
            break;
        at.begin = comma + 1;
    }
    return status;
}

/* ---- Lists ---- */

static opevo_status run_comprehension(const lists *self, const opevo_i_topology_values *domain,
                                      const opevo_i_topology_expression *item,
                                      const opevo_i_topology_expression *condition,
                                      opevo_i_topology_values *out)
{
    opevo_status status = OPEVO_OK;

    for (size_t i = 0; i < domain->count && status == OPEVO_OK; i++) {
        opevo_value wanted = opevo_value_of_integer(1), value = {0};

        if (condition)
            status = compute(self, condition, &domain->items[i], &wanted);
        if (status == OPEVO_OK && opevo_value_number(wanted) != 0) {
            status = compute(self, item, &domain->items[i], &value);
            if (status == OPEVO_OK)
                status = append(self, out, value);
        }
    }
    return status;
}

/* "item for name in list if condition"; `loop` is where "for" stands. */
static opevo_status read_comprehension(lists *self, span at, size_t loop,
                                       opevo_i_topology_values *out)
{
    opevo_status status = OPEVO_OK;
    size_t in = find(self, (span){loop + 3, at.end}, "in");
    size_t test = find(self, (span){in, at.end}, "if");
    span name = trim(self, (span){loop + 3, in});
    char variable[64] = "";
    opevo_i_topology_symbol symbol = {.name = variable, .arity = 1, .sort = OPEVO_I_EITHER};
    opevo_i_topology_values domain = {0};
    opevo_i_topology_expression item = {0}, condition = {0};

    if (in == at.end || name.begin == name.end || name.end - name.begin >= sizeof variable)
        return refuse(self, loop, "write a loop as \"for i in range(a, b)\".");
    if (find(self, (span){in, at.end}, "for") != at.end)
        return refuse(self, loop, "only one loop is supported.");
    memcpy(variable, self->text + name.begin, name.end - name.begin);
    for (const char *c = variable; *c; c++)
        if (!in_name(*c))
            return refuse(self, name.begin, "only one loop variable is supported.");
    OPEVO_TRY(compile(self, trim(self, (span){at.begin, loop}), &symbol, &item));
    if (test < at.end)
        OPEVO_TRY(compile(self, trim(self, (span){test + 2, at.end}), &symbol, &condition));
    OPEVO_TRY(read_list(self, (span){in + 2, test}, &domain));
    status = run_comprehension(self, &domain, &item, test < at.end ? &condition : NULL, out);
cleanup:
    opevo_i_topology_values_release(&domain);
    opevo_i_topology_expression_release(&item);
    opevo_i_topology_expression_release(&condition);
    return status;
}

static opevo_status read_range(const lists *self, span at, opevo_i_topology_values *out)
{
    opevo_status status = OPEVO_OK;
    opevo_i_topology_values given = {0};
    int64_t bounds[3] = {0, 0, 1};

    OPEVO_TRY(read_items(self, at, &given));
    if (given.count < 1 || given.count > 3) {
        status = refuse(self, at.begin, "range takes one to three integers.");
        goto cleanup;
    }
    for (size_t i = 0; i < given.count; i++) {
        if (given.items[i].kind != OPEVO_VALUE_INTEGER) {
            status = refuse(self, at.begin, "range takes integers.");
            goto cleanup;
        }
        bounds[given.count == 1 ? 1 : i] = given.items[i].as.integer;
    }
    if (bounds[2] == 0) {
        status = refuse(self, at.begin, "the step of range must not be 0.");
        goto cleanup;
    }
    for (int64_t i = bounds[0]; bounds[2] > 0 ? i < bounds[1] : i > bounds[1];) {
        OPEVO_TRY(append(self, out, opevo_value_of_integer(i)));
        if (__builtin_add_overflow(i, bounds[2], &i))
            break;
    }
cleanup:
    opevo_i_topology_values_release(&given);
    return status;
}

static opevo_status read_term(lists *self, span at, opevo_i_topology_values *out)
{
    span inside = {0, 0};
    size_t loop = 0;

    if (bracketed(self, at, "range", "()", &inside))
        return read_range(self, inside, out);
    if (bracketed(self, at, "list", "()", &inside) || bracketed(self, at, "", "()", &inside))
        return read_list(self, inside, out);
    if (!bracketed(self, at, "", "[]", &inside))
        return refuse(self, at.begin,
                      "expected a list, such as [1, 2, 4] or [2 * i for i in range(1, 9)].");
    loop = find(self, inside, "for");
    if (loop < inside.end)
        return read_comprehension(self, inside, loop, out);
    return read_items(self, inside, out);
}

static opevo_status read_list(lists *self, span at, opevo_i_topology_values *out)
{
    opevo_status status = OPEVO_OK;

    if (++self->nesting > NESTING_MAX)
        return refuse(self, at.begin, "lists are nested too deeply.");
    while (status == OPEVO_OK) {
        size_t plus = find(self, at, "+");

        status = read_term(self, trim(self, (span){at.begin, plus}), out);
        if (plus == at.end)
            break;
        at.begin = plus + 1;
    }
    self->nesting--;
    return status;
}

opevo_status opevo_i_topology_values_read(const char *text, const char *where, uint64_t *made,
                                          opevo_i_topology_values *out, opevo_error *err)
{
    lists self = {.text = text, .where = where, .made = made, .err = err};
    opevo_i_topology_values values = {0};
    opevo_status status = read_list(&self, (span){0, strlen(text)}, &values);

    if (status != OPEVO_OK) {
        opevo_i_topology_values_release(&values);
        return status;
    }
    *out = values;
    return OPEVO_OK;
}
