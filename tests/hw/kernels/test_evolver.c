/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Edit lists as a domain and an objective: what becomes of candidates whose workers die, hang or
 * answer nonsense, by a worker that does so on demand; and, where opevo has LLVM, the laws of the
 * domain and results that do not depend on the number of workers or on kills. */

#include "fake_evolver.h"

#include <opevo/clock.h>
#include <opevo/evolver.h>
#include <opevo/file.h>
#include <opevo/memory.h>

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- A worker that misbehaves on demand ------------------------------------------------------ */

static const char *const lists[] = {"a", "dies", "bb", "nonsense", "ccc", "dies-once", "dddd"};
enum { LISTS = sizeof lists / sizeof *lists };

/* A list that kills its workers fails and takes none of the others along; one whose worker was
 * killed once is evaluated by another. */
CHECK_TEST_WITHIN(test_deaths, setup, teardown)
{
    for (size_t workers = 1; workers <= 3; workers++) {
        opevo_evolver *evolver = NULL;
        opevo_evolved found[LISTS];
        char mark[128];

        CHECK_OK(open_fake(*state, "kernel.ll", workers, 60, &evolver, &err));
        CHECK_OK(
            opevo_evolver_evaluate(evolver, lists, LISTS, OPEVO_CASES_SEARCH, NULL, found, &err));
        for (size_t i = 0; i < LISTS; i++) {
            bool fatal = !strcmp(lists[i], "dies") || !strcmp(lists[i], "nonsense");

            assert_int_equal(found[i].kind, fatal ? OPEVO_OUTCOME_CRASHED : OPEVO_OUTCOME_OK);
            assert_string_equal(found[i].status, fatal ? "signal" : "ok");
            if (fatal)
                assert_non_null(strstr(found[i].message, "died twice"));
            else
                assert_true(found[i].cost == (double)strlen(lists[i]));
            opevo_evolved_free(&found[i]);
        }
        opevo_evolver_close(evolver);
        snprintf(mark, sizeof mark, "%s/died", ((const fixture *)*state)->folder);
        assert_int_equal(unlink(mark), 0);
    }
}

CHECK_TEST_WITHIN(test_hang, setup, teardown)
{
    static const char *const some[] = {"a", "hangs", "bb"};
    opevo_evolver *evolver = NULL;
    opevo_evolved found[3];

    CHECK_OK(open_fake(*state, "kernel.ll", 2, 3, &evolver, &err));
    CHECK_OK(opevo_evolver_evaluate(evolver, some, 3, OPEVO_CASES_FINAL, NULL, found, &err));
    assert_int_equal(found[1].kind, OPEVO_OUTCOME_TIMEOUT);
    assert_int_equal(found[2].kind, OPEVO_OUTCOME_OK);
    for (int i = 0; i < 3; i++)
        opevo_evolved_free(&found[i]);
    opevo_evolver_close(evolver);
}

/* The wait for a device that others measure on is longer than the limit, and does not count. */
CHECK_TEST_WITHIN(test_wait, setup, teardown)
{
    static const char *const waits = "waits";
    opevo_evolver *evolver = NULL;
    opevo_evolved found;

    CHECK_OK(open_fake(*state, "kernel.ll", 1, 3, &evolver, &err));
    CHECK_OK(opevo_evolver_evaluate(evolver, &waits, 1, OPEVO_CASES_SEARCH, NULL, &found, &err));
    assert_int_equal(found.kind, OPEVO_OUTCOME_OK);
    assert_true(found.cost == strlen(waits));
    opevo_evolved_free(&found);
    opevo_evolver_close(evolver);
}

CHECK_TEST_WITHIN(test_nonsense, setup, teardown)
{
    static const char *const some[] = {"unclassed"};
    opevo_evolver *evolver = NULL;
    opevo_evolved found[1] = {{.status = NULL}};

    CHECK_OK(open_fake(*state, "kernel.ll", 1, 60, &evolver, &err));
    CHECK_FAILS(OPEVO_FAULT, "has no class",
                opevo_evolver_evaluate(evolver, some, 1, OPEVO_CASES_SEARCH, NULL, found, &err));
    opevo_evolver_close(evolver);
    evolver = NULL;
    CHECK_FAILS(OPEVO_INVALID, "The kernel is refused.",
                open_fake(*state, "refused.ll", 1, 60, &evolver, &err));
    assert_null(evolver);
}

