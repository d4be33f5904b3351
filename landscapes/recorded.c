/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The objective that replays recorded outcomes. The whole file is read and checked when it is
 * opened, so that no run meets a bad row half way. Nothing changes after open, hence any number of
 * threads may evaluate. */

#include "objective_files_internal.h"
#include "recorded_internal.h"

#include <opevo/memory.h>
#include <opevo/sealed.h>
#include <opevo/tvm_log.h>
#include <opevo/unit.h>

#include <math.h>
#include <string.h>
#include <unistd.h>

typedef struct recorded {
    opevo_objective super;
    opevo_space *space;
    char *name;
    opevo_i_row_store *rows;
    opevo_optimum optimum;
    size_t ignored;
    opevo_i_landscape_criteria criteria;
    char *inferred; /* of a bare table; NULL: nothing was */
    char *of;       /* what was recorded; NULL: not known */
    opevo_recorded_programs programs;
} recorded;

/* ---- The objective -------------------------------------------------------------------------- */

static opevo_status evaluate(opevo_objective *objective, const opevo_index *points, size_t count,
                             opevo_outcome *outcomes, opevo_error *err)
{
    const recorded *self = (const recorded *)objective;

    (void)err;
    for (size_t i = 0; i < count; i++) {
        size_t number = opevo_i_row_store_find(self->rows, points[i]);
        opevo_i_landscape_row row = {.kind = OPEVO_OUTCOME_UNRECORDED};

        if (number != SIZE_MAX)
            row = opevo_i_row_store_get(self->rows, number);
        outcomes[i] = opevo_outcome_failed(row.kind);
        if (number == SIZE_MAX)
            continue;
        outcomes[i].fitness = row.fitness;
        outcomes[i].time_s = row.time_s;
        outcomes[i].build_s = row.build_s;
        outcomes[i].run_s = row.run_s;
        outcomes[i].check_s = row.check_s;
        outcomes[i].other_s = row.other_s;
        memcpy(outcomes[i].more, row.more, sizeof row.more);
    }
    return OPEVO_OK;
}

static opevo_status optimum(opevo_objective *objective, opevo_optimum *out, opevo_error *err)
{
    (void)err;
    *out = ((const recorded *)objective)->optimum;
    return OPEVO_OK;
}

static void destroy(opevo_objective *objective)
{
    recorded *self = (recorded *)objective;

    opevo_space_destroy(self->space);
    opevo_free(self->name);
    opevo_free(self->inferred);
    opevo_free(self->of);
    if (self->programs.release)
        self->programs.release(self->programs.owner);
    opevo_i_row_store_destroy(self->rows);
    opevo_i_landscape_criteria_clear(&self->criteria);
    opevo_i_landscape_files_free(objective->files);
    opevo_free(self);
}

static const opevo_objective_ops recorded_ops = {
    .kind = "recorded", .evaluate = evaluate, .optimum = optimum, .destroy = destroy};

/* Without optimum, and other than what the functions on rows know. */
static const opevo_objective_ops sealed_ops = {
    .kind = "sealed", .evaluate = evaluate, .destroy = destroy};

size_t opevo_recorded_ignored(const opevo_objective *objective)
{
    return objective->ops == &recorded_ops ? ((const recorded *)objective)->ignored : 0;
}

size_t opevo_recorded_rows(const opevo_objective *objective)
{
    return objective->ops == &recorded_ops
               ? opevo_i_row_store_count(((const recorded *)objective)->rows)
               : 0;
}

const char *opevo_recorded_inferred(const opevo_objective *objective)
{
    return objective->ops == &recorded_ops ? ((const recorded *)objective)->inferred : NULL;
}

opevo_index opevo_recorded_point(const opevo_objective *objective, size_t row)
{
    return opevo_i_row_store_point(((const recorded *)objective)->rows, row);
}

/* ---- From a recording ----------------------------------------------------------------------- */

static uint64_t signature(const recorded *self)
{
    return opevo_i_landscape_rows_signature(self->space, self->super.unit, self->rows,
                                            &self->criteria);
}

const char *opevo_recorded_of(const opevo_objective *objective)
{
    return objective->ops == &recorded_ops ? ((const recorded *)objective)->of : NULL;
}

