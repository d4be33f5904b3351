/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Readings parsed and applied. Regular expressions are bounded in size, and a search that may take
 * long runs in a child process. */

#include "result_reader_internal.h"

#include <opevo/memory.h>

#include <jansson.h>

#include <errno.h>
#include <float.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* FREE_WORK: up to this product of copies and bytes of output a search takes less than 0.1 s. */
enum { MATCH_LENGTH = 1024, REGEX_LENGTH_MAX = 1000, REGEX_COPIES_MAX = 1000, FREE_WORK = 1 << 14 };

static const struct {
    const char *name;
    opevo_i_wire_quantity quantity;
    double divisor;
    const char *unit; /* opevo/unit.h */
} units[] = {
    {"s", OPEVO_I_TIME, 1, "1/s"},
    {"ms", OPEVO_I_TIME, 1e3, "ms"},
    {"us", OPEVO_I_TIME, 1e6, "us"},
    {"ns", OPEVO_I_TIME, 1e9, "ns"},
    {"gflops", OPEVO_I_GFLOPS, 1, "GFLOP/s"},
    {"tflops", OPEVO_I_GFLOPS, 1e-3, "TFLOP/s"},
    {"score", OPEVO_I_SCORE, 1, "score"},
};

static bool parse_unit(const char *text, size_t length, opevo_i_wire_result_reader *out)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strlen(units[i].name) == length && !memcmp(units[i].name, text, length)) {
            out->quantity = units[i].quantity;
            out->divisor = units[i].divisor;
            out->unit = units[i].unit;
            return true;
        }
    }
    return false;
}

/* Skip what stands behind an opening bracket, the closing one included. */
static void skip_bracket(const char **at)
{
    *at += **at == '^';
    *at += **at == ']';
    while (**at && **at != ']') {
        const char *end = NULL;

        if (**at == '[' && (*at)[1] && strchr(":.=", (*at)[1])) {
            char closing[] = {(*at)[1], ']', '\0'};

            end = strstr(*at + 2, closing);
        }
        *at = end ? end + 2 : *at + 1;
    }
    *at += **at == ']';
}

/* A part of an expression. The C library writes out every repetition but "*" and "?", so that those
 * of repetitions multiply: "a++++" becomes 16 of "a". What may be empty and is repeated takes it
 * time without bound. */
typedef struct piece {
    size_t length; /* characters and brackets with their copies, at most REGEX_COPIES_MAX + 1 */
    bool may_be_empty;
    bool repeats_empty; /* it repeats what may be empty, or a part of it does */
} piece;

/* Repeat a part by the operator `sort`, behind which *at stands. */
static void repeat(char sort, const char **at, piece *last)
{
    char *end = NULL;
    unsigned long least = sort == '+';
    unsigned long most = least + 1;

    if (sort == '{') {
        least = strtoul(*at, &end, 10);
        most = *end == ',' ? strtoul(end + 1, &end, 10) : least;
        most = most > least ? most : least + 1;
        *at = *end == '}' ? end + 1 : end;
    }
    last->repeats_empty = last->repeats_empty || (sort != '?' && last->may_be_empty);
    last->may_be_empty = last->may_be_empty || least == 0;
    last->length *= most < REGEX_COPIES_MAX ? most : REGEX_COPIES_MAX + 1;
}

static void append(piece *whole, const piece *last)
{
    whole->length += last->length;
    whole->may_be_empty = whole->may_be_empty && last->may_be_empty;
    whole->repeats_empty = whole->repeats_empty || last->repeats_empty;
}

/* What stands up to the end of a group or, at depth 0, of the expression. */
static piece measure(const char **at, size_t depth)
{
    piece before = {.may_be_empty = true};
    piece last = before;
    bool one_is_empty = false; /* of the alternatives before this one */

    while (**at && before.length + last.length <= REGEX_COPIES_MAX && !(**at == ')' && depth > 0)) {
        char one = *(*at)++;

        if (strchr("*?+{", one)) {
            repeat(one, at, &last);
            continue;
        }
        append(&before, &last);
        last = (piece){.length = 1, .may_be_empty = strchr("^$|", one)};
        if (one == '|') {
            one_is_empty = one_is_empty || before.may_be_empty;
            before.may_be_empty = true;
        } else if (one == '(') {
            last = measure(at, depth + 1);
            last.length++;
            *at += **at == ')';
        } else if (one == '[') {
            skip_bracket(at);
        } else if (one == '\\' && **at) {
            last.may_be_empty = strchr("<>bB`'", *(*at)++);
        }
    }
    append(&before, &last);
    before.may_be_empty = before.may_be_empty || one_is_empty;
    return before;
}