/* A list that no worker survives is not a candidate. */
CHECK_TEST_WITHIN(test_parse, setup, teardown)
{
    opevo_evolver *evolver = NULL;
    opevo_domain *domain = NULL;
    opevo_text text = {0};
    opevo_index candidate = 0, again = 0;

    CHECK_OK(open_fake(*state, "kernel.ll", 1, 60, &evolver, &err));
    domain = opevo_evolver_objective(evolver)->domain;
    CHECK_OK(opevo_domain_parse(domain, "a", &candidate, &err));
    assert_true(opevo_domain_print(domain, candidate, &text));
    assert_string_equal(opevo_text_string(&text), "a");
    CHECK_OK(opevo_domain_parse(domain, "a", &again, &err));
    assert_true(candidate == again);
    assert_false(opevo_domain_print(domain, candidate + 1, &text));
    CHECK_FAILS(OPEVO_INVALID, "end the worker", opevo_domain_parse(domain, "dies", &again, &err));
    opevo_text_free(&text);
    opevo_evolver_close(evolver);
}

/* What a worker does not read in time is said to be so. */
CHECK_TEST_WITHIN(test_parse_overdue, setup, teardown)
{
    opevo_evolver *evolver = NULL;
    opevo_index candidate = 0;

    CHECK_OK(open_fake(*state, "kernel.ll", 1, 1, &evolver, &err));
    CHECK_FAILS(
        OPEVO_INVALID, "not read within the limit of time",
        opevo_domain_parse(opevo_evolver_objective(evolver)->domain, "hangs", &candidate, &err));
    opevo_evolver_close(evolver);
}

/* Bytes that no message can carry are refused with what has them. */
CHECK_TEST_WITHIN(test_bytes, setup, teardown)
{
    opevo_evolver *evolver = NULL;
    opevo_text out = {0};

    CHECK_FAILS(OPEVO_INVALID, "The path of the kernel is not UTF-8",
                open_fake(*state, "kernel\xff.ll", 1, 60, &evolver, &err));
    assert_null(evolver);
    CHECK_OK(open_fake(*state, "kernel.ll", 1, 60, &evolver, &err));
    CHECK_FAILS(OPEVO_INVALID, "The list is not UTF-8",
                opevo_evolver_canonical(evolver, "delete \xff", &out, &err));
    CHECK_FAILS(OPEVO_INVALID, "The form is not UTF-8",
                opevo_evolver_emit(evolver, "a", "\xff", NULL, &out, &err));
    CHECK_FAILS(OPEVO_INVALID, "The machine is not UTF-8",
                opevo_evolver_emit(evolver, "a", "ptx", "\xff", &out, &err));
    opevo_text_free(&out);
    opevo_evolver_close(evolver);
}

/* ---- The real worker ------------------------------------------------------------------------- */

#ifdef OPEVO_TEST_EVOLVER

static opevo_evolver *open_planted(const char *on, size_t workers)
{
    const opevo_evolver_options options = {.command = OPEVO_TEST_EVOLVER,
                                           .kernel = OPEVO_TEST_KERNELS "/planted.ll",
                                           .harness = OPEVO_TEST_KERNELS "/planted.json",
                                           .on = on,
                                           .worker_count = workers};
    opevo_evolver *evolver = NULL;

    CHECK_OK(opevo_evolver_open(&options, &evolver, &err));
    return evolver;
}

enum { DRAWN = 60 };

/* Candidates by samples, mutations and crossings of what came before. */
static void draw(opevo_domain *domain, opevo_index *out)
{
    opevo_rng rng;

    opevo_rng_init(&rng, 7, "test", 0);
    for (int i = 0; i < DRAWN; i++) {
        int kind = i < 3 ? 0 : i % 3;
        opevo_index a = i ? out[opevo_rng_below(&rng, (uint64_t)i)] : 0;
        opevo_index b = i ? out[opevo_rng_below(&rng, (uint64_t)i)] : 0;

        if (kind == 0)
            CHECK_OK(opevo_domain_sample(domain, &rng, &out[i], &err));
        else if (kind == 1)
            CHECK_OK(opevo_domain_mutate(domain, a, .5, &rng, &out[i], &err));
        else
            CHECK_OK(opevo_domain_cross(domain, a, b, &rng, &out[i], &err));
    }
}