void opevo_recorded_use_programs(opevo_objective *objective,
                                 const opevo_recorded_programs *programs)
{
    ((recorded *)objective)->programs = *programs;
    objective->features = programs->features;
    objective->trees = programs->trees;
}

opevo_status opevo_recorded_keep_rows(opevo_objective *objective, opevo_error *err)
{
    recorded *self = (recorded *)objective;
    opevo_status status = OPEVO_OK;
    opevo_index *points = NULL;
    opevo_text title = {0};
    size_t count = 0;

    if (objective->ops != &recorded_ops)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s is not a recorded landscape.", objective->name);
    count = opevo_i_row_store_count(self->rows);
    points = opevo_malloc(count, sizeof *points);
    opevo_text_printf(&title, "only-%s", self->name);
    if (!points || title.failed) {
        status = OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the rows of %s.", self->name);
        goto cleanup;
    }
    for (size_t i = 0; i < count; i++)
        points[i] = opevo_i_row_store_point(self->rows, i);
    OPEVO_TRY(opevo_space_restrict(self->space, points, count, err));
    self->super.signature = signature(self);
    opevo_free(self->name);
    self->super.name = self->name = title.data;
    title.data = NULL;
cleanup:
    opevo_free(points);
    opevo_text_free(&title);
    return status;
}

/* Take rows and space out of the recording. */
static opevo_status finish(opevo_i_landscape_recording *recording, const char *name,
                           const opevo_i_landscape_table_facts *facts, opevo_objective **out,
                           opevo_error *err)
{
    opevo_text title = {0};
    opevo_space **space =
        recording->given.space ? &recording->given.space : &recording->described.space;
    recorded *self = NULL;

    if (!opevo_i_landscape_recording_rows(recording))
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          recording->given.space
                              ? "%s: none of its %zu rows lies in the given space."
                              : "%s: its restrictions exclude all %zu rows.",
                          recording->path, recording->ignored);
    self = opevo_calloc(1, sizeof *self);
    opevo_text_printf(&title, "recorded:%s", name);
    if (!self || title.failed) {
        opevo_text_free(&title);
        opevo_free(self);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to open %s.", recording->path);
    }
    self->super = (opevo_objective){.ops = &recorded_ops,
                                    .space = *space,
                                    .name = title.data,
                                    .unit = facts->unit,
                                    .flop = facts->flop,
                                    .concurrent = true};
    self->name = title.data;
    self->space = *space;
    *space = NULL;
    self->rows = recording->rows;
    self->ignored = recording->ignored;
    self->criteria = recording->criteria;
    self->inferred = recording->inferred.data;
    recording->inferred = (opevo_text){0};
    self->of = facts->of ? opevo_strdup(facts->of) : NULL;
    self->super.criteria = self->criteria.items;
    self->super.more_count = self->criteria.count;
    recording->rows = NULL;
    recording->criteria = (opevo_i_landscape_criteria){.count = 0};
    self->optimum = opevo_i_landscape_rows_optimum(self->rows);
    self->super.signature = signature(self);
    *out = &self->super;
    return OPEVO_OK;
}

/* ---- Files ---------------------------------------------------------------------------------- */

static const char *const table_endings[] = {".csv", ".csv.xz", ".csv.gz"};
static const char *const json_endings[] = {".json", ".json.gz", ".json.xz"};
static const char *const log_endings[] = {".log", ".log.gz", ".log.xz"};
enum { ENDING_COUNT = 3 };

/* Length of the path without the ending of the list that it has; 0 when it has none. */
static size_t stem_length(const char *path, const char *const *endings)
{
    for (size_t i = 0; i < ENDING_COUNT; i++) {
        if (opevo_i_landscape_ends_with(path, endings[i]))
            return strlen(path) - strlen(endings[i]);
    }
    return 0;
}

/* The first file that exists among stem plus each ending. */
static opevo_status find_file(const char *stem, const char *const *endings, opevo_text *out,
                              opevo_error *err)
{
    for (size_t i = 0; i < ENDING_COUNT; i++) {
        opevo_text_clear(out);
        opevo_text_printf(out, "%s%s", stem, endings[i]);
        if (out->failed)
            return opevo_text_check(out, err);
        if (access(out->data, F_OK) == 0)
            return OPEVO_OK;
    }
    return OPEVO_FAIL(err, OPEVO_IO, "%s: no file %s%s, %s or %s found.", stem, stem, endings[0],
                      endings[1], endings[2]);
}

