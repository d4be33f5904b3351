/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which share this process does: what the user says, or what the launcher of a cluster put into the
 * environment. */

#include "launcher_internal.h"
#include "shard_internal.h"

#include <opevo/memory.h>
#include <opevo/text.h>

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static opevo_status parse(const char *text, opevo_shard *out, opevo_error *err)
{
    const char *slash = strchr(text, '/');
    char index[24] = "";
    uint64_t i = 0;
    uint64_t n = 0;

    if (slash && slash - text < (ptrdiff_t)sizeof index)
        memcpy(index, text, (size_t)(slash - text));
    if (!slash || !opevo_parse_u64(index, &i) || !opevo_parse_u64(slash + 1, &n) || i < 1 ||
        i > n || n > OPEVO_I_SHARDS_MAX)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--shard %s: give I/N with I from 1 to N, such as 1/4, N at most %d.",
                          text, (int)OPEVO_I_SHARDS_MAX);
    *out = (opevo_shard){(uint32_t)i - 1, (uint32_t)n};
    return OPEVO_OK;
}

/* The place of this task in a job array of Slurm. */
static opevo_status read_array(uint64_t *index, uint64_t *count, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    uint64_t id = 0;
    uint64_t min = 0;
    uint64_t max = 0;
    uint64_t step = 1;

    *index = 0;
    *count = 1;
    if (!getenv("SLURM_ARRAY_TASK_ID"))
        return OPEVO_OK;
    OPEVO_TRY(opevo_i_cli_launcher_number("SLURM_ARRAY_TASK_ID", 0, &id, err));
    OPEVO_TRY(opevo_i_cli_launcher_number("SLURM_ARRAY_TASK_MIN", 0, &min, err));
    OPEVO_TRY(opevo_i_cli_launcher_number("SLURM_ARRAY_TASK_MAX", 0, &max, err));
    OPEVO_TRY(opevo_i_cli_launcher_number("SLURM_ARRAY_TASK_STEP", 1, &step, err));
    OPEVO_TRY(opevo_i_cli_launcher_number("SLURM_ARRAY_TASK_COUNT", 1, count, err));
    if (*count == 0 || step != 1 || min > 1 || id < min || id > max || max - min + 1 != *count)
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "the tasks of this job array are not numbered from 0 or 1 on without gaps, "
            "so that the number of shares is not known: use --array=1-N, or give --shards N where "
            "they are some of the tasks 1 to N.");
    *index = id - min;
cleanup:
    return status;
}

/* The share of a task of an array, or of a rank, where the number of shares is stated: tasks are
 * numbered from 1, whichever of them there are now. */
static opevo_status place(uint64_t shares, uint64_t rank, uint64_t ranks, opevo_shard *out,
                          opevo_error *err)
{
    uint64_t tasks = shares / ranks;
    opevo_status status = OPEVO_OK;
    uint64_t id = 1;

    OPEVO_TRY(opevo_i_cli_launcher_number("SLURM_ARRAY_TASK_ID", 1, &id, err));
    if (!getenv("SLURM_ARRAY_TASK_ID") && ranks == 1)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--shards %llu: neither Slurm nor mpirun says which of them is this one: "
                          "give --shard I/%llu.",
                          (unsigned long long)shares, (unsigned long long)shares);
    if (tasks * ranks != shares || (tasks > 1 && !getenv("SLURM_ARRAY_TASK_ID")))
        return OPEVO_FAIL(err, OPEVO_INVALID, "--shards %llu: there are %llu ranks.",
                          (unsigned long long)shares, (unsigned long long)ranks);
    if (id < 1 || id > tasks)
        return OPEVO_FAIL(
            err, OPEVO_INVALID, "--shards %llu: the task %llu of the array is not in 1 to %llu.",
            (unsigned long long)shares, (unsigned long long)id, (unsigned long long)tasks);
    *out = (opevo_shard){(uint32_t)((id - 1) * ranks + rank), (uint32_t)shares};
cleanup:
    return status;
}

static void print_by(uint64_t task, uint64_t tasks, const char *launcher, uint64_t rank,
                     uint64_t ranks, opevo_text *by)
{
    if (tasks > 1)
        opevo_text_printf(by, "Slurm array task %llu of %llu", (unsigned long long)task + 1,
                          (unsigned long long)tasks);
    if (ranks > 1)
        opevo_text_printf(by, "%s%s rank %llu of %llu", by->length ? ", " : "", launcher,
                          (unsigned long long)rank, (unsigned long long)ranks);
}

