/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The trials of `opevo serve` are those of `opevo tune` with the same space, tuner, settings, seed
 * and outcomes, however a client cuts and orders asks and tells, and however often the server is
 * killed. */

#include "serve_client.h"

#include <opevo/random.h>
#include <opevo/run.h>
#include <opevo/tuners.h>

#include "evo/scratch_folder.h"

enum { MOST = 128, REQUEST_MOST = 1 << 18 };

typedef struct setup {
    scratch_folder scratch;
    opevo_space *space;
    char create[REQUEST_MOST];
    opevo_trial trials[MOST]; /* of tune */
    size_t count;
} setup;

typedef struct contender {
    const char *on;                         /* what tune runs on, with all options */
    const char *told;                       /* "gflops", "score" */
    const char *tuner, *settings, *options; /* in the words of tune and of create */
    const char *more;                       /* members of create */
    size_t trials;
    bool has_error; /* the criterion that is told */
} contender;

#define RECORDED "--on recorded:"
#define PROGRAM                                                                                    \
    "--on 'cmd:sh bench.sh {a} {b}' --space space.json --result score:json:s "                     \
    "--criterion error:json:e --criteria fitness,error"
#define BENCH "echo \"{\\\"s\\\": $1, \\\"e\\\": $2}\"\n"
#define PROGRAM_SPACE                                                                              \
    "{\"a\": {\"_type\": \"discrete\", \"_value\": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}, \"b\":"       \
    " {\"_type\": \"discrete\", \"_value\": [1, 2, 3, 4, 5, 6]}}"

static const contender contenders[] = {
    {RECORDED, "gflops", "random", "{}", "", "", 100, false},
    {RECORDED, "gflops", "opevo", "{\"q\":0.8}", "--set q=0.8", "", 100, false},
    {RECORDED, "gflops", "qgp", "{}", "", "", 40, false},
    {RECORDED, "gflops", "autotvm", "{\"plan\":16,\"chains\":\"16\"}",
     "--set plan=16 --set chains=16", "", 60, false},
    {PROGRAM, "score", "nsga2", "{\"population\":8}", "--set population=8",
     ",\"criterion\":\"error\",\"criteria\":\"fitness,error\"", 40, true},
};

static void write_file(const setup *self, const char *name, const char *text)
{
    char path[128];
    FILE *file = NULL;

    snprintf(path, sizeof path, "%s/%s", self->scratch.path, name);
    file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Run tune, and read its trials and its space from the store. */
static void tune(setup *self, const contender *of)
{
    char command[1024];
    opevo_store *store = NULL;

    write_file(self, "space.json", PROGRAM_SPACE);
    write_file(self, "bench.sh", BENCH);
    snprintf(command, sizeof command,
             "cd %s && '%s' tune %s --tuner %s %s --seed 3 --trials %zu --store tune.db --quiet "
             ">/dev/null",
             self->scratch.path, OPEVO_PATH, of->on, of->tuner, of->options, of->trials);
    assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): the words are ours */
    snprintf(command, sizeof command, "%s/tune.db", self->scratch.path);
    CHECK_OK(opevo_store_open(command, OPEVO_STORE_READ, &store, &err));
    CHECK_OK(opevo_store_space(store, 1, &self->space, &err));
    CHECK_OK(opevo_store_read(store, 1, 0, self->trials, MOST, &self->count, &err));
    for (size_t i = 0; i < self->count; i++)
        self->trials[i].proposal.origin = NULL; /* goes with the store */
    assert_int_equal(self->count, of->trials);
    opevo_store_close(store);
}

static void set_up(setup *self, const contender *of)
{
    opevo_text space = {0};

    *self = (setup){.scratch = scratch_make()};
    tune(self, of);
    opevo_space_write_json(self->space, &space);
    for (size_t i = 0; i < space.length; i++)
        space.data[i] = space.data[i] == '\n' ? ' ' : space.data[i];
    assert_true(space.length < REQUEST_MOST / 2);
    snprintf(self->create, sizeof self->create,
             "{\"op\":\"create\",\"seed\":3,\"tuner\":\"%s\",\"settings\":%s,\"result\":\"%s\","
             "\"store\":\"%s\",\"space\":%s%s}",
             of->tuner, of->settings, of->told, self->scratch.file, opevo_text_string(&space),
             of->more);
    opevo_text_free(&space);
}

/* The config that tune evaluated under this number. */
static void check_config(const setup *self, size_t number, const json_t *config)
{
    opevo_text expected = {0};
    json_t *tree = NULL;

    assert_in_range(number, 1, self->count);
    opevo_space_print_json(self->space, self->trials[number - 1].proposal.point, &expected);
    tree = json_loads(opevo_text_string(&expected), 0, NULL);
    assert_non_null(tree);
    assert_true(json_equal(tree, config));
    json_decref(tree);
    opevo_text_free(&expected);
}

