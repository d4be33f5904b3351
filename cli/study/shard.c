/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Which share of a study this process does: what the user says, or what the launcher of a cluster
 * put into the environment. */

#include "study_cli_internal.h"

#include <stdlib.h>
#include <string.h>

enum { SHARDS_MAX = 1 << 20 };

static opevo_status fail_variable(const char *name, const char *text, opevo_error *err)
{
    return OPEVO_FAIL(err, OPEVO_INVALID,
                      "%s=%s in the environment is not a number that fits: give --shard I/N.", name,
                      text);
}

/* A number from the environment, `fallback` where there is none. */
static opevo_status read_variable(const char *name, uint64_t fallback, uint64_t *out,
                                  opevo_error *err)
{
    const char *text = getenv(name);

    *out = fallback;
    if (text && (!opevo_parse_u64(text, out) || *out > UINT32_MAX))
        return fail_variable(name, text, err);
    return OPEVO_OK;
}

static opevo_status parse(const char *text, opevo_shard *out, opevo_error *err)
{
    const char *slash = strchr(text, '/');
    char index[24] = "";
    uint64_t i = 0;
    uint64_t n = 0;

    if (slash && slash - text < (ptrdiff_t)sizeof index)
        memcpy(index, text, (size_t)(slash - text));
    if (!slash || !opevo_parse_u64(index, &i) || !opevo_parse_u64(slash + 1, &n) || i < 1 ||
        i > n || n > SHARDS_MAX)
        return OPEVO_FAIL(err, OPEVO_INVALID,
                          "--shard %s: give I/N with I from 1 to N, such as 1/4, N at most %d.",
                          text, (int)SHARDS_MAX);
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
    OPEVO_TRY(read_variable("SLURM_ARRAY_TASK_ID", 0, &id, err));
    OPEVO_TRY(read_variable("SLURM_ARRAY_TASK_MIN", 0, &min, err));
    OPEVO_TRY(read_variable("SLURM_ARRAY_TASK_MAX", 0, &max, err));
    OPEVO_TRY(read_variable("SLURM_ARRAY_TASK_STEP", 1, &step, err));
    OPEVO_TRY(read_variable("SLURM_ARRAY_TASK_COUNT", 1, count, err));
    if (*count == 0 || step != 1 || min > 1 || id < min || id > max || max - min + 1 != *count)
        return OPEVO_FAIL(
            err, OPEVO_INVALID,
            "the tasks of this job array are not numbered from 0 or 1 on without gaps, "
            "so that the number of shares is not known: use --array=1-N, or give "
            "--shard I/N.");
    *index = id - min;
cleanup:
    return status;
}

/* The place of this process among those that mpirun or srun started. Where both are there, mpirun
 * was started last. A batch script itself is no step, though it is told how many tasks there could
 * be. */
static opevo_status read_rank(uint64_t *index, uint64_t *count, const char **by, opevo_error *err)
{
    static const struct {
        const char *name, *needs, *rank, *size;
    } launchers[] = {
        {"Open MPI", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
        {"Slurm step", "SLURM_STEP_ID", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
    };
    opevo_status status = OPEVO_OK;

    *index = 0;
    *count = 1;
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        if (!getenv(launchers[i].needs) || !getenv(launchers[i].rank) || !getenv(launchers[i].size))
            continue;
        OPEVO_TRY(read_variable(launchers[i].rank, 0, index, err));
        OPEVO_TRY(read_variable(launchers[i].size, 1, count, err));
        if (*index >= *count)
            return fail_variable(launchers[i].rank, getenv(launchers[i].rank), err);
        *by = launchers[i].name;
        break;
    }
cleanup:
    return status;
}

opevo_status opevo_i_shard_of(const char *option, opevo_shard *out, opevo_text *by,
                              opevo_error *err)
{
    opevo_status status = OPEVO_OK;
    uint64_t task = 0;
    uint64_t tasks = 1;
    uint64_t rank = 0;
    uint64_t ranks = 1;
    const char *launcher = "";

    if (option)
        return parse(option, out, err);
    OPEVO_TRY(read_array(&task, &tasks, err));
    OPEVO_TRY(read_rank(&rank, &ranks, &launcher, err));
    if (tasks * ranks > SHARDS_MAX) {
        status = OPEVO_FAIL(err, OPEVO_INVALID, "the job has more than %d tasks: give --shard I/N.",
                            (int)SHARDS_MAX);
        goto cleanup;
    }
    *out = (opevo_shard){(uint32_t)(task * ranks + rank), (uint32_t)(tasks * ranks)};
    if (tasks > 1)
        opevo_text_printf(by, "Slurm array task %llu of %llu", (unsigned long long)task + 1,
                          (unsigned long long)tasks);
    if (ranks > 1)
        opevo_text_printf(by, "%s%s rank %llu of %llu", by->length ? ", " : "", launcher,
                          (unsigned long long)rank, (unsigned long long)ranks);
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

void opevo_i_shard_path(const char *store, opevo_shard shard, opevo_text *out)
{
    size_t length = stem_length(store);

    opevo_text_add_bytes(out, store, length);
    if (shard.count > 1)
        opevo_text_printf(out, ".%u-of-%u", (unsigned)shard.index + 1, (unsigned)shard.count);
    opevo_text_add(out, store + length);
}

/* Behind the digits, at least one, that stand here; NULL where there are none. */
static const char *skip_digits(const char *at)
{
    size_t length = strspn(at, "0123456789");

    return length ? at + length : NULL;
}

bool opevo_i_shard_is(const char *store, const char *name, uint64_t *count)
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
