/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernel Tuner's cache files, entry by entry: of the text only a window is in memory, and of the
 * tree only one entry. What is outside the cache becomes a short text of its own, in which each
 * line keeps its number.
 *
 * Kernel Tuner appends one line for each configuration to a file that it leaves open: while a
 * run is in progress, or after it was killed, the closing brackets are missing, and the last
 * line ends in a comma. Such a text is read as if they were there. */

#include "recorded_internal.h"

#include <opevo/memory.h>

#include <string.h>

/* What is outside the cache, or one entry. */
#define MOST_KEPT ((size_t)16 << 20)

enum { AT_END = -1 };
#define NO_MARK SIZE_MAX

typedef struct stream {
    const char *path;
    opevo_i_landscape_text *source;
    void *window;
    size_t capacity;
    size_t at, end;      /* of the window: the next byte, and behind the last */
    size_t mark;         /* bytes from here on are kept in the window; NO_MARK: none are */
    size_t line;         /* of the next byte, from 1 */
    opevo_text *outline; /* gets what is outside the cache; NULL: not wanted */
    bool inside;         /* the cache */
    opevo_status status; /* of the source, of what is kept, and of parsing */
    opevo_error *err;
} stream;

/* ---- Bytes ---------------------------------------------------------------------------------- */

static bool refill(stream *self)
{
    size_t kept = self->mark == NO_MARK ? 0 : self->end - self->mark, got = 0;

    if (self->status == OPEVO_OK && kept > MOST_KEPT)
        self->status = OPEVO_FAIL(self->err, OPEVO_LIMIT,
                                  "%s:%zu: an entry of the cache is larger than %zu MiB.",
                                  self->path, self->line, MOST_KEPT >> 20);
    if (self->status == OPEVO_OK &&
        !opevo_reserve(&self->window, &self->capacity, kept + OPEVO_I_TEXT_PIECE, 1))
        self->status = OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory to read %s.", self->path);
    if (self->status != OPEVO_OK)
        return false;
    if (kept)
        memmove(self->window, (char *)self->window + self->mark, kept);
    if (self->mark != NO_MARK)
        self->mark = 0;
    self->status =
        opevo_i_landscape_text_next(self->source, (char *)self->window + kept, &got, self->err);
    self->at = kept;
    self->end = kept + got;
    return got > 0;
}

static int peek(stream *self)
{
    if (self->at == self->end && !refill(self))
        return AT_END;
    return ((unsigned char *)self->window)[self->at];
}

static int take(stream *self)
{
    int c = peek(self);

    if (c == AT_END)
        return c;
    self->at++;
    self->line += c == '\n';
    if (self->outline && (!self->inside || c == '\n'))
        opevo_text_add_bytes(self->outline, &(char){(char)c}, 1);
    return c;
}

/* Take bytes of the window up to one that means something. */
static void take_plain(stream *self)
{
    static const bool means[256] = {['"'] = true, ['\\'] = true, ['\n'] = true, ['{'] = true,
                                    ['}'] = true, ['['] = true,  [']'] = true};
    const unsigned char *window = self->window;
    size_t from = self->at;

    while (self->at < self->end && !means[window[self->at]])
        self->at++;
    if (self->outline && !self->inside)
        opevo_text_add_bytes(self->outline, (const char *)window + from, self->at - from);
}

static int after_blanks(stream *self)
{
    int c = peek(self);

    while (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
        take(self);
        c = peek(self);
    }
    return c;
}

static bool expect(stream *self, int wanted)
{
    return after_blanks(self) == wanted && take(self) == wanted;
}

/* ---- Values --------------------------------------------------------------------------------- */

static bool skip_string(stream *self)
{
    int c = take(self);

    if (c != '"')
        return false;
    while ((c = take(self)) != '"') {
        if (c == '\\')
            c = take(self);
        if (c == AT_END)
            return false;
        take_plain(self);
    }
    return true;
}

static bool skip_scalar(stream *self)
{
    bool any = false;

    for (int c = peek(self); c != AT_END && !strchr(",:]} \t\r\n", c); c = peek(self)) {
        take(self);
        any = true;
    }
    return any;
}

/* A value up to its last bracket; what is in it is left to Jansson. */
static bool skip_value(stream *self)
{
    int c = after_blanks(self);
    size_t depth = 0;

    if (c == '"')
        return skip_string(self);
    if (c != '{' && c != '[')
        return skip_scalar(self);
    do {
        c = peek(self);
        if (c == AT_END)
            return false;
        if (c == '"') {
            if (!skip_string(self))
                return false;
            continue;
        }
        take(self);
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        if (depth > 0)
            take_plain(self);
    } while (depth > 0);
    return true;
}

static json_t *parse(stream *self, size_t from, size_t to)
{
    json_error_t error;
    json_t *tree = json_loadb((const char *)self->window + from, to - from,
                              JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);

    if (!tree && json_error_code(&error) == json_error_out_of_memory)
        self->status = OPEVO_FAIL(self->err, OPEVO_NOMEM, "No memory to read %s.", self->path);
    return tree;
}

