/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reading JSON strictly. Paths are made only for messages: a reader knows its key and what it is a
 * member of. */

#include <opevo/json_read.h>

#include <opevo/closest.h>
#include <opevo/file.h>
#include <opevo/json_duplicate.h>
#include <opevo/memory.h>
#include <opevo/tvm_log.h>

#include <math.h>
#include <string.h>

/* ---- Texts ---------------------------------------------------------------------------------- */

opevo_status opevo_json_parse(const char *origin, const char *text, size_t size, json_t **out,
                              opevo_error *err)
{
    opevo_tvm_log log = opevo_tvm_log_of(text);
    char fault[OPEVO_JSON_FAULT_SIZE];
    json_error_t error;
    json_t *root = NULL;

    if (log != OPEVO_TVM_LOG_OTHER)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: %s.", origin, opevo_tvm_log_advice(log));
    root = json_loadb(text, size, JSON_REJECT_DUPLICATES, &error);
    if (root) {
        *out = root;
        return OPEVO_OK;
    }
    if (json_error_code(&error) == json_error_out_of_memory)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", origin);
    opevo_json_fault(text, (size_t)error.position,
                     json_error_code(&error) == json_error_duplicate_key, error.text, fault);
    return OPEVO_FAIL(err, OPEVO_INVALID, "%s:%d:%d: invalid JSON: %s.", origin, error.line,
                      error.column, fault);
}

opevo_status opevo_json_load(const char *path, size_t limit, json_t **out, opevo_error *err)
{
    char *text = NULL;
    size_t size = 0;
    opevo_status status = opevo_file_read(path, limit, &text, &size, err);

    if (status == OPEVO_OK)
        status = opevo_json_parse(path, text, size, out, err);
    opevo_free(text);
    return status;
}

/* ---- Places --------------------------------------------------------------------------------- */

opevo_json_reader opevo_json_member(const opevo_json_reader *object, const char *key)
{
    return (opevo_json_reader){.origin = object->origin,
                               .value = json_object_get(object->value, key),
                               .outer = object,
                               .key = key};
}

opevo_json_reader opevo_json_element(const opevo_json_reader *array, size_t i)
{
    return (opevo_json_reader){.origin = array->origin,
                               .value = json_array_get(array->value, i),
                               .outer = array,
                               .index = i};
}

static void add_path(const opevo_json_reader *at, opevo_text *out)
{
    if (!at->outer)
        return;
    add_path(at->outer, out);
    if (at->key)
        opevo_text_printf(out, "%s%.60s", at->outer->outer ? "." : "", at->key);
    else
        opevo_text_printf(out, "[%zu]", at->index);
}

char *opevo_json_path(const opevo_json_reader *at)
{
    opevo_text path = {0};

    opevo_text_add(&path, ""); /* not NULL for the whole */
    add_path(at, &path);
    if (path.failed)
        opevo_text_free(&path);
    return path.data;
}

/* `between`: what stands between a path without an origin and the sentence. */
static opevo_status fail(const opevo_json_reader *at, const char *between, const char *sentence,
                         opevo_error *err)
{
    const char *quote = at->origin ? "" : "\"";
    opevo_text path = {0}, shown = {0};

    add_path(at, &path);
    if (path.length)
        opevo_text_printf(&path, "%s%s", quote, at->origin ? ": " : between);
    opevo_text_add(&path, sentence);
    opevo_text_add_visible(&shown, opevo_text_string(&path));
    OPEVO_FAIL(err, OPEVO_INVALID, "%.400s%s%s%s", at->origin ? at->origin : "",
               at->origin ? ": " : "", at->outer ? quote : "", opevo_text_string(&shown));
    opevo_text_free(&path);
    opevo_text_free(&shown);
    return OPEVO_INVALID;
}

opevo_status opevo_json_fail(const opevo_json_reader *at, opevo_error *err, const char *format, ...)
{
    opevo_text sentence = {0};
    va_list arguments;

    va_start(arguments, format);
    opevo_text_vprintf(&sentence, format, arguments);
    va_end(arguments);
    fail(at, ": ", opevo_text_string(&sentence), err);
    opevo_text_free(&sentence);
    return OPEVO_INVALID;
}

/* ---- Keys ----------------------------------------------------------------------------------- */

bool opevo_json_is_among(const char *const *known, const char *key)
{
    while (*known && strcmp(*known, key) != 0)
        known++;
    return *known != NULL;
}

