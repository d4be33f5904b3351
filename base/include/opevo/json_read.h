/* SPDX-License-Identifier: GPL-3.0-or-later */

/* JSON that is read strictly: a text as a tree of Jansson, then its objects by tables of fields.
 * What is not understood is refused with the file and the path of the key, as in
 *
 *     plan.json: tuners[0].setings: unknown key; did you mean "settings"?
 *     plan.json: budget.trials: must be a whole number of at least 1. */

#ifndef OPEVO_JSON_READ_H
#define OPEVO_JSON_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include <opevo/status.h>
#include <opevo/text.h>

OPEVO_BEGIN_C

/* The tree of a text of `size` bytes, which a zero byte follows; release with json_decref.
 *
 *   origin  of the text, for messages: a path
 *
 * Errors: INVALID for what is not JSON, with line and column; for a duplicate member, with the
 * lines of both; and for a log of TVM, with what to do with it. NOMEM. */
opevo_status opevo_json_parse(const char *origin, const char *text, size_t size, json_t **out,
                              opevo_error *err);
/* The same of a file of at most `limit` bytes. Errors: also those of opevo_file_read. */
opevo_status opevo_json_load(const char *path, size_t limit, json_t **out, opevo_error *err);

/* ---- A value and its place ---- */

/* A plain value; everything in it is borrowed. The whole is {.origin = ..., .value = ...}. */
typedef struct opevo_json_reader {
    const char *origin;                    /* NULL: messages begin with the path of the key */
    const json_t *value;                   /* NULL: a member that is absent */
    const struct opevo_json_reader *outer; /* whose member or element this is; NULL: the whole */
    const char *key;                       /* of a member; NULL: an element */
    size_t index;                          /* of an element */
} opevo_json_reader;

opevo_json_reader opevo_json_member(const opevo_json_reader *object, const char *key);
opevo_json_reader opevo_json_element(const opevo_json_reader *array, size_t i);

/* The path of the value: "tuners[1].settings", "" for the whole; release with opevo_free. NULL
 * without memory. */
char *opevo_json_path(const opevo_json_reader *at);
/* Fail with INVALID and "ORIGIN: PATH: sentence"; without an origin "PATH": sentence. */
opevo_status opevo_json_fail(const opevo_json_reader *at, opevo_error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- Objects ---- */

/* Refuse a value that is not an object, or has another key than `known`, which ends with NULL.
 *
 *   form  what is expected, for the message: "an object" */
opevo_status opevo_json_keys(const opevo_json_reader *at, const char *const *known,
                             const char *form, opevo_error *err);
/* Whether the key is one of these; and what a sentence on one that is not ends with, appended: did
 * you mean "a"? or: the keys are a, b and c. */
bool opevo_json_is_among(const char *const *known, const char *key);
void opevo_json_add_advice(const char *const *known, const char *key, opevo_text *out);

/* What a member must be, and the type of the variable that receives it. Texts and trees are those
 * of Jansson, borrowed. */
typedef enum opevo_json_kind {
    OPEVO_JSON_ANY,    /* json_t *: whatever it is */
    OPEVO_JSON_OBJECT, /* json_t * */
    OPEVO_JSON_LIST,   /* json_t *, of least .. most elements */
    OPEVO_JSON_TEXT,   /* const char *, of least .. most bytes */
    OPEVO_JSON_TEXTS,  /* json_t *: a list of strings, or one; with `least` 1 no one is empty */
    OPEVO_JSON_FLAG,   /* bool */
    OPEVO_JSON_WHOLE,  /* uint64_t */
    OPEVO_JSON_NUMBER, /* double */
    OPEVO_JSON_WORD    /* unsigned: which one of `words` */
} opevo_json_kind;

typedef struct opevo_json_field {
    const char *key;
    opevo_json_kind kind;
    size_t offset; /* of the variable, in what the fields are read into */
    bool required;
    bool or_digits;           /* a WHOLE also as a string: JavaScript's numbers end at 2^53 */
    bool is_integral;         /* a NUMBER without fraction */
    bool is_open;             /* a NUMBER above `least` */
    double least, most;       /* both 0: any; most 0: without upper bound */
    const char *unit;         /* behind the range in messages: "cycles"; may be NULL */
    const char *const *words; /* of a WORD, ending with NULL */
} opevo_json_field;

/* The row of a member of `type` that has the name of its key: OPEVO_JSON_FIELD(plan, seed, WHOLE,
 * .least = 1). */
#define OPEVO_JSON_FIELD(type, name, ...)                                                          \
    {                                                                                              \
        .key = #name, .offset = offsetof(type, name), .kind = OPEVO_JSON_##__VA_ARGS__             \
    }

/* Read an object that has the keys of the fields and no other. Variables of absent members keep
 * their values. Errors: INVALID; some variables may be written then. */
opevo_status opevo_json_read(const opevo_json_reader *at, const opevo_json_field *fields,
                             size_t count, void *out, opevo_error *err);
/* The same with whatever other keys; an absent object has no members. */
opevo_status opevo_json_read_some(const opevo_json_reader *at, const opevo_json_field *fields,
                                  size_t count, void *out, opevo_error *err);

/* How many texts a member of the kind TEXTS has, and each. */
size_t opevo_json_text_count(const json_t *texts);
const char *opevo_json_text_at(const json_t *texts, size_t i);

OPEVO_END_C

#endif