/* Files of one landscape: NAME, its JSON, and its table where that was named. */
typedef struct files {
    opevo_text stem, json, table;
} files;

/* A name without an ending is that of a landscape's JSON, or else of the file itself. */
static opevo_status find_json(const char *path, opevo_text *json, opevo_error *err)
{
    opevo_status status = find_file(path, json_endings, json, err);

    if (status != OPEVO_IO || access(path, F_OK) != 0)
        return status;
    opevo_text_clear(json);
    opevo_text_add(json, path);
    return opevo_text_check(json, err);
}

static opevo_status locate(const char *path, files *out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    size_t table_stem = stem_length(path, table_endings);
    size_t json_stem = stem_length(path, json_endings);
    size_t log_stem = stem_length(path, log_endings);

    opevo_text_add_bytes(&out->stem, path,
                         table_stem  ? table_stem
                         : json_stem ? json_stem
                         : log_stem  ? log_stem
                                     : strlen(path));
    OPEVO_TRY(opevo_text_check(&out->stem, err));
    if (table_stem) {
        opevo_text_add(&out->table, path);
        opevo_text_printf(&out->json, "%s.json", out->stem.data);
    } else if (json_stem) {
        opevo_text_add(&out->json, path);
    } else {
        OPEVO_TRY(find_json(path, &out->json, err));
    }
    OPEVO_TRY(opevo_text_check(&out->table, err));
    OPEVO_TRY(opevo_text_check(&out->json, err));
cleanup:
    return status;
}

static void clear_files(files *paths)
{
    opevo_text_free(&paths->stem);
    opevo_text_free(&paths->json);
    opevo_text_free(&paths->table);
}

/* The last part of the path without its ending. */
static const char *name_of(const files *paths)
{
    const char *stem = opevo_text_string(&paths->stem);
    const char *slash = strrchr(stem, '/');

    return slash ? slash + 1 : stem;
}

/* `text` is that of the table, and released here; NULL: it is in the file. */
static opevo_status open_table(const files *paths, const json_t *root, char *text, size_t size,
                               const char *space, opevo_objective **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_landscape_table table = {0};
    opevo_i_landscape_recording recording = {0};
    opevo_i_landscape_table_facts facts = {0};

    if (text)
        OPEVO_TRY(opevo_i_landscape_table_open(paths->table.data, text, size, &table, err));
    else
        OPEVO_TRY(opevo_i_landscape_table_open_file(paths->table.data, &table, err));
    OPEVO_TRY(opevo_i_landscape_described_table_read(&recording, &table, root, paths->json.data,
                                                     space, &facts, err));
    if (!facts.name)
        facts.name = name_of(paths);
    OPEVO_TRY(finish(&recording, facts.name, &facts, out, err));
cleanup:
    opevo_i_landscape_recording_clear(&recording);
    opevo_i_landscape_table_close(&table);
    return status;
}

/* `text` is that of the table; it is released here. */
static opevo_status open_bare(const files *paths, const char *path, const char *result, char *text,
                              size_t size, const char *space, opevo_objective **out,
                              opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_landscape_table table = {0};
    opevo_i_landscape_recording recording = {0};
    opevo_i_landscape_table_facts facts = {0};

    OPEVO_TRY(opevo_i_landscape_table_open_bare(path, text, size, &table, err));
    OPEVO_TRY(opevo_i_landscape_bare_table_read(&recording, &table, result, space, &facts, err));
    OPEVO_TRY(finish(&recording, name_of(paths), &facts, out, err));
cleanup:
    opevo_i_landscape_recording_clear(&recording);
    opevo_i_landscape_table_close(&table);
    return status;
}

/* A log of one of TVM's tuners: of AutoTVM's it is opened. */
static opevo_status open_log(const files *paths, const char *text, const char *space,
                             opevo_objective **out, opevo_error *err)
{
    const char *path = paths->json.data;
    opevo_tvm_log log = opevo_tvm_log_of(text);
    opevo_text table = {0};
    opevo_status status = OPEVO_OK;

    if (log != OPEVO_TVM_LOG_AUTOTVM)
        return OPEVO_FAIL(err, OPEVO_INVALID, "%s: %s.", path, opevo_tvm_log_advice(log));
    OPEVO_TRY(opevo_i_landscape_autotvm_table(path, text, &table, err));
    status =
        open_bare(paths, path, OPEVO_I_AUTOTVM_RESULT, table.data, table.length, space, out, err);
    table = (opevo_text){0};
cleanup:
    opevo_text_free(&table);
    return status;
}