void opevo_json_add_advice(const char *const *known, const char *key, opevo_text *out)
{
    opevo_closest closest = {.word = key};

    for (size_t i = 0; known[i]; i++)
        opevo_closest_offer(&closest, known[i]);
    if (closest.found) {
        opevo_text_printf(out, "did you mean \"%s\"?", closest.found);
        return;
    }
    opevo_text_add(out, !known[0]  ? "no key is allowed here"
                        : known[1] ? "the keys are "
                                   : "the key is ");
    for (size_t i = 0; known[i]; i++)
        opevo_text_printf(out, "%s%s", i == 0 ? "" : known[i + 1] ? ", " : " and ", known[i]);
    opevo_text_add(out, ".");
}

opevo_status opevo_json_keys(const opevo_json_reader *at, const char *const *known,
                             const char *form, opevo_error *err)
{
    const char *key = NULL;
    json_t *value = NULL;

    if (!json_is_object(at->value))
        return opevo_json_fail(at, err, "expected %s.", form);
    json_object_foreach((json_t *)at->value, key, value)
    {
        opevo_json_reader member = opevo_json_member(at, key);
        opevo_text advice = {0};

        if (opevo_json_is_among(known, key))
            continue;
        opevo_json_add_advice(known, key, &advice);
        opevo_json_fail(&member, err, "unknown key; %s", opevo_text_string(&advice));
        opevo_text_free(&advice);
        return OPEVO_INVALID;
    }
    return OPEVO_OK;
}

/* ---- Fields --------------------------------------------------------------------------------- */

/* " from 1 to 9 cycles" */
static void add_range(const opevo_json_field *field, opevo_text *out)
{
    char least[OPEVO_DOUBLE_TEXT_SIZE], most[OPEVO_DOUBLE_TEXT_SIZE];

    opevo_double_format(field->least, least);
    opevo_double_format(field->most, most);
    if (field->is_open)
        opevo_text_printf(out, " above %s", least);
    else if (field->most != 0)
        opevo_text_printf(out, " from %s to %s", least, most);
    else if (field->least != 0)
        opevo_text_printf(out, " of at least %s", least);
    if (field->is_open && field->most != 0)
        opevo_text_printf(out, " and at most %s", most);
}

/* " of 1 to 9 bytes" */
static void add_size(const opevo_json_field *field, const char *unit, opevo_text *out)
{
    if (field->most != 0)
        opevo_text_printf(out, " of %.0f to %.0f %ss", field->least, field->most, unit);
    else if (field->least != 0)
        opevo_text_printf(out, " of at least %.0f %s%s", field->least, unit,
                          field->least > 1 ? "s" : "");
}

static void add_words(const opevo_json_field *field, opevo_text *out)
{
    for (size_t i = 0; field->words[i]; i++)
        opevo_text_printf(out, "%s\"%s\"",
                          i == 0                ? ""
                          : field->words[i + 1] ? ", "
                                                : " or ",
                          field->words[i]);
}

/* What the member must be: "a whole number from 1 to 9". */
static void add_form(const opevo_json_field *field, opevo_text *out)
{
    bool whole = field->kind == OPEVO_JSON_WHOLE || field->is_integral;

    switch (field->kind) {
    case OPEVO_JSON_ANY:
        opevo_text_add(out, "any value");
        break;
    case OPEVO_JSON_OBJECT:
        opevo_text_add(out, "an object");
        break;
    case OPEVO_JSON_LIST:
        opevo_text_add(out, "a list");
        add_size(field, "element", out);
        break;
    case OPEVO_JSON_TEXT:
        opevo_text_add(out, "a string");
        add_size(field, "byte", out);
        break;
    case OPEVO_JSON_TEXTS:
        opevo_text_add(out, "a string, or a list of strings");
        opevo_text_add(out, field->least > 0 ? ", none of them empty" : "");
        break;
    case OPEVO_JSON_FLAG:
        opevo_text_add(out, "true or false");
        break;
    case OPEVO_JSON_WHOLE:
    case OPEVO_JSON_NUMBER:
        opevo_text_add(out, whole ? "a whole number" : "a number");
        add_range(field, out);
        break;
    case OPEVO_JSON_WORD:
        add_words(field, out);
        break;
    }
    if (field->unit)
        opevo_text_printf(out, " %s", field->unit);
}

static opevo_status fail_field(const opevo_json_reader *at, const opevo_json_field *field,
                               opevo_error *err)
{
    opevo_text sentence = {0};

    opevo_text_add(&sentence, at->value ? "must be " : "must be given, as ");
    add_form(field, &sentence);
    opevo_text_add(&sentence, ".");
    fail(at, " ", opevo_text_string(&sentence), err);
    opevo_text_free(&sentence);
    return OPEVO_INVALID;
}