static char *text_of(opevo_domain *domain, opevo_index candidate)
{
    opevo_text text = {0};

    assert_true(opevo_domain_print(domain, candidate, &text));
    return text.data;
}

CHECK_TEST(test_laws)
{
    opevo_evolver *one = open_planted("simt", 1), *three = open_planted("simt", 3);
    opevo_domain *domain = opevo_evolver_objective(one)->domain;
    opevo_domain *other = opevo_evolver_objective(three)->domain;
    opevo_index first[DRAWN], again[DRAWN];

    assert_true(domain->signature == other->signature);
    draw(domain, first);
    draw(other, again);
    for (int i = 0; i < DRAWN; i++) {
        char *text = text_of(domain, first[i]);
        opevo_index read = 0;
        opevo_text canonical = {0};

        assert_true(first[i] == again[i]);
        CHECK_OK(opevo_domain_parse(other, text, &read, &err));
        assert_true(read == first[i]);
        CHECK_OK(opevo_evolver_canonical(one, text, &canonical, &err));
        assert_string_equal(opevo_text_string(&canonical), text);
        opevo_text_free(&canonical);
        opevo_free(text);
    }
    opevo_evolver_close(one);
    opevo_evolver_close(three);
}

/* Kills a worker now and then: one that never lives until it has loaded is given up. */
typedef struct killing {
    pthread_t thread;
    atomic_bool stop;
    int kills;
    useconds_t pause_us;
} killing;

/* The newest child of this process that is a worker; 0: none. */
static pid_t find_worker(void)
{
    DIR *folder = opendir("/proc");
    pid_t found = 0;

    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        char path[300], line[512] = "", name[64] = "";
        FILE *file = NULL;
        int parent = 0;

        snprintf(path, sizeof path, "/proc/%s/stat", entry->d_name);
        if (strtol(entry->d_name, NULL, 10) <= 0 || !(file = fopen(path, "r")))
            continue;
        if (fgets(line, sizeof line, file) &&
            /* NOLINTNEXTLINE(cert-err34-c): of the system */
            sscanf(line, "%*d (%63[^)]) %*c %d", name, &parent) == 2 && parent == getpid() &&
            !strncmp(name, "opevo-evolver", 13))
            found = (pid_t)strtol(entry->d_name, NULL, 10);
        fclose(file);
    }
    if (folder)
        closedir(folder);
    return found;
}

static void *kill_workers(void *context)
{
    killing *self = context;

    while (!atomic_load(&self->stop)) {
        pid_t worker = self->kills < 8 ? find_worker() : 0;

        usleep(self->pause_us);
        if (worker > 0 && kill(worker, SIGKILL) == 0)
            self->kills++;
    }
    return NULL;
}

/* A list whose worker is killed twice counts as fatal, so at most some of these may; all others are
 * as without kills. */
CHECK_TEST(test_kills)
{
    opevo_evolver *evolver = open_planted("simt", 2);
    opevo_domain *domain = opevo_evolver_objective(evolver)->domain;
    opevo_index drawn[DRAWN];
    char *texts[DRAWN];
    opevo_evolved calm[DRAWN], troubled[DRAWN];
    killing killer = {.kills = 0, .pause_us = 20000};
    double begun_s = 0, load_s = 0;
    int lost = 0;

    draw(domain, drawn);
    for (int i = 0; i < DRAWN; i++)
        texts[i] = text_of(domain, drawn[i]);
    CHECK_OK(opevo_evolver_evaluate(evolver, (const char *const *)texts, DRAWN, OPEVO_CASES_SEARCH,
                                    NULL, calm, &err));
    opevo_evolver_close(evolver);
    begun_s = opevo_clock_monotonic_s();
    evolver = open_planted("simt", 2);
    load_s = opevo_clock_monotonic_s() - begun_s;
    if (2e6 * load_s > killer.pause_us) /* on a busy machine */
        killer.pause_us = (useconds_t)(2e6 * load_s);
    atomic_init(&killer.stop, false);
    assert_int_equal(pthread_create(&killer.thread, NULL, kill_workers, &killer), 0);
    CHECK_OK(opevo_evolver_evaluate(evolver, (const char *const *)texts, DRAWN, OPEVO_CASES_SEARCH,
                                    NULL, troubled, &err));
    atomic_store(&killer.stop, true);
    pthread_join(killer.thread, NULL);
    for (int i = 0; i < DRAWN; i++) {
        if (!strcmp(troubled[i].status, "signal") && strcmp(calm[i].status, "signal") != 0) {
            lost++;
        } else {
            assert_string_equal(troubled[i].status, calm[i].status);
            assert_string_equal(troubled[i].hash, calm[i].hash);
            assert_true(troubled[i].cost == calm[i].cost || isnan(calm[i].cost));
        }
        opevo_evolved_free(&calm[i]);
        opevo_evolved_free(&troubled[i]);
        opevo_free(texts[i]);
    }
    assert_true(2 * lost <= killer.kills);
    opevo_evolver_close(evolver);
}

