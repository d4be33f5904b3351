/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The runs of a store while it is written: a table that is drawn anew on a terminal, lines of what
 * has changed elsewhere. */

#include "runs_internal.h"

#include "reasons_internal.h"
#include "style_internal.h"
#include "terminal_internal.h"

#include <opevo/clock.h>
#include <opevo/memory.h>
#include <opevo/unit.h>
#include <opevo/watched_store.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { MOST_LINES = 20, LEAST_HEIGHT = 12, OTHER_LINES = 10, WAIT_MS = 100 };

static const double look_s = 0.05, draw_s = 0.5, line_s = 1;

/* What was said of a run. */
typedef struct said {
    int64_t run;
    uint64_t trials;
    bool ended;
} said;

typedef struct follower {
    opevo_watched_store *store;
    int64_t run; /* the only one that is wanted; 0: all */
    bool terminal;
    unsigned drawn; /* lines that stand on the terminal */
    said *said;
    size_t said_count, said_capacity;
    uint64_t version; /* of what was said */
} follower;

static bool is_wanted(const follower *self, const opevo_watched_run *run)
{
    return run->described && !run->planned && (!self->run || run->run == self->run);
}

/* ---- Words ---------------------------------------------------------------------------------- */

static void add_time(double seconds, opevo_text *out)
{
    if (!isfinite(seconds))
        opevo_text_add(out, "unknown");
    else if (seconds < 120)
        opevo_text_printf(out, "%.0f s", seconds);
    else if (seconds < 7200)
        opevo_text_printf(out, "%.0f min", seconds / 60);
    else
        opevo_text_printf(out, "%.1f h", seconds / 3600);
}

static double time_left(const opevo_watched_run *run)
{
    return opevo_watched_run_is_open(run) && run->wanted && !run->shared
               ? opevo_watched_left_s(&run->pace, run->trials, run->wanted)
               : NAN;
}

/* "3 runs: 1 not ended, 2 planned; 1200 trials, 7 failed". */
static void add_summary(const follower *self, opevo_text *out)
{
    const opevo_watched_store *store = self->store;
    size_t open = 0, planned = 0;
    uint64_t failed = 0, stored = 0;
    double pace = opevo_watched_pace_of(&store->pace, store->trials);

    for (size_t i = 0; i < store->count; i++) {
        open += opevo_watched_run_is_open(&store->runs[i]);
        planned += store->runs[i].planned;
        failed += store->runs[i].failed;
        stored += store->runs[i].stored;
    }
    opevo_text_printf(out, "%zu run%s: %zu not ended, %zu planned; %llu trials", store->count,
                      opevo_i_cli_plural(store->count), open, planned,
                      (unsigned long long)store->trials);
    if (store->behind)
        opevo_text_printf(out, " read of %llu", (unsigned long long)stored);
    opevo_text_printf(out, ", %llu failed", (unsigned long long)failed);
    if (isfinite(pace))
        opevo_text_printf(out, "; %.3g trials/s", pace);
    if (planned) {
        size_t ended = store->count - open - planned;

        opevo_text_add(out, "; time left ");
        add_time(opevo_watched_left_s(&store->pace_of_runs, ended, store->count), out);
    }
    opevo_text_add(out, "\n");
}

static void add_best(const opevo_watched_run *run, opevo_text *out)
{
    double best = opevo_watched_run_best(run, UINT64_MAX);

    if (!(best > 0)) {
        opevo_text_add(out, "none");
        return;
    }
    opevo_text_printf(out, "%.6g ", opevo_unit_result(run->unit, best));
    opevo_text_add_visible(out, opevo_unit_name(run->unit));
}

static void add_trials(const opevo_watched_run *run, opevo_text *out)
{
    opevo_text_printf(out, "%llu", (unsigned long long)run->trials);
    if (run->wanted && !run->shared)
        opevo_text_printf(out, " of %llu", (unsigned long long)run->wanted);
}