/* What tune found of the trial, as a client tells it. */
static void add_told(const setup *self, const contender *of, size_t number, opevo_text *out)
{
    const opevo_outcome *outcome = &self->trials[number - 1].outcome;

    opevo_text_printf(out, "{\"number\":%zu,", number);
    if (outcome->kind != OPEVO_OUTCOME_OK) {
        opevo_text_printf(out, "\"outcome\":\"%s\"}", opevo_outcome_name(outcome->kind));
        return;
    }
    opevo_text_printf(out, "\"%s\":", of->told);
    opevo_text_add_double(out, outcome->fitness);
    if (of->has_error) {
        opevo_text_add(out, ",\"criteria\":{\"error\":");
        opevo_text_add_double(out, outcome->more[0]);
        opevo_text_add(out, "}");
    }
    opevo_text_add(out, "}");
}

/* Ask for some; the numbers of those that are pending go behind those that were. */
static void ask(serve_client *client, const setup *self, size_t most, size_t *pending,
                size_t *count)
{
    char request[128];
    json_t *reply = NULL;
    json_t *trial = NULL;
    size_t i = 0;

    snprintf(request, sizeof request, "{\"op\":\"ask\",\"session\":1,\"count\":%zu}", most);
    reply = serve_done(client, request);
    json_array_foreach(json_object_get(reply, "trials"), i, trial)
    {
        pending[*count] = (size_t)json_integer_value(json_object_get(trial, "number"));
        check_config(self, pending[*count], json_object_get(trial, "config"));
        ++*count;
    }
    json_decref(reply);
}

/* Tell `told` of those pending, drawn at random; returns how many trials are complete. */
static size_t tell(serve_client *client, const setup *self, const contender *of, size_t told,
                   size_t *pending, size_t *count, opevo_rng *rng)
{
    opevo_text request = {0};
    size_t complete = 0;

    opevo_text_add(&request, "{\"op\":\"tell\",\"session\":1,\"trials\":[");
    for (size_t i = 0; i < told; i++) {
        size_t k = (size_t)opevo_rng_below(rng, *count);

        opevo_text_add(&request, i ? "," : "");
        add_told(self, of, pending[k], &request);
        pending[k] = pending[--*count];
    }
    opevo_text_add(&request, "]}");
    complete = (size_t)serve_number(client, opevo_text_string(&request), "trials");
    opevo_text_free(&request);
    return complete;
}

/* The store of the server has the trials of that of tune. */
static void check_store(const setup *self)
{
    opevo_trial trials[MOST];
    opevo_store *store = NULL;
    size_t count = 0;

    CHECK_OK(opevo_store_open(self->scratch.file, OPEVO_STORE_READ, &store, &err));
    CHECK_OK(opevo_store_read(store, 1, 0, trials, MOST, &count, &err));
    assert_int_equal(count, self->count);
    for (size_t i = 0; i < count; i++) {
        const opevo_trial *expected = &self->trials[i];

        assert_true(trials[i].proposal.point == expected->proposal.point);
        assert_int_equal(trials[i].outcome.kind, expected->outcome.kind);
        assert_true(trials[i].outcome.fitness == expected->outcome.fitness);
    }
    opevo_store_close(store);
}

/* `most`: largest number of trials of one ask; `kills`: whether the server is killed now and
 * then. */
static void serve(const setup *self, const contender *of, size_t most, bool kills, uint64_t cut)
{
    serve_client client = serve_start();
    size_t pending[MOST];
    size_t count = 0;
    size_t complete = 0;
    size_t told = 0; /* in all, also to servers before */
    opevo_rng rng;

    opevo_rng_init(&rng, cut, "cuts", 0);
    assert_int_equal(serve_number(&client, self->create, "trials"), 0);
    while (complete < self->count) {
        size_t wanted = 1 + (size_t)opevo_rng_below(&rng, most);
        size_t now = 0;

        if (wanted > self->count - told - count)
            wanted = self->count - told - count;
        if (wanted > 0)
            ask(&client, self, wanted, pending, &count);
        now = (size_t)opevo_rng_below(&rng, count + 1);
        complete = tell(&client, self, of, now, pending, &count, &rng);
        told += now;
        if (kills && opevo_rng_below(&rng, 4) == 0) {
            kill(client.pid, SIGKILL);
            assert_int_equal(serve_wait(&client), 256 + SIGKILL);
            client = serve_start();
            complete = (size_t)serve_number(&client, self->create, "trials");
            count = 0; /* they are asked again */
        }
    }
    assert_int_equal(serve_number(&client, "{\"op\":\"close\",\"session\":1}", "trials"),
                     self->count);
    assert_int_equal(serve_wait(&client), 0);
    check_store(self);
}

CHECK_TEST(test_the_trials_are_those_of_tune)
{
    for (size_t i = 0; i < sizeof contenders / sizeof *contenders; i++) {
        static setup self;

        set_up(&self, &contenders[i]);
        serve(&self, &contenders[i], 1, false, 1);
        unlink(self.scratch.file);
        serve(&self, &contenders[i], 20, false, 2);
        unlink(self.scratch.file);
        serve(&self, &contenders[i], 9, true, 3);
        scratch_remove(&self.scratch);
        opevo_space_destroy(self.space);
    }
}