typedef opevo_status (*results_reader)(opevo_i_landscape_recording *recording, const json_t *root,
                                       const char *path, const char *text, const char *space,
                                       const char **unit, opevo_error *err);

/* Who reads the JSON of another program; NULL: nobody. KTT and CLBlast are told from T4 first. */
static results_reader reader_of(const json_t *root)
{
    static const struct {
        bool (*is)(const json_t *root);
        results_reader read;
    } readers[] = {
        {opevo_i_landscape_is_ktt, opevo_i_landscape_ktt_read},
        {opevo_i_landscape_is_clblast, opevo_i_landscape_clblast_read},
        {opevo_i_landscape_is_t4_file, opevo_i_landscape_t4_read},
    };

    for (size_t i = 0; i < sizeof readers / sizeof *readers; i++) {
        if (readers[i].is(root))
            return readers[i].read;
    }
    return NULL;
}

/* Results in JSON that another program wrote. */
static opevo_status open_results(const files *paths, const json_t *root, const char *text,
                                 const char *space, opevo_objective **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_landscape_recording recording = {0};
    opevo_i_landscape_table_facts facts = {0};

    OPEVO_TRY(reader_of(root)(&recording, root, paths->json.data, text, space, &facts.unit, err));
    OPEVO_TRY(finish(&recording, name_of(paths), &facts, out, err));
cleanup:
    opevo_i_landscape_recording_clear(&recording);
    return status;
}

/* Kernel Tuner's cache, if the file is one. */
static opevo_status open_cache(const files *paths, const char *space, bool *is,
                               opevo_objective **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_landscape_recording recording = {0};
    opevo_i_landscape_table_facts facts = {0};

    OPEVO_TRY(opevo_i_landscape_kernel_tuner_cache_read(&recording, paths->json.data, space,
                                                        &facts.unit, is, err));
    if (*is)
        OPEVO_TRY(finish(&recording, name_of(paths), &facts, out, err));
cleanup:
    opevo_i_landscape_recording_clear(&recording);
    return status;
}

static opevo_status open_embedded(const char *space, opevo_objective **out, opevo_error *err)
{
    const opevo_i_landscape_embedded_recording *self = &opevo_i_landscape_embedded;
    opevo_status status = OPEVO_OK;
    files names = {.stem = {0}};
    json_t *root = NULL;
    char *table = NULL;
    size_t size = 0;

    OPEVO_TRY(locate(self->table_name, &names, err));
    OPEVO_TRY(
        opevo_i_landscape_json_parse(names.json.data, self->json, self->json_size, &root, err));
    OPEVO_TRY(opevo_i_landscape_text_unpack(names.table.data, self->table, self->table_size,
                                            OPEVO_I_TEXT_LIMIT, &table, &size, err));
    OPEVO_TRY(open_table(&names, root, table, size, space, out, err));
cleanup:
    json_decref(root);
    clear_files(&names);
    return status;
}