/* Each class of failures once, with the first message of it in any run that is wanted. */
static void add_failures(const follower *self, opevo_text *out)
{
    for (int k = OPEVO_OUTCOME_OK + 1; k < OPEVO_OUTCOME_CLASS_COUNT; k++) {
        const opevo_watched_run *first = NULL;
        uint64_t count = 0;

        for (size_t i = 0; i < self->store->count; i++) {
            const opevo_watched_run *run = &self->store->runs[i];

            if (!is_wanted(self, run) || !run->failures[k].count)
                continue;
            count += run->failures[k].count;
            first = first ? first : run;
        }
        if (!first)
            continue;
        opevo_text_printf(out,
                          "%llu %s, first at trial %llu of run %lld: ", (unsigned long long)count,
                          opevo_outcome_name((opevo_outcome_class)k),
                          (unsigned long long)first->failures[k].trial, (long long)first->run);
        opevo_i_cli_text_add_message(out, first->failures[k].message ? first->failures[k].message
                                                                     : "no message");
        opevo_text_add(out, "\n");
    }
}

/* ---- On a terminal -------------------------------------------------------------------------- */

static void add_row(const opevo_watched_run *run, opevo_table *table)
{
    opevo_text text = {0};

    opevo_i_cli_table_cell(table, "%lld", (long long)run->run);
    add_trials(run, &text);
    opevo_i_cli_table_cell(table, "%s", opevo_text_string(&text));
    opevo_i_cli_table_cell(table, "%llu", (unsigned long long)run->failed);
    opevo_text_clear(&text);
    add_best(run, &text);
    opevo_i_cli_table_cell(table, "%s", opevo_text_string(&text));
    opevo_text_clear(&text);
    if (opevo_watched_run_is_open(run))
        add_time(time_left(run), &text);
    else
        opevo_text_printf(&text, "ended: %s", run->stop);
    opevo_i_cli_table_cell(table, "%s", opevo_text_string(&text));
    opevo_text_clear(&text);
    opevo_text_add_visible(&text, run->tuner);
    opevo_i_cli_table_cell(table, "%.24s", opevo_text_string(&text));
    opevo_text_clear(&text);
    opevo_text_add_visible(&text, run->objective);
    opevo_i_cli_table_cell(table, "%.40s", opevo_text_string(&text));
    opevo_text_free(&text);
}

/* Open runs first, then the last ones, as many as there is room for. */
static opevo_status add_table(const follower *self, size_t rows, opevo_text *out, opevo_error *err)
{
    static const char *const heads[] = {"run",        "trials", "failed",    "best",
                                        "<time left", "<tuner", "<objective"};
    opevo_table table = {.heads = heads, .columns = sizeof heads / sizeof *heads};
    size_t shown = 0;

    for (int open = 1; open >= 0; open--) {
        for (size_t i = self->store->count; i-- > 0 && shown < rows;) {
            const opevo_watched_run *run = &self->store->runs[i];

            if (!is_wanted(self, run) || opevo_watched_run_is_open(run) != (open == 1))
                continue;
            add_row(run, &table);
            shown++;
        }
    }
    if (shown)
        return opevo_i_cli_table_print(&table, 0, out, err);
    opevo_i_cli_table_free(&table);
    return OPEVO_OK;
}

/* How many bytes of a line fit into the width; what sets its style takes no room. */
static size_t fitting(const char *line, size_t length, unsigned width)
{
    size_t at = 0;

    for (unsigned columns = 0; at < length && (!width || columns < width);) {
        bool visible = true;

        if (line[at] == '\033') {
            at += strcspn(line + at, "m") + 1;
            continue;
        }
        at += opevo_text_character(line + at, &visible);
        columns++;
    }
    return at < length ? at : length;
}

/* Each line cut to the width, so that the cursor goes up by as many lines as were drawn. */
static void put_lines(follower *self, const char *text, unsigned width, unsigned height)
{
    unsigned lines = 0;

    if (self->drawn)
        printf("\033[%uA", self->drawn);
    printf("\033[J");
    while (*text && lines + 1 < height) {
        size_t length = strcspn(text, "\n");

        printf("%.*s\033[m\n", (int)fitting(text, length, width), text);
        text += length + (text[length] == '\n');
        lines++;
    }
    self->drawn = lines;
    fflush(stdout);
}