/* Lists that give the same machine code are measured once. */
CHECK_TEST(test_objects)
{
    static const char *const dead[] = {"copy U5 U9", "copy U6 U9", "none"};
    opevo_evolver *evolver = open_planted("cpu", 1);
    opevo_evolved found[3];

    CHECK_OK(opevo_evolver_evaluate(evolver, dead, 3, OPEVO_CASES_SELECTION, NULL, found, &err));
    for (int i = 0; i < 3; i++) {
        assert_int_equal(found[i].kind, OPEVO_OUTCOME_OK);
        assert_true(found[i].cost == found[0].cost);
        assert_true(i == 0 || strcmp(found[i].hash, found[0].hash) != 0);
        assert_int_equal(found[i].known, i ? OPEVO_KNOWN_OBJECT : OPEVO_KNOWN_NOT);
    }
    for (int i = 0; i < 3; i++)
        opevo_evolved_free(&found[i]);
    opevo_evolver_close(evolver);
}

/* Lists that give the same module are run once. */
CHECK_TEST(test_modules)
{
    static const char *const twice[] = {"delete U66", "delete U66; delete U66"};
    opevo_evolver *evolver = open_planted("simt", 1);
    opevo_evolved found[2];

    CHECK_OK(opevo_evolver_evaluate(evolver, twice, 2, OPEVO_CASES_SEARCH, NULL, found, &err));
    assert_string_equal(found[0].hash, found[1].hash);
    assert_true(found[0].cost == found[1].cost && found[0].error == found[1].error);
    assert_int_equal(found[0].known, OPEVO_KNOWN_NOT);
    assert_int_equal(found[1].known, OPEVO_KNOWN_MODULE);
    opevo_evolved_free(&found[0]);
    opevo_evolved_free(&found[1]);
    opevo_evolver_close(evolver);
}

/* Files that are not modules, or hardly: each is refused with its name, or loaded. None ends this
 * process, and the worker's end is an error. */
CHECK_TEST_WITHIN(test_hostile_modules, setup, teardown)
{
    const fixture *self = *state;
    char path[128], *base = NULL;
    size_t size = 0;

    snprintf(path, sizeof path, "%s/hostile.ll", self->folder);
    CHECK_OK(opevo_file_read(OPEVO_TEST_KERNELS "/planted.ll", 1 << 20, &base, &size, &err));
    for (size_t i = 0; i < 40; i++) {
        const opevo_evolver_options options = {.command = OPEVO_TEST_EVOLVER, .kernel = path};
        opevo_evolver *evolver = NULL;
        opevo_error err = {OPEVO_OK, ""};
        opevo_error writing = {OPEVO_OK, ""};
        char *at = base + i * size / 40, kept = *at;
        opevo_status status;

        *at = (char)(i % 2 ? '}' : '\0');
        assert_int_equal(opevo_file_write(path, base, i % 3 ? size : (size_t)(at - base), &writing),
                         OPEVO_OK);
        *at = kept;
        status = opevo_evolver_open(&options, &evolver, &err);
        assert_true((status == OPEVO_OK) == (evolver != NULL));
        assert_true(status == OPEVO_OK || strlen(err.message) > 10);
        opevo_evolver_close(evolver);
    }
    opevo_free(base);
}