static bool refers_back(const char *pattern)
{
    for (const char *at = strchr(pattern, '\\'); at && at[1]; at = strchr(at + 2, '\\')) {
        if (at[1] >= '1' && at[1] <= '9')
            return true;
    }
    return false;
}

/* Refuse what takes the C library memory or time without bound;
 * *copies bounds its length written out. */
static opevo_status check_regex(const char *pattern, size_t *copies, opevo_error *err)
{
    const char *at = pattern;
    piece whole = {.length = 0};

    if (strlen(pattern) > REGEX_LENGTH_MAX)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "the regular expression is longer than %d characters; make it shorter.",
                          (int)REGEX_LENGTH_MAX);
    if (refers_back(pattern))
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "the regular expression refers back to a group, as \\1 does, which is not "
            "supported.");
    whole = measure(&at, 0);
    if (whole.length > REGEX_COPIES_MAX)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "the regular expression has more than %d characters when its repetitions "
                          "+ and {} are written out; use fewer repetitions.",
                          (int)REGEX_COPIES_MAX);
    if (whole.repeats_empty)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "the regular expression repeats an expression that can be empty, as "
                          "(a*)* does; repeat only what matches at least one character.");
    *copies = whole.length + 1;
    return OPEVO_OK;
}

static opevo_status parse_regex(const char *text, opevo_i_wire_result_reader *out, opevo_error *err)
{
    size_t length = strlen(text);
    char *pattern = NULL;
    int code = 0;

    if (length < 3 || text[length - 1] != '/')
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "put the regular expression between two slashes: ms:/took ([0-9.]+)/.");
    pattern = opevo_strndup(text + 1, length - 2);
    OPEVO_NEED_OR_RETURN(pattern, "a regular expression");
    if (check_regex(pattern, &out->copies, err) != OPEVO_OK) {
        opevo_free(pattern);
        return OPEVO_INVALID;
    }
    code = regcomp(&out->regex, pattern, REG_EXTENDED | REG_NEWLINE);
    opevo_free(pattern);
    if (code) {
        char reason[256];

        regerror(code, &out->regex, reason, sizeof reason);
        return OPEVO_FAIL(err, OPEVO_INVALID, "the regular expression is invalid: %s.", reason);
    }
    out->place = OPEVO_I_REGEX;
    return OPEVO_OK;
}

/* What stands behind the colon. */
static opevo_status parse_where(const char *text, opevo_i_wire_result_reader *out, opevo_error *err)
{
    if (*text == '/')
        return parse_regex(text, out, err);
    if (!strncmp(text, "json:", 5) && text[5]) {
        out->place = OPEVO_I_JSON;
        out->path = opevo_strdup(text + 5);
        return out->path ? OPEVO_OK : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for a path.");
    }
    if (strcmp(text, "wall") != 0 ||
        (out->quantity != OPEVO_I_TIME && out->quantity != OPEVO_I_PLAIN))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "expected /REGEX/, json:PATH or, for a time, wall after the colon.");
    out->divisor = 1;
    return OPEVO_OK;
}

opevo_status opevo_i_wire_result_reader_parse(const char *text, opevo_i_wire_result_reader *out,
                                              opevo_error *err)
{
    const char *colon = strchr(text, ':');
    opevo_i_wire_result_reader reading = {.place = OPEVO_I_WALL};
    opevo_status status = OPEVO_OK;

    if (!colon || !parse_unit(text, (size_t)(colon - text), &reading))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "it must begin with s:, ms:, us:, ns:, gflops:, tflops: or score:.");
    status = parse_where(colon + 1, &reading, err);
    if (status == OPEVO_OK)
        *out = reading;
    return status;
}