/* ---- The cache ------------------------------------------------------------------------------ */

typedef enum found { MALFORMED, GOES_ON, FINISHED, UNFINISHED } found;

/* The entry at the mark, whose key ends at `key_end` behind it. */
static opevo_status visit_entry(stream *self, size_t key_end, size_t line,
                                opevo_i_landscape_entry_visit visit, void *context, bool *parsed,
                                opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    json_t *key = NULL, *entry = NULL;
    size_t from = self->mark + key_end;

    *parsed = true;
    if (!visit)
        return OPEVO_OK;
    key = parse(self, self->mark, from);
    from += strspn((const char *)self->window + from, " \t\r\n") + 1; /* behind the colon */
    entry = parse(self, from, self->at);
    *parsed = key && entry;
    if (*parsed)
        status = visit(context, json_string_value(key), entry, line, err);
    json_decref(key);
    json_decref(entry);
    return status;
}

/* *how: what follows the entry that is next. */
static opevo_status read_entry(stream *self, opevo_i_landscape_entry_visit visit, void *context,
                               found *how, opevo_error *err)
{
    size_t line = self->line, key_end = 0;
    bool parsed = false, is_object = false;
    opevo_status status = OPEVO_OK;

    *how = MALFORMED;
    self->mark = self->at;
    if (!skip_string(self))
        return OPEVO_OK;
    key_end = self->at - self->mark;
    if (!expect(self, ':') || !skip_value(self))
        return OPEVO_OK;
    is_object = ((char *)self->window)[self->at - 1] == '}';
    status = visit_entry(self, key_end, line, visit, context, &parsed, err);
    self->mark = NO_MARK;
    if (status != OPEVO_OK || !parsed)
        return status;
    switch (after_blanks(self)) {
    case ',':
        take(self);
        *how = GOES_ON;
        break;
    case '}':
        *how = FINISHED;
        break;
    case AT_END:
        *how = is_object ? UNFINISHED : MALFORMED;
        break;
    default:
        break;
    }
    return OPEVO_OK;
}

/* *how: how the cache ends, whose opening bracket is next. */
static opevo_status read_entries(stream *self, opevo_i_landscape_entry_visit visit, void *context,
                                 found *how, opevo_error *err)
{
    opevo_status status = OPEVO_OK;

    take(self);
    self->inside = true;
    *how = after_blanks(self) == '}' ? FINISHED : GOES_ON;
    while (status == OPEVO_OK && *how == GOES_ON) {
        if (after_blanks(self) == AT_END)
            *how = UNFINISHED;
        else
            status = read_entry(self, visit, context, how, err);
    }
    self->mark = NO_MARK;
    self->inside = false;
    return status;
}

/* Whether the key that was skipped from the mark on is that of the cache. */
static bool is_cache_key(const stream *self)
{
    return self->at - self->mark == strlen("\"cache\"") &&
           memcmp((const char *)self->window + self->mark, "\"cache\"", strlen("\"cache\"")) == 0;
}

/* The members of the root; *is says that they were read whole, a cache among them. */
static opevo_status read_root(stream *self, opevo_i_landscape_entry_visit visit, void *context,
                              bool *is, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    found how = MALFORMED;

    if (!expect(self, '{'))
        return OPEVO_OK;
    while (after_blanks(self) == '"') {
        bool is_cache = false;

        self->mark = self->at;
        if (!skip_string(self))
            return OPEVO_OK;
        is_cache = is_cache_key(self);
        self->mark = NO_MARK;
        if (!expect(self, ':'))
            return OPEVO_OK;
        if (!is_cache || after_blanks(self) != '{') {
            if (!skip_value(self) || (self->outline && self->outline->length > MOST_KEPT))
                return OPEVO_OK;
        } else {
            if (how != MALFORMED) /* two of them */
                return OPEVO_OK;
            OPEVO_TRY(read_entries(self, visit, context, &how, err));
            if (how == MALFORMED)
                return OPEVO_OK;
            if (how == FINISHED)
                take(self);
            if (after_blanks(self) == AT_END) { /* the last bracket, or both are missing */
                if (self->outline)
                    opevo_text_add(self->outline, how == FINISHED ? "}" : "}}");
                *is = true;
                return OPEVO_OK;
            }
        }
        if (after_blanks(self) != ',')
            break;
        take(self);
    }
    *is = how == FINISHED && expect(self, '}') && after_blanks(self) == AT_END;
cleanup:
    return status;
}

opevo_status opevo_i_landscape_kernel_tuner_stream(const char *path, opevo_text *outline,
                                                   opevo_i_landscape_entry_visit visit,
                                                   void *context, bool *is, opevo_error *err)
{
    stream self = {.path = path, .mark = NO_MARK, .line = 1, .outline = outline, .err = err};
    opevo_status status = opevo_i_landscape_text_open(path, SIZE_MAX, &self.source, err);

    *is = false;
    if (status == OPEVO_OK)
        status = read_root(&self, visit, context, is, err);
    opevo_i_landscape_text_close(self.source);
    opevo_free(self.window);
    return status == OPEVO_OK ? self.status : status;
}
