/* SPDX-License-Identifier: GPL-3.0-or-later */

/* What the readers of recorded landscapes share: text files that may be compressed, the table form,
 * its description, Kernel Tuner's cache form, T4, and the recording that all of them fill row by
 * row. docs/formats/landscape.md states the rules that they enforce. */

#ifndef OPEVO_RECORDED_INTERNAL_H
#define OPEVO_RECORDED_INTERNAL_H

#include <opevo/hash.h>
#include <opevo/landscape.h>

#include "row_store.h"

#include <jansson.h>

/* Fail with "path:line: sentence", or "path: sentence" for line 0. */
opevo_status opevo_i_landscape_fail_at(opevo_error *err, opevo_status status, const char *path,
                                       size_t line, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* The same for an unknown status of a trial, and for a time so short that its fitness overflows. */
opevo_status opevo_i_landscape_fail_status(const char *path, size_t line, const char *word,
                                           opevo_error *err);
opevo_status opevo_i_landscape_fail_short(const char *path, size_t line, double time_s,
                                          opevo_error *err);

/* Pass a failure on, with the path before a sentence that does not begin with it. */
opevo_status opevo_i_landscape_fail_in(opevo_error *err, const opevo_error *inner,
                                       const char *path);

/* ---- Files ---------------------------------------------------------------------------------- */

/* Tables above this many bytes, once decompressed, are refused, and JSON, which takes some twenty
 * times its size in memory, above these. */
#define OPEVO_I_TEXT_LIMIT ((size_t)1 << 30)
#define OPEVO_I_JSON_LIMIT ((size_t)256 << 20)

/* The text of a file, piece by piece, decompressed when its name ends in .xz or .gz. `path` is
 * borrowed. Errors: as opevo_file_open. */
typedef struct opevo_i_landscape_text opevo_i_landscape_text;
enum { OPEVO_I_TEXT_PIECE = 1 << 16 };
opevo_status opevo_i_landscape_text_open(const char *path, size_t limit,
                                         opevo_i_landscape_text **out, opevo_error *err);
void opevo_i_landscape_text_close(opevo_i_landscape_text *self);
/* 1 to OPEVO_I_TEXT_PIECE bytes more, of which `out` has room for all; 0 at the end. Errors:
 * INVALID for damaged or truncated data, LIMIT for xz data that take much memory, IO, NOMEM. */
opevo_status opevo_i_landscape_text_next(opevo_i_landscape_text *self, char *out, size_t *size,
                                         opevo_error *err);

/* The whole text of a file, decompressed when its name ends in .xz or .gz, with a zero byte after
 * it that *size does not count; release with opevo_free. Errors: INVALID for damaged or truncated
 * data, LIMIT for a text above `limit` bytes, IO, NOMEM. */
opevo_status opevo_i_landscape_text_read(const char *path, size_t limit, char **data, size_t *size,
                                         opevo_error *err);

/* The same from the bytes of such a compressed file; `path`, which need not exist, is its name. */
opevo_status opevo_i_landscape_text_unpack(const char *path, const char *raw, size_t raw_size,
                                           size_t limit, char **data, size_t *size,
                                           opevo_error *err);

/* Whether `text` ends in `ending`. */
bool opevo_i_landscape_ends_with(const char *text, const char *ending);

/* The recording that the build embeds, NAME.csv.xz and NAME.json byte for byte. */
typedef struct opevo_i_landscape_embedded_recording {
    const char *table_name; /* "NAME.csv.xz" */
    const char *table, *json;
    size_t table_size, json_size;
} opevo_i_landscape_embedded_recording;
extern const opevo_i_landscape_embedded_recording opevo_i_landscape_embedded;

/* ---- Tables --------------------------------------------------------------------------------- */

/* Far above any table; bounds the work on a file that is not a table. */
enum { OPEVO_I_MOST_COLUMNS = 4096 };

/* A table that is read row by row; its cells are cut out of the text in place. */
typedef struct opevo_i_landscape_table {
    const char *path; /* borrowed from the caller of open */
    char *text, *at, *end;
    opevo_i_landscape_text *source; /* of what follows `end`; NULL: nothing does */
    size_t capacity;                /* of `text`, with a source */
    char *first_line;               /* which `names` lie in, with a source */
    size_t line;                    /* where the row last read starts, from 1 */
    size_t next_line;               /* that of `at` */
    const char **names;             /* column_count of them, from the first line */
    const char **cells;             /* of the row last read */
    size_t column_count;
    opevo_error failure; /* of reading what follows `end` */
} opevo_i_landscape_table;

/* Read the first line of `text`, `size` bytes and a zero byte after them, which is the file `path`
 * decompressed and which the table owns from here on. Errors: INVALID for an empty table, an empty
 * or repeated column name, a zero byte. Close in any case. */
opevo_status opevo_i_landscape_table_open(const char *path, char *text, size_t size,
                                          opevo_i_landscape_table *table, opevo_error *err);
/* The same of a file of which one row at a time is in memory, and the first. Errors: also those of
 * opevo_i_landscape_text_next. */
opevo_status opevo_i_landscape_table_open_file(const char *path, opevo_i_landscape_table *table,
                                               opevo_error *err);
/* The same for a table of another program: its first column may have no name, and its text may
 * begin with a byte order mark. */
opevo_status opevo_i_landscape_table_open_bare(const char *path, char *text, size_t size,
                                               opevo_i_landscape_table *table, opevo_error *err);
/* The next row, or *more = false after the last. Errors: INVALID for a row with another number of
 * cells than the first line, or a last line without its line end. */
opevo_status opevo_i_landscape_table_next(opevo_i_landscape_table *table, bool *more,
                                          opevo_error *err);
/* A row that is not cut into cells yet, and where it starts. */
typedef struct opevo_i_landscape_line {
    char *text;
    size_t number;
} opevo_i_landscape_line;

/* Up to `capacity` rows more, uncut, in about 1 MiB of text, or one that is longer; *count = 0
 * after the last. They are there until the next call. Errors: as above, of the first of them. */
opevo_status opevo_i_landscape_table_lines(opevo_i_landscape_table *table,
                                           opevo_i_landscape_line *lines, size_t capacity,
                                           size_t *count, opevo_error *err);
/* Cut such a row in place, once, into `cells`, one for each column. Any number of threads may, each
 * rows of its own. Errors: INVALID for a row with another number of cells. */
opevo_status opevo_i_landscape_table_cut(const opevo_i_landscape_table *table,
                                         const opevo_i_landscape_line *line, const char **cells,
                                         opevo_error *err);
void opevo_i_landscape_table_close(opevo_i_landscape_table *table);

/* What the column of a component is called: its own name, that of its parameter where it is the
 * only one, otherwise NAME_0, NAME_1, ... */
void opevo_i_landscape_column_name(const opevo_parameter *parameter, size_t component,
                                   opevo_text *out);

/* Place of a name among `count` names, or SIZE_MAX. */
size_t opevo_i_landscape_find_name(const char *const *names, size_t count, const char *name);

/* ---- Recordings ----------------------------------------------------------------------------- */

/* The criteria of a recording after the fitness. Start from {0}. */
typedef struct opevo_i_landscape_criteria {
    opevo_criterion items[OPEVO_CRITERIA_MOST - 1]; /* whose words are owned */
    size_t columns[OPEVO_CRITERIA_MOST - 1];        /* of a table */
    size_t count;
    bool described; /* the description lists them: they are part of the signature */
} opevo_i_landscape_criteria;

/* False without memory. */
bool opevo_i_landscape_criteria_add(opevo_i_landscape_criteria *self, const char *name,
                                    const char *unit, bool larger_is_better);
void opevo_i_landscape_criteria_clear(opevo_i_landscape_criteria *self);

/* A space, and which columns spell the values of its parameters: `columns` holds the places of all
 * components of all parameters, one after another. */
typedef struct opevo_i_landscape_layout {
    opevo_space *space;
    size_t *columns;
} opevo_i_landscape_layout;

/* Room for finding the points of rows. Start from {0}. */
typedef struct opevo_i_landscape_scratch {
    opevo_index *vertices;   /* one for each parameter of either space */
    opevo_value *components; /* of the widest parameter of either space */
    json_t *quoted;          /* the JSON string that a cell is */
} opevo_i_landscape_scratch;

/* Where a row belongs. */
typedef struct opevo_i_landscape_place {
    opevo_index point; /* of the described space */
    opevo_index given; /* of the given one */
    bool excluded;     /* by the described space, which restricts: the row is ignored */
    bool outside;      /* of the given space: likewise */
} opevo_i_landscape_place;

/* Rows while they are being read. Start from {0}. */
typedef struct opevo_i_landscape_recording {
    const char *path;         /* of the table or cache, for messages; borrowed */
    const char *const *names; /* of the columns; borrowed */
    size_t name_count;
    const char **own_names; /* `names`, where the recording owns the list */
    bool owns_texts;        /* and what is in it */
    bool cells;             /* values are the cells of a table */
    bool selects;           /* a given space may leave columns out; equal rows can be averaged */
    opevo_text inferred;    /* what was inferred of a bare table, in lines */
    bool restricts;         /* rows that the described space excludes are ignored */
    opevo_i_landscape_layout
        described; /* as the file describes itself; every row is checked against it */
    opevo_i_landscape_layout given; /* from a space file; its space is NULL if none exists */
    opevo_index_map *lines;         /* with a given space: point of the described space -> line */
    opevo_i_landscape_scratch scratch;
    opevo_i_row_store *rows; /* by the points of the space that the landscape will have */
    uint32_t *line_of;       /* without a given space: of each row */
    size_t line_capacity;
    double flop;    /* of one execution, for `rows`; 0: not known */
    size_t ignored; /* rows outside the given space, or the described one where that restricts */
    opevo_i_landscape_criteria criteria;
} opevo_i_landscape_recording;

/* What a file says about its parameters, before they become a space. */
typedef struct opevo_i_landscape_parameters {
    opevo_parameter **items;
    size_t count, capacity;
    size_t *columns; /* as in opevo_i_landscape_layout */
    size_t column_count, column_capacity;
} opevo_i_landscape_parameters;

/* Append a parameter and the places of the columns of its components. On success the list owns the
 * parameter. False without memory. */
bool opevo_i_landscape_parameters_add(opevo_i_landscape_parameters *list,
                                      opevo_parameter *parameter, const size_t *columns);
void opevo_i_landscape_parameters_clear(opevo_i_landscape_parameters *list);

/* Create the described space from `list`, which is left empty, and the given space from the file
 * `space` (NULL: none). `description` is the path that names parameters and constraints. */
opevo_status opevo_i_landscape_recording_begin(opevo_i_landscape_recording *self,
                                               opevo_i_landscape_parameters *list,
                                               const char *const *constraints,
                                               size_t constraint_count, const char *description,
                                               const char *space, opevo_error *err);
/* The same with a described space that exists already, and the columns of its parameters, both of
 * which the recording owns from here on. */
opevo_status opevo_i_landscape_recording_begin_in(opevo_i_landscape_recording *self,
                                                  opevo_space *described, size_t *columns,
                                                  const char *description, const char *space,
                                                  opevo_error *err);
/* The same with the space that `root`, parsed from `text`, is as a space file, and a column for
 * each of its parameters, of which none has several components. */
opevo_status opevo_i_landscape_recording_begin_as(opevo_i_landscape_recording *self,
                                                  const json_t *root, const char *text,
                                                  const char *path, const char *space,
                                                  opevo_error *err);
/* Add one row; values[c] is the value in column c. Where it is not a value of its parameter, a text
 * is read as a number or truth value. In a recording of `cells` the texts are those of a table:
 * each is read as the JSON string, number or truth value that it looks like, and as it stands only
 * where that is not a value of its parameter. line: where it stands, 0 when not known. Errors:
 * INVALID for a value outside its parameter, a point given twice, a point that a declared
 * constraint excludes unless the recording restricts. */
opevo_status opevo_i_landscape_recording_add(opevo_i_landscape_recording *self,
                                             const opevo_value *values,
                                             const opevo_i_landscape_row *row, size_t line,
                                             opevo_error *err);
/* The same in two steps. Finding the place changes nothing but the scratch room, so that any number
 * of threads may, each in its own; putting the row there tells points that are given twice. */
opevo_status opevo_i_landscape_scratch_init(opevo_i_landscape_scratch *self,
                                            const opevo_i_landscape_recording *recording,
                                            opevo_error *err);
void opevo_i_landscape_scratch_clear(opevo_i_landscape_scratch *self);
opevo_status opevo_i_landscape_recording_place(const opevo_i_landscape_recording *self,
                                               const opevo_value *values, size_t line,
                                               opevo_i_landscape_scratch *scratch,
                                               opevo_i_landscape_place *out, opevo_error *err);
opevo_status opevo_i_landscape_recording_put(opevo_i_landscape_recording *self,
                                             const opevo_i_landscape_place *place,
                                             const opevo_i_landscape_row *row, size_t line,
                                             opevo_error *err);
/* Say that a row will soon be put there, which makes that faster. */
void opevo_i_landscape_recording_expect(const opevo_i_landscape_recording *self,
                                        const opevo_i_landscape_place *place);
/* How many rows there are. */
size_t opevo_i_landscape_recording_rows(const opevo_i_landscape_recording *self);
/* As before the first row. False without memory. */
bool opevo_i_landscape_recording_restart(opevo_i_landscape_recording *self);
void opevo_i_landscape_recording_clear(opevo_i_landscape_recording *self);

/* ---- JSON ----------------------------------------------------------------------------------- */

/* Parse a text, which stood in the file `path`; release with json_decref. Errors: INVALID, as
 * path:line. */
opevo_status opevo_i_landscape_json_parse(const char *path, const char *text, size_t size,
                                          json_t **out, opevo_error *err);

/* A JSON number, truth value or text; false for anything else. The text is borrowed. */
bool opevo_i_landscape_json_value(const json_t *json, opevo_value *out);

/* ---- Energy and power of Kernel Tuner and its neighbours ------------------------------------- */

enum { OPEVO_I_OBSERVED_COUNT = 2 };

/* The names of the measurements that are the energy and the power; NULL: none. Start from {0}. */
typedef struct opevo_i_landscape_observed {
    const char *names[OPEVO_I_OBSERVED_COUNT];
} opevo_i_landscape_observed;

/* First for each measurement of the file, a value and a unit, which may be NULL. Borrows `key`. */
void opevo_i_landscape_observed_note(opevo_i_landscape_observed *self, const char *key,
                                     const json_t *value, const json_t *unit);
/* Then, once, for the criteria that there are. Errors: NOMEM. */
opevo_status opevo_i_landscape_observed_begin(const opevo_i_landscape_observed *self,
                                              opevo_i_landscape_recording *recording,
                                              opevo_error *err);
/* Then for each row, of which no criterion is known, and for each of its measurements. */
void opevo_i_landscape_observed_clear(opevo_i_landscape_row *row);
void opevo_i_landscape_observed_fill(const opevo_i_landscape_observed *self, const char *key,
                                     const json_t *value, const json_t *unit,
                                     opevo_i_landscape_row *row);

/* ---- Kernel Tuner caches -------------------------------------------------------------------- */

/* One entry of a cache, in a line of the file; both trees are borrowed for the call. */
typedef opevo_status (*opevo_i_landscape_entry_visit)(void *context, const char *key, json_t *entry,
                                                      size_t line, opevo_error *err);
/* Read a file as a cache, entry by entry. *is: it could be read and is JSON, finished or not, whose
 * root has an object "cache"; entries may have been visited when it is not, and without `visit`
 * what is in them may be malformed.
 *
 *   outline  gets the text without the entries, in which each line keeps its number; may be NULL
 *
 * Errors: those of `visit`, and as opevo_i_landscape_text_next; LIMIT for an entry above 16 MiB.
 * Memory: a window of the text, and the tree of an entry. */
opevo_status opevo_i_landscape_kernel_tuner_stream(const char *path, opevo_text *outline,
                                                   opevo_i_landscape_entry_visit visit,
                                                   void *context, bool *is, opevo_error *err);
/* Read all entries of a cache into an empty recording. *is: the file is one; false without an error
 * for others and for malformed JSON. Errors: INVALID. */
opevo_status opevo_i_landscape_kernel_tuner_cache_read(opevo_i_landscape_recording *self,
                                                       const char *path, const char *space,
                                                       const char **unit, bool *is,
                                                       opevo_error *err);

/* ---- T4 results ----------------------------------------------------------------------------- */

bool opevo_i_landscape_is_t4_file(const json_t *root);
/* Read all results into an empty recording. `text` is what `root` was parsed from. Errors:
 * INVALID. */
opevo_status opevo_i_landscape_t4_read(opevo_i_landscape_recording *self, const json_t *root,
                                       const char *path, const char *text, const char *space,
                                       const char **unit, opevo_error *err);

/* The same of a tree that was made from another form: `text` is of that, and there `key`, in its
 * quotes, stands before each configuration. */
opevo_status opevo_i_landscape_t4_read_keyed(opevo_i_landscape_recording *self, const json_t *root,
                                             const char *path, const char *text, const char *key,
                                             const char *space, const char **unit,
                                             opevo_error *err);

/* ---- Results of KTT and of CLBlast's tuners, as opevo_i_landscape_t4_read ----------------------
 */

bool opevo_i_landscape_is_ktt(const json_t *root);
opevo_status opevo_i_landscape_ktt_read(opevo_i_landscape_recording *self, const json_t *root,
                                        const char *path, const char *text, const char *space,
                                        const char **unit, opevo_error *err);
bool opevo_i_landscape_is_clblast(const json_t *root);
opevo_status opevo_i_landscape_clblast_read(opevo_i_landscape_recording *self, const json_t *root,
                                            const char *path, const char *text, const char *space,
                                            const char **unit, opevo_error *err);

/* ---- Tables with a description --------------------------------------------------------------- */

typedef struct opevo_i_landscape_table_facts {
    const char *name; /* borrowed from the description; NULL when it has none */
    const char *unit; /* static */
    double flop;      /* of one execution, 0 when not known */
    const char *of;   /* what was recorded, borrowed likewise */
} opevo_i_landscape_table_facts;

/* Read a table without a description into an empty recording, which borrows from it.
 *
 *   result  "UNIT:COLUMN", with ",mean" to average equal configurations; NULL is refused with a
 *           sentence on what to give
 *
 * Errors: INVALID; NOMEM. */
opevo_status opevo_i_landscape_bare_table_read(opevo_i_landscape_recording *recording,
                                               opevo_i_landscape_table *table, const char *result,
                                               const char *space,
                                               opevo_i_landscape_table_facts *facts,
                                               opevo_error *err);

/* ---- Logs of AutoTVM ------------------------------------------------------------------------ */

/* What --result says of the tables below: the mean of a configuration that was measured again. */
#define OPEVO_I_AUTOTVM_RESULT "s:time_s,mean"

/* Write the log `text`, which ends in a zero byte, as a table without a description. Errors:
 * INVALID, as path:line, for a malformed record and for records of several tasks; NOMEM. */
opevo_status opevo_i_landscape_autotvm_table(const char *path, const char *text, opevo_text *table,
                                             opevo_error *err);

bool opevo_i_landscape_is_description(const json_t *root);
/* Whether it is a search space in any form, complete or not. */
bool opevo_i_landscape_is_space(const json_t *root, const char *text, const char *path);
/* Check the columns of `table` against the description `root`, which was parsed from the file
 * `path`, and begin the recording with its parameters and constraints. Errors: INVALID. */
opevo_status opevo_i_landscape_description_begin(opevo_i_landscape_recording *recording,
                                                 const opevo_i_landscape_table *table,
                                                 const json_t *root, const char *path,
                                                 const char *space, opevo_error *err);
/* The criteria that the description names, each with its column of the table. Errors: INVALID. */
opevo_status opevo_i_landscape_description_criteria(opevo_i_landscape_recording *recording,
                                                    const opevo_i_landscape_table *table,
                                                    const json_t *root, const char *path,
                                                    opevo_error *err);
/* Read the rows of `table` as `root`, parsed from the file `description`, describes them, into an
 * empty recording, which borrows from the table. Errors: INVALID. */
opevo_status opevo_i_landscape_described_table_read(opevo_i_landscape_recording *self,
                                                    opevo_i_landscape_table *table,
                                                    const json_t *root, const char *description,
                                                    const char *space,
                                                    opevo_i_landscape_table_facts *facts,
                                                    opevo_error *err);

/* The best ok row, of several the one of the first point (recorded_summary.c). */
opevo_optimum opevo_i_landscape_rows_optimum(const opevo_i_row_store *rows);
/* Of everything that decides outcomes: space, unit of the fitness, rows, and criteria that a
 * description names (recorded_summary.c). */
uint64_t opevo_i_landscape_rows_signature(const opevo_space *space, const char *unit,
                                          const opevo_i_row_store *rows,
                                          const opevo_i_landscape_criteria *described);

/* The first line of a sealed landscape. */
#define OPEVO_I_SEALED_MAGIC "opevo sealed landscape 1\n"

/* A described recording from the bytes of both files, under a name, for evaluation only: "sealed:"
 * and the name, without an optimum, and none to the functions on the rows of recordings. Takes the
 * table, also on failure; a zero byte follows each (recorded.c). */
opevo_status opevo_i_landscape_recorded_unsealed(const char *name, char *table, size_t size,
                                                 const char *json, size_t json_size,
                                                 opevo_objective **out, opevo_error *err);

#endif