opevo_status opevo_i_wire_named_reading_parse(const char *text, opevo_i_wire_named_reading *out,
                                              opevo_error *err)
{
    const char *colon = strchr(text, ':');
    opevo_i_wire_named_reading named = {.reading = {.quantity = OPEVO_I_PLAIN, .divisor = 1}};
    opevo_status status = OPEVO_OK;

    if (!colon)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "it is NAME:WHERE, such as error:json:err or energy,J:/([0-9.]+) J/.");
    OPEVO_TRY(opevo_criterion_parse(text, (size_t)(colon - text), &named.name, &named.unit,
                                    &named.larger_is_better, err));
    OPEVO_TRY(parse_where(colon + 1, &named.reading, err));
    *out = named;
    return OPEVO_OK;
cleanup:
    opevo_free(named.name);
    opevo_free(named.unit);
    return status;
}

void opevo_i_wire_named_reading_clear(opevo_i_wire_named_reading *reading)
{
    opevo_i_wire_result_reader_clear(&reading->reading);
    opevo_free(reading->name);
    opevo_free(reading->unit);
    *reading = (opevo_i_wire_named_reading){.name = NULL};
}

void opevo_i_wire_result_reader_clear(opevo_i_wire_result_reader *reading)
{
    if (reading->place == OPEVO_I_REGEX)
        regfree(&reading->regex);
    opevo_free(reading->path);
    *reading = (opevo_i_wire_result_reader){.place = OPEVO_I_WALL};
}

/* ---- From output to numbers ----------------------------------------------------------------- */

typedef struct finding {
    const opevo_i_wire_result_reader *reading;
    double **values;
    size_t *count, *capacity;
    opevo_text *why;
} finding;

bool opevo_i_wire_range_has(opevo_i_wire_range range, double value)
{
    return value >= range.least && value <= range.most;
}

static opevo_i_wire_range range_of(opevo_i_wire_quantity quantity)
{
    return quantity == OPEVO_I_TIME     ? OPEVO_I_TIME_RANGE
           : quantity == OPEVO_I_GFLOPS ? OPEVO_I_GFLOPS_RANGE
           : quantity == OPEVO_I_SCORE  ? OPEVO_I_SCORE_RANGE
                                        : (opevo_i_wire_range){-DBL_MAX, DBL_MAX, ""};
}

/* Append one printed number. */
static bool take(finding *self, double printed)
{
    double value = printed / self->reading->divisor;
    void *values = *self->values;
    opevo_i_wire_range range = range_of(self->reading->quantity);

    if (self->reading->quantity != OPEVO_I_PLAIN && !(value > 0 && isfinite(value))) {
        opevo_text_printf(self->why, "it printed %g, which is not a result above 0", printed);
        return false;
    }
    if (!opevo_i_wire_range_has(range, value)) {
        opevo_text_printf(self->why, "it printed %g, which is not from %g to %g%s", printed,
                          range.least, range.most, range.unit);
        return false;
    }
    if (*self->count == OPEVO_I_SAMPLES_LIMIT) {
        opevo_text_printf(self->why, "it printed more than %d results; let it print fewer",
                          (int)OPEVO_I_SAMPLES_LIMIT);
        return false;
    }
    if (!opevo_reserve(&values, self->capacity, *self->count + 1, sizeof(double))) {
        opevo_text_add(self->why, "no memory for its results");
        return false;
    }
    *self->values = values;
    (*self->values)[(*self->count)++] = value;
    return true;
}

/* The number in `part` of the output. */
static bool take_match(finding *self, const char *output, const regmatch_t *part)
{
    char number[64] = "";
    double value = 0;
    size_t length = part->rm_so < 0 ? 0 : (size_t)(part->rm_eo - part->rm_so);

    if (length > 0 && length < sizeof number)
        memcpy(number, output + part->rm_so, length);
    if (opevo_parse_double(number, &value))
        return take(self, value);
    opevo_text_printf(self->why, "the regular expression found \"%s\", which is not a number",
                      number);
    return false;
}