/* A process with a socket for its input, and if `hear` for its output. */
static pid_t start_worker(char *const *words, bool hear, int *end)
{
    posix_spawn_file_actions_t actions;
    pid_t worker = 0;
    int ends[2];

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 0);
    if (hear)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    assert_int_equal(posix_spawnp(&worker, words[0], &actions, NULL, words, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    *end = ends[0];
    return worker;
}

static void read_line(int from, char *out, size_t size)
{
    size_t length = 0;

    while (length + 1 < size && read(from, &out[length], 1) == 1 && out[length] != '\n')
        length++;
    out[length] = '\0';
}

/* A worker runs nothing on a GPU while others measure there, and says that it waits. The stand-in
 * for the driver does not know the kernel, which comes after the wait. */
CHECK_TEST_WITHIN(test_turn, setup, teardown)
{
    static const char load[] = "{\"do\": \"load\", \"kernel\": \"" OPEVO_TEST_KERNELS
                               "/planted.ll\", \"harness\": \"" OPEVO_TEST_KERNELS
                               "/planted.json\", \"on\": \"cuda:0\", \"settings\": []}\n";
    const fixture *self = *state;
    struct flock range = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    char cache[128], path[256], line[1024];
    char *const words[] = {(char[]){"env"}, cache, (char[]){"LD_LIBRARY_PATH=" OPEVO_FAKE_GPU},
                           (char[]){OPEVO_TEST_EVOLVER}, NULL};
    int file = -1, end = -1, way = 0;
    pid_t worker = 0;

    snprintf(cache, sizeof cache, "XDG_CACHE_HOME=%s", self->folder);
    snprintf(path, sizeof path, "%s/opevo", self->folder);
    assert_int_equal(mkdir(path, 0700), 0);
    strcat(path, "/kernels");
    assert_int_equal(mkdir(path, 0700), 0);
    strcat(path, "/turn.cuda-0000:10:00.0"); /* what a worker of `opevo tune` locks */
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(fcntl(file, F_SETLK, &range), 0);
    worker = start_worker(words, true, &end);
    assert_int_equal(write(end, load, sizeof load - 1), sizeof load - 1);
    read_line(end, line, sizeof line);
    assert_string_equal(line, "{\"waits\": true}");
    close(file);
    read_line(end, line, sizeof line);
    assert_string_equal(line, "{\"waits\": false}");
    read_line(end, line, sizeof line);
    assert_non_null(strstr(line, "\"error\""));
    close(end);
    assert_int_equal(waitpid(worker, &way, 0), worker);
}

/* A worker does not outlive who asks, though the kernel runs for hours. */
CHECK_TEST_WITHIN(test_abandoned, setup, teardown)
{
    const fixture *self = *state;
    char path[128];
    static const char harness[] =
        "{\"buffers\": {\"a\": {\"type\": \"f32\", \"count\": \"n * n\"}, \"b\": {\"type\": "
        "\"f32\", \"count\": \"n * n\"}, \"c\": {\"type\": \"f32\", \"count\": \"n * n\"}}, "
        "\"steps\": [{\"launch\": \"planted\", \"grid\": [\"n / 8\", \"n / 8\"], \"block\": [8, "
        "8], "
        "\"arguments\": [\"a\", \"b\", \"c\", {\"i32\": \"n\"}, {\"i32\": 1}]}], \"outputs\": "
        "{\"c\": \"exact\"}, \"sets\": {\"search\": [{\"sizes\": [{\"n\": 4096}], \"seeds\": "
        "[1]}], "
        "\"selection\": [{\"sizes\": [{\"n\": 8}], \"seeds\": [2]}], "
        "\"final\": [{\"sizes\": [{\"n\": 16}], \"seeds\": [3]}]}}";
    char *const words[] = {(char[]){OPEVO_TEST_EVOLVER}, NULL};
    char line[1024];
    int way = 0, end = 0;
    pid_t worker = 0;

    snprintf(path, sizeof path, "%s/hours.json", self->folder);
    CHECK_OK(opevo_file_write(path, harness, strlen(harness), &err));
    snprintf(line, sizeof line,
             "{\"do\": \"load\", \"kernel\": \"" OPEVO_TEST_KERNELS
             "/planted.ll\", \"harness\": \"%s\", \"on\": \"simt\", \"settings\": []}\n",
             path);
    worker = start_worker(words, false, &end);
    assert_int_equal(write(end, line, strlen(line)), strlen(line));
    close(end);
    alarm(120); /* the worker is waited for no longer; the signal ends the test */
    assert_int_equal(waitpid(worker, &way, 0), worker);
    alarm(0);
    assert_true(WIFEXITED(way));
}

#endif