static opevo_status draw(follower *self, opevo_error *err)
{
    struct winsize size = {.ws_row = 0};
    unsigned height = LEAST_HEIGHT;
    opevo_text text = {0};
    opevo_status status = OPEVO_OK;

    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > LEAST_HEIGHT)
        height = size.ws_row;
    if (!self->store->store) {
        opevo_text_add_visible(&text, self->store->trouble.message);
        opevo_text_add(&text, "\n");
    }
    add_summary(self, &text);
    OPEVO_TRY(add_table(self, height > OTHER_LINES ? height - OTHER_LINES : 1, &text, err));
    add_failures(self, &text);
    OPEVO_TRY(opevo_text_check(&text, err));
    put_lines(self, opevo_text_string(&text), opevo_i_cli_terminal_width(STDOUT_FILENO), height);
cleanup:
    opevo_text_free(&text);
    return status;
}

/* ---- In lines ------------------------------------------------------------------------------- */

/* What was said of the run at this place of the list, which is in order of runs. */
static said *find_said(follower *self, size_t place, int64_t run)
{
    if (place < self->said_count && self->said[place].run == run)
        return &self->said[place];
    if (!opevo_reserve((void **)&self->said, &self->said_capacity, self->said_count + 1,
                       sizeof *self->said))
        return NULL;
    memmove(&self->said[place + 1], &self->said[place],
            (self->said_count - place) * sizeof *self->said);
    self->said[place] = (said){.run = run};
    self->said_count++;
    return &self->said[place];
}

static void add_line(const opevo_watched_run *run, opevo_text *out)
{
    opevo_text_printf(out, "run %lld: ", (long long)run->run);
    add_trials(run, out);
    opevo_text_printf(out, " trials, %llu failed, best ", (unsigned long long)run->failed);
    add_best(run, out);
    if (!opevo_watched_run_is_open(run))
        opevo_text_printf(out, "; ended: %s", run->stop);
    opevo_text_add(out, "\n");
}

static opevo_status say(follower *self, opevo_error *err)
{
    opevo_text text = {0};
    size_t changed = 0;

    if (self->said_count > self->store->count)
        self->said_count = 0; /* another store */
    if (!self->store->store) {
        opevo_text_add_visible(&text, self->store->trouble.message);
        opevo_text_add(&text, "\n");
    }
    for (size_t i = 0; i < self->store->count; i++) {
        const opevo_watched_run *run = &self->store->runs[i];
        said *before = find_said(self, i, run->run);
        bool ended = !opevo_watched_run_is_open(run) && !run->planned;

        if (!before) {
            opevo_text_free(&text);
            return OPEVO_FAIL(err, OPEVO_NOMEM, "No memory to follow %s.", self->store->path);
        }
        if (!is_wanted(self, run) || (before->trials == run->trials && before->ended == ended))
            continue;
        *before = (said){run->run, run->trials, ended};
        if (++changed <= MOST_LINES)
            add_line(run, &text);
    }
    if (changed > MOST_LINES)
        add_summary(self, &text);
    fputs(opevo_text_string(&text), stdout);
    fflush(stdout);
    opevo_text_free(&text);
    return OPEVO_OK;
}

/* ---- Following ------------------------------------------------------------------------------ */

static void wait_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = WAIT_MS * 1000000L}, NULL);
}

opevo_status opevo_i_cli_runs_follow(const char *path, int64_t run, opevo_error *err)
{
    follower self = {.run = run, .terminal = isatty(STDOUT_FILENO)};
    double shown_s = 0;
    opevo_status status = OPEVO_OK;

    opevo_i_cli_catch_interrupts();
    OPEVO_TRY(opevo_watched_store_create(path, &self.store, err));
    while (!opevo_interrupt_is_raised(&opevo_i_cli_interrupted) && !ferror(stdout)) {
        double now_s = opevo_clock_monotonic_s();

        OPEVO_TRY(opevo_watched_store_look(self.store, look_s, err));
        if (self.store->version != self.version &&
            now_s - shown_s >= (self.terminal ? draw_s : line_s)) {
            OPEVO_TRY(self.terminal ? draw(&self, err) : say(&self, err));
            self.version = self.store->version;
            shown_s = now_s;
        }
        if (!self.store->behind)
            wait_a_little();
    }
cleanup:
    opevo_watched_store_destroy(self.store);
    opevo_free(self.said);
    return status;
}