/* The next match from `at` on; false when there is none before `stop`. It may end far behind that,
 * as one of a whole line does; but what lies more than MATCH_LENGTH bytes behind does not decide
 * whether there is one. */
static bool find_match(const regex_t *regex, const char *output, size_t at, size_t stop,
                       size_t length, regmatch_t match[2])
{
    for (size_t reach = MATCH_LENGTH;; reach *= 2) {
        size_t end = stop + reach;
        bool cut = end < length;

        match[0] = (regmatch_t){.rm_so = (regoff_t)at, .rm_eo = (regoff_t)(cut ? end : length)};
        if (regexec(regex, output, 2, match, REG_STARTEND | (cut ? REG_NOTEOL : 0)) != 0 ||
            (size_t)match[0].rm_so >= stop)
            return false;
        if (!cut || (size_t)match[0].rm_eo < end)
            return true;
        at = (size_t)match[0].rm_so;
    }
}

/* Searching all of an output of n bytes at once can cost n^2; in pieces, which overlap by the
 * length of a match, it costs n times that length. */
static bool apply_regex(finding *self, const char *output)
{
    const regex_t *regex = &self->reading->regex;
    size_t before = *self->count;
    size_t length = strlen(output);

    for (size_t at = 0; at < length;) {
        size_t stop = at + MATCH_LENGTH < length ? at + MATCH_LENGTH : length + 1;
        regmatch_t match[2];

        if (!find_match(regex, output, at, stop, length, match)) {
            at = stop;
            continue;
        }
        if (!take_match(self, output, regex->re_nsub > 0 ? &match[1] : &match[0]))
            return false;
        at = (size_t)match[0].rm_eo + (match[0].rm_eo == match[0].rm_so);
    }
    if (*self->count == before)
        opevo_text_add(self->why, "its output has no match for the regular expression");
    return *self->count > before;
}

/* What a child found, in memory that it shares with its parent. */
typedef struct shared_finding {
    bool done, good;
    int error; /* errno */
    size_t count;
    double values[OPEVO_I_SAMPLES_LIMIT];
    char why[1024];
} shared_finding;

/* In a child, which the kernel ends with SIGXCPU: no call of the C library stops a match that
 * runs. */
static void search(finding *self, const char *output, shared_finding *shared)
{
    struct rlimit limit = {.rlim_cur = OPEVO_I_RESULT_READER_S,
                           .rlim_max = OPEVO_I_RESULT_READER_S + 1};
    struct rlimit no_core = {0};
    size_t before = *self->count;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGXCPU, SIG_DFL);
    setrlimit(RLIMIT_CORE, &no_core);
    if (setrlimit(RLIMIT_CPU, &limit) == 0) {
        errno = 0;
        shared->good = apply_regex(self, output);
        shared->count = *self->count - before;
        if (shared->count)
            memcpy(shared->values, *self->values + before, shared->count * sizeof *shared->values);
        snprintf(shared->why, sizeof shared->why, "%s", opevo_text_string(self->why));
        shared->done = true;
    }
    shared->error = errno;
    _exit(0);
}

/* What the child that ended with this status found; errno says what the host failed at. */
static bool take_shared(finding *self, const shared_finding *shared, int status)
{
    void *values = *self->values;

    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) {
        opevo_text_printf(self->why, "the regular expression took more than %d s on its output",
                          (int)OPEVO_I_RESULT_READER_S);
        return false;
    }
    errno = shared->done || shared->error ? shared->error : EAGAIN; /* killed by somebody else */
    opevo_text_add(self->why, shared->why);
    if (!opevo_reserve(&values, self->capacity, *self->count + shared->count, sizeof(double)))
        return false;
    *self->values = values;
    if (shared->count)
        memcpy(*self->values + *self->count, shared->values,
               shared->count * sizeof *shared->values);
    *self->count += shared->count;
    return shared->done && shared->good;
}