opevo_status opevo_i_landscape_recorded_unsealed(const char *name, char *table, size_t size,
                                                 const char *json, size_t json_size,
                                                 opevo_objective **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    files names = {.stem = {0}};
    opevo_text title = {0}, path = {0};
    opevo_objective *opened = NULL;
    json_t *root = NULL;

    opevo_text_printf(&path, "%s.csv", name);
    opevo_text_printf(&title, "sealed:%s", name);
    if (path.failed || title.failed)
        OPEVO_TRY(OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to open %s.", name));
    OPEVO_TRY(locate(path.data, &names, err));
    OPEVO_TRY(opevo_i_landscape_json_parse(names.json.data, json, json_size, &root, err));
    status = open_table(&names, root, table, size, NULL, &opened, err);
    table = NULL; /* which took it */
    OPEVO_TRY(status);
    opevo_free(((recorded *)opened)->name);
    opened->name = ((recorded *)opened)->name = title.data;
    title.data = NULL;
    opened->ops = &sealed_ops;
    *out = opened;
cleanup:
    json_decref(root);
    clear_files(&names);
    opevo_text_free(&title);
    opevo_text_free(&path);
    opevo_free(table);
    return status;
}

/* Say which files it was read from; on failure it is not opened. */
static opevo_status note_files(const files *paths, bool described, const char *space,
                               opevo_objective **out, opevo_error *err)
{
    const char *names[] = {opevo_text_string(&paths->table),
                           described ? opevo_text_string(&paths->json) : NULL, space};
    opevo_status status = opevo_i_landscape_files_copy(names, 3, &(*out)->files, err);

    if (status != OPEVO_OK) {
        destroy(*out);
        *out = NULL;
    }
    return status;
}

/* `result` says which column of a table without a description holds what; NULL: nothing. */
static opevo_status open_files(const char *path, const char *result, const char *space,
                               opevo_objective **out, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    files paths = {.stem = {0}};
    json_t *root = NULL;
    char *text = NULL, *table = NULL;
    size_t size = 0, table_size = 0;
    bool is_cache = false, is_described = true;
    opevo_objective *opened = NULL;

    OPEVO_TRY(locate(path, &paths, err));
    if (paths.table.length && (result || access(paths.json.data, F_OK) != 0)) {
        OPEVO_TRY(opevo_i_landscape_text_read(path, OPEVO_I_TEXT_LIMIT, &table, &table_size, err));
        is_described = false;
        status = open_bare(&paths, path, result, table, table_size, space, &opened, err);
        goto cleanup;
    }
    if (!paths.table.length)
        OPEVO_TRY(open_cache(&paths, space, &is_cache, &opened, err));
    if (is_cache)
        goto cleanup;
    OPEVO_TRY(opevo_i_landscape_text_read(paths.json.data, OPEVO_I_JSON_LIMIT, &text, &size, err));
    if (opevo_tvm_log_of(text)) {
        status = open_log(&paths, text, space, &opened, err);
        goto cleanup;
    }
    OPEVO_TRY(opevo_i_landscape_json_parse(paths.json.data, text, size, &root, err));
    if (opevo_i_landscape_is_description(root)) {
        if (!paths.table.length)
            OPEVO_TRY(find_file(paths.stem.data, table_endings, &paths.table, err));
        OPEVO_TRY(open_table(&paths, root, NULL, 0, space, &opened, err));
    } else if (!paths.table.length && reader_of(root)) {
        OPEVO_TRY(open_results(&paths, root, text, space, &opened, err));
    } else if (opevo_i_landscape_is_space(root, text, paths.json.data)) {
        status = OPEVO_FAIL(
            err, OPEVO_INVALID,
            "%s: this is not a recorded landscape but a search space: give it with --space, "
            "together with a recording or a program.",
            paths.json.data);
    } else {
        status = OPEVO_FAIL(
            err, OPEVO_INVALID,
            "%s: this is not a recorded landscape: it has neither \"format\": "
            "\"tuning-landscape 1\" nor the results of Kernel Tuner, T4, KTT, CLBlast or AutoTVM.",
            paths.json.data);
    }
cleanup:
    if (opened)
        status = note_files(&paths, is_described, space, &opened, err);
    if (opened)
        *out = opened;
    json_decref(root);
    opevo_free(text);
    clear_files(&paths);
    return status;
}

opevo_status opevo_recorded_open(const char *path, const char *space, opevo_objective **out,
                                 opevo_error *err)
{
    const char *hash = strrchr(path, '#');
    char *file = hash ? opevo_strndup(path, (size_t)(hash - path)) : NULL;
    opevo_status status = OPEVO_OK;

    if (!*path)
        return open_embedded(space, out, err);
    if (opevo_sealed_is(path)) {
        opevo_free(file);
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "%s is sealed, and opens for evaluation only: give sealed:%s to opevo tune "
            "or in a plan of opevo study.",
            path, path);
    }
    if (hash && !file)
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to read %s.", path);
    if (file && stem_length(file, table_endings))
        status = open_files(file, hash + 1, space, out, err);
    else
        status = open_files(path, NULL, space, out, err);
    opevo_free(file);
    return status;
}