opevo_status opevo_i_cli_shard_of(const char *option, uint64_t shares, opevo_shard *out,
                                  opevo_text *by, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    uint64_t task = 0;
    uint64_t tasks = 1;
    uint64_t rank = 0;
    uint64_t ranks = 1;
    const char *launcher = "";

    if (option && shares)
        return OPEVO_FAIL(err, OPEVO_INVALID, "--shards: --shard %s says how many they are.",
                          option);
    if (option)
        return parse(option, out, err);
    OPEVO_TRY(opevo_i_cli_launcher_rank(&rank, &ranks, &launcher, err));
    if (shares) {
        OPEVO_TRY(place(shares, rank, ranks, out, err));
        task = out->index / ranks;
        tasks = shares / ranks;
    } else {
        OPEVO_TRY(read_array(&task, &tasks, err));
        if (tasks * ranks > OPEVO_I_SHARDS_MAX) {
            status =
                OPEVO_FAIL(err, OPEVO_INVALID, "the job has more than %d tasks: give --shard I/N.",
                           (int)OPEVO_I_SHARDS_MAX);
            goto cleanup;
        }
        *out = (opevo_shard){(uint32_t)(task * ranks + rank), (uint32_t)(tasks * ranks)};
    }
    print_by(task, tasks, launcher, rank, ranks, by);
    OPEVO_TRY(opevo_text_check(by, err));
cleanup:
    return status;
}

/* Where the ending of the file name begins. */
static size_t stem_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');

    return dot && dot != name ? (size_t)(dot - path) : strlen(path);
}

void opevo_i_cli_shard_path(const char *store, opevo_shard shard, opevo_text *out)
{
    size_t length = stem_length(store);

    opevo_text_add_bytes(out, store, length);
    if (shard.count > 1)
        opevo_text_printf(out, ".%u-of-%u", (unsigned)shard.index + 1, (unsigned)shard.count);
    opevo_text_add(out, store + length);
}

/* Skips at least one digit; NULL if the text does not begin with one. */
static const char *skip_digits(const char *at)
{
    size_t length = strspn(at, "0123456789");

    return length ? at + length : NULL;
}

/* Whether a file name is that of a share of the file; *count: one of so many. */
static bool is_share_of(const char *store, const char *name, uint64_t *count)
{
    const char *slash = strrchr(store, '/');
    const char *base = slash ? slash + 1 : store;
    size_t stem = stem_length(base);
    const char *at = NULL;
    const char *digits = NULL;

    if (strncmp(name, base, stem) != 0 || name[stem] != '.')
        return false;
    at = skip_digits(name + stem + 1);
    digits = at && !strncmp(at, "-of-", 4) ? at + 4 : NULL;
    at = digits ? skip_digits(digits) : NULL;
    *count = at ? strtoull(digits, NULL, 10) : 0;
    return at && !strcmp(at, base + stem);
}

void opevo_i_cli_paths_free(opevo_i_cli_paths *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        opevo_free(paths->items[i]);
    opevo_free(paths->items);
    *paths = (opevo_i_cli_paths){NULL, 0};
}

static opevo_status add_path(opevo_i_cli_paths *self, const char *folder, size_t length,
                             const char *name, opevo_error *err)
{
    char **grown = opevo_realloc(self->items, self->count + 1, sizeof *grown);
    opevo_text path = {0};

    if (grown) {
        self->items = grown;
        opevo_text_add_bytes(&path, folder, length);
        opevo_text_add(&path, name);
    }
    if (!grown || path.failed) {
        opevo_text_free(&path);
        return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the names of shares.");
    }
    self->items[self->count++] = path.data;
    return OPEVO_OK;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

opevo_status opevo_i_cli_shards_find(const char *file, opevo_i_cli_paths *out, opevo_error *err)
{
    const char *slash = strrchr(file, '/');
    size_t length = slash ? (size_t)(slash + 1 - file) : 0;
    char *folder = length ? opevo_strndup(file, length) : opevo_strdup(".");
    DIR *listing = folder ? opendir(folder) : NULL;
    struct dirent *entry = NULL;
    uint64_t shares = 0;
    opevo_status status = OPEVO_OK;

    if (!listing)
        status = folder ? OPEVO_FAIL(err, OPEVO_IO, "%s: %s.", folder, strerror(errno))
                        : OPEVO_FAIL(err, OPEVO_NOMEM, "No memory for the names of shares.");
    while (status == OPEVO_OK && (entry = readdir(listing)) != NULL) {
        if (is_share_of(file, entry->d_name, &shares))
            status = add_path(out, file, length, entry->d_name, err);
    }
    if (listing)
        closedir(listing);
    opevo_free(folder);
    if (out->items)
        qsort(out->items, out->count, sizeof(char *), compare_paths);
    return status;
}

opevo_status opevo_i_cli_shards_check(const char *file, opevo_shard shard, opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    opevo_i_cli_paths found = {NULL, 0};

    opevo_i_cli_shards_find(file, &found, NULL); /* what cannot be listed will be refused later */
    for (size_t i = 0; i < found.count && status == OPEVO_OK; i++) {
        const char *slash = strrchr(found.items[i], '/');
        uint64_t shares = 0;

        if (is_share_of(file, slash ? slash + 1 : found.items[i], &shares) && shares != shard.count)
            status = OPEVO_FAIL(err, OPEVO_INVALID,
                                "%s is one of %llu shares, and this would be one of %u: give "
                                "--shards %llu, or merge the shares and remove them.",
                                found.items[i], (unsigned long long)shares, (unsigned)shard.count,
                                (unsigned long long)shares);
    }
    opevo_i_cli_paths_free(&found);
    return status;
}