static bool apply_regex_in_child(finding *self, const char *output)
{
    shared_finding *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool good = false;
    int status = 0;
    pid_t pid = 0;

    if (shared == MAP_FAILED)
        return false;
    fflush(NULL);
    pid = fork();
    if (pid == 0)
        search(self, output, shared);
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    good = pid > 0 && take_shared(self, shared, status);
    munmap(shared, sizeof *shared);
    return good;
}

/* Take the members of an array, all of which are numbers. */
static bool take_all(finding *self, const json_t *found)
{
    for (size_t i = 0; i < json_array_size(found); i++) {
        const json_t *member = json_array_get(found, i);

        if (!json_is_number(member)) {
            opevo_text_printf(self->why, "%.100s.%zu of the JSON that it printed is not a number",
                              self->reading->path, i);
            return false;
        }
        if (!take(self, json_number_value(member)))
            return false;
    }
    return true;
}

/* Python and others write NaN, Infinity and -Infinity, which JSON lacks. Outside of strings they
 * become the texts "NaN", "Infinity" and "-Infinity" here, so that a number elsewhere is read. */
static void quote_words(const char *output, opevo_text *out)
{
    static const char *const words[] = {"NaN", "Infinity", "-Infinity"};
    bool inside = false;

    for (const char *at = output; *at;) {
        size_t length = 0;

        for (size_t i = 0; !inside && i < sizeof words / sizeof *words; i++) {
            if (strncmp(at, words[i], strlen(words[i])) == 0)
                length = strlen(words[i]);
        }
        if (length) {
            opevo_text_printf(out, "\"%.*s\"", (int)length, at);
        } else {
            length = inside && *at == '\\' && at[1] ? 2 : 1;
            inside = (inside && *at != '\n') != (*at == '"');
            opevo_text_add_bytes(out, at, length);
        }
        at += length;
    }
}

/* The whole output as JSON, otherwise the last line that is JSON. */
static json_t *find_json(const char *output)
{
    json_t *root = json_loads(output, 0, NULL);
    const char *end = output + strlen(output);

    while (!root && end > output) {
        const char *line = end;

        while (line > output && line[-1] != '\n')
            line--;
        root = json_loadb(line, (size_t)(end - line), 0, NULL);
        end = line > output ? line - 1 : output;
    }
    return root;
}

static const json_t *follow(const json_t *at, const char *path)
{
    while (at && *path) {
        char key[128];
        size_t length = strcspn(path, ".");
        uint64_t place = 0;

        snprintf(key, sizeof key, "%.*s", (int)length, path);
        if (json_is_array(at))
            at = opevo_parse_u64(key, &place) ? json_array_get(at, (size_t)place) : NULL;
        else
            at = json_object_get(at, key);
        path += length + (path[length] == '.');
    }
    return at;
}

static bool apply_json(finding *self, const char *output)
{
    json_t *root = find_json(output);
    const json_t *found = NULL;
    bool good = false;

    if (!root && (strstr(output, "NaN") || strstr(output, "Infinity"))) {
        opevo_text quoted = {0};

        quote_words(output, &quoted);
        root = find_json(opevo_text_string(&quoted));
        opevo_text_free(&quoted);
    }
    found = follow(root, self->reading->path);
    if (!root)
        opevo_text_add(self->why, "neither its output nor a line of it is JSON");
    else if (json_is_number(found))
        good = take(self, json_number_value(found));
    else if (json_is_array(found) && json_array_size(found))
        good = take_all(self, found);
    else {
        opevo_text_printf(self->why, "the JSON that it printed has no number at %.100s",
                          self->reading->path);
        good = false;
    }
    json_decref(root);
    return good;
}

bool opevo_i_wire_result_reader_apply(const opevo_i_wire_result_reader *reading, const char *output,
                                      double elapsed_s, double **values, size_t *count,
                                      size_t *capacity, opevo_text *why)
{
    finding self = {reading, values, count, capacity, why};

    if (reading->place == OPEVO_I_WALL)
        return take(&self, elapsed_s);
    if (reading->place == OPEVO_I_JSON)
        return apply_json(&self, output);
    return strlen(output) <= FREE_WORK / reading->copies ? apply_regex(&self, output)
                                                         : apply_regex_in_child(&self, output);
}