static bool is_within(const opevo_json_field *field, double value)
{
    bool is_any = field->least == 0 && field->most == 0 && !field->is_open;

    return is_any || ((field->is_open ? value > field->least : value >= field->least) &&
                      (field->most == 0 || value <= field->most));
}

static bool read_whole(const opevo_json_field *field, const json_t *value, uint64_t *out)
{
    uint64_t number = 0;

    if (json_is_integer(value) && json_integer_value(value) >= 0)
        number = (uint64_t)json_integer_value(value);
    else if (!field->or_digits || !json_is_string(value) ||
             !opevo_parse_u64(json_string_value(value), &number))
        return false;
    if (number < (uint64_t)field->least || /* a double would round the number */
        (field->most != 0 && number > (uint64_t)field->most))
        return false;
    *out = number;
    return true;
}

static bool read_number(const opevo_json_field *field, const json_t *value, double *out)
{
    double number = json_number_value(value);

    if (!json_is_number(value) || !is_within(field, number) ||
        (field->is_integral && number != trunc(number)))
        return false;
    *out = number;
    return true;
}

static bool read_word(const opevo_json_field *field, const json_t *value, unsigned *out)
{
    const char *text = json_string_value(value);

    for (unsigned i = 0; text && field->words[i]; i++) {
        if (strcmp(text, field->words[i]) == 0) {
            *out = i;
            return true;
        }
    }
    return false;
}

static bool are_texts(const opevo_json_field *field, const json_t *value)
{
    size_t count = opevo_json_text_count(value);
    bool valid = json_is_string(value) || json_is_array(value);

    for (size_t i = 0; valid && i < count; i++) {
        const char *text = opevo_json_text_at(value, i);

        valid = text && (*text || field->least == 0);
    }
    return valid && (double)count >= field->least;
}

/* The member into its variable; false if it is not what it must be. */
static bool read_member(const opevo_json_field *field, json_t *value, void *variable)
{
    bool is_tree = true;

    switch (field->kind) {
    case OPEVO_JSON_ANY:
        break;
    case OPEVO_JSON_OBJECT:
        is_tree = json_is_object(value);
        break;
    case OPEVO_JSON_LIST:
        is_tree = json_is_array(value) && is_within(field, (double)json_array_size(value));
        break;
    case OPEVO_JSON_TEXTS:
        is_tree = are_texts(field, value);
        break;
    case OPEVO_JSON_TEXT:
        if (!json_is_string(value) || !is_within(field, (double)json_string_length(value)))
            return false;
        *(const char **)variable = json_string_value(value);
        return true;
    case OPEVO_JSON_FLAG:
        *(bool *)variable = json_is_true(value);
        return json_is_boolean(value);
    case OPEVO_JSON_WHOLE:
        return read_whole(field, value, variable);
    case OPEVO_JSON_NUMBER:
        return read_number(field, value, variable);
    case OPEVO_JSON_WORD:
        return read_word(field, value, variable);
    }
    if (is_tree)
        *(json_t **)variable = value;
    return is_tree;
}

opevo_status opevo_json_read_some(const opevo_json_reader *at, const opevo_json_field *fields,
                                  size_t count, void *out, opevo_error *err)
{
    for (size_t i = 0; i < count; i++) {
        const opevo_json_field *field = &fields[i];
        json_t *value = json_object_get(at->value, field->key);
        opevo_json_reader member = opevo_json_member(at, field->key);

        if (value ? !read_member(field, value, (char *)out + field->offset) : field->required)
            return fail_field(&member, field, err);
    }
    return OPEVO_OK;
}

opevo_status opevo_json_read(const opevo_json_reader *at, const opevo_json_field *fields,
                             size_t count, void *out, opevo_error *err)
{
    const char **known = opevo_malloc(count + 1, sizeof *known);
    opevo_status status = OPEVO_OK;

    OPEVO_NEED_OR_RETURN(known, "reading %s", at->origin ? at->origin : "JSON");
    for (size_t i = 0; i < count; i++)
        known[i] = fields[i].key;
    known[count] = NULL;
    status = opevo_json_keys(at, known, "an object", err);
    opevo_free(known);
    return status == OPEVO_OK ? opevo_json_read_some(at, fields, count, out, err) : status;
}

size_t opevo_json_text_count(const json_t *texts)
{
    return json_is_string(texts) ? 1 : json_array_size(texts);
}

const char *opevo_json_text_at(const json_t *texts, size_t i)
{
    return json_string_value(json_is_array(texts) ? json_array_get(texts, i) : texts);
}
