/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The main program of a fuzz target where libFuzzer is not linked: every seed as it is, then a
 * fixed number of changed ones, an eighth of it unless the environment has OPEVO_TEST_LONG. The
 * changes are a function of the number of the execution alone, so that a failure repeats. The input
 * that failed is left in the current folder. */

#include "fuzz.h"

#include "../draw.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum {
    SEEDS_MAX = 256,
    INPUT_MAX = 1 << 16,
    LIMIT_S = 60 /* processor time of one execution, which takes a millisecond */
};

typedef struct seed {
    uint8_t *data;
    size_t size;
} seed;

static seed seeds[SEEDS_MAX];
static size_t seed_count;
static const uint8_t *current;
static size_t current_size;
static char kept[128];

/* ---- Failures ---- */

static void keep_input(void)
{
    int file = open(kept, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool good = file >= 0 && write(file, current, current_size) == (ssize_t)current_size;
    static const char words[] = "The input that failed is in ";

    if (good && write(STDERR_FILENO, words, sizeof words - 1) > 0 &&
        write(STDERR_FILENO, kept, strlen(kept)) > 0)
        (void)!write(STDERR_FILENO, "\n", 1);
}

static void on_signal(int number)
{
    keep_input();
    signal(number, SIG_DFL);
    raise(number);
}

/* Sanitizers end the process without a signal. */
extern void __sanitizer_set_death_callback(void (*callback)(void)) __attribute__((weak));

static void catch_failures(const char *program)
{
    static const int signals[] = {SIGABRT, SIGVTALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL};
    const char *name = strrchr(program, '/');

    snprintf(kept, sizeof kept, "%.100s.failed", name ? name + 1 : program);
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(keep_input);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        if (i < 2 || !__sanitizer_set_death_callback)
            signal(signals[i], on_signal);
    }
}

static void run(const uint8_t *data, size_t size)
{
    const struct itimerval limit = {.it_value = {.tv_sec = LIMIT_S}};

    current = data;
    current_size = size;
    setitimer(ITIMER_VIRTUAL, &limit, NULL);
    LLVMFuzzerTestOneInput(data, size);
}

/* ---- Seeds ---- */

static void read_seed(const char *path)
{
    FILE *file = fopen(path, "rb");
    seed *self = &seeds[seed_count];

    FUZZ_CHECK(file && seed_count < SEEDS_MAX);
    self->data = malloc(INPUT_MAX);
    FUZZ_CHECK(self->data != NULL);
    self->size = fread(self->data, 1, INPUT_MAX, file);
    seed_count++;
    fclose(file);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void read_seeds(const char *folder)
{
    struct dirent **names = NULL;
    int count = scandir(folder, &names, NULL, by_name);

    for (int i = 0; i < count; i++) {
        char path[4096];

        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        if (names[i]->d_name[0] != '.')
            read_seed(path);
        free(names[i]);
    }
    free(names);
    if (seed_count == 0) {
        fprintf(stderr, "%s: the folder has no seeds.\n", folder);
        exit(2);
    }
}

/* ---- Changing ---- */

/* Words that parsers take apart, and numbers at the ends of what they hold. */
static const char *const words[] = {
    "0",
    "-1",
    "1e308",
    "-0.0",
    "4294967296",
    "9223372036854775807",
    "18446744073709551616",
    "1e-9",
    "2.50",
    "nan",
    "inf",
    "null",
    "true",
    "\"",
    "\\",
    "\\u0000",
    "\r\n",
    "\n",
    "\t",
    ",",
    ":",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "'",
    "=",
    "%s",
    "\xff",
    "\xc3\xa4",
    "//",
    "**",
    "<",
};

/* Room for `length` bytes at `at`; what follows moves, or is cut at the most. */
static size_t make_room(uint8_t *data, size_t *size, size_t at, size_t length)
{
    if (length > INPUT_MAX - *size)
        length = INPUT_MAX - *size;
    memmove(data + at + length, data + at, *size - at);
    *size += length;
    return length;
}

static void insert(uint8_t *data, size_t *size, size_t at, const void *piece, size_t length)
{
    uint8_t copy[256];

    if (length > sizeof copy)
        length = sizeof copy;
    memcpy(copy, piece, length); /* it may be a part of the data */
    memcpy(data + at, copy, make_room(data, size, at, length));
}

static void change(uint8_t *data, size_t *size, uint64_t *state)
{
    size_t at = (size_t)draw(state, *size + 1);
    size_t length = (size_t)draw(state, draw(state, 4) ? 8 : 200) + 1;
    const seed *other = &seeds[draw(state, seed_count)];

    length = length > *size - at ? *size - at : length;
    switch (draw(state, 7)) {
    case 0:
        if (length)
            data[at] = (uint8_t)draw(state, 256);
        break;
    case 1:
        if (length)
            data[at] ^= (uint8_t)(1 << draw(state, 8));
        break;
    case 2:
        memmove(data + at, data + at + length, *size - at - length);
        *size -= length;
        break;
    case 3:
        insert(data, size, at, data + at, length);
        break;
    case 4:
        insert(data, size, (size_t)draw(state, *size + 1), data + at, length);
        break;
    case 5: {
        const char *word = words[draw(state, sizeof words / sizeof *words)];

        insert(data, size, at, word, strlen(word));
        break;
    }
    default: {
        size_t from = (size_t)draw(state, other->size + 1);
        size_t much = (size_t)draw(state, other->size - from + 1);

        insert(data, size, at, other->data + from, much);
    }
    }
}

/* `runs` changed seeds, each in a block of its own size. */
static void run_changed(uint64_t runs)
{
    uint8_t *data = malloc(INPUT_MAX);

    FUZZ_CHECK(data != NULL);
    for (uint64_t i = 0; i < runs; i++) {
        uint64_t state = opevo_hash_mix(i);
        const seed *from = &seeds[draw(&state, seed_count)];
        size_t size = from->size;
        uint8_t *exact = NULL;

        memcpy(data, from->data, size);
        for (uint64_t left = 1 + draw(&state, 6); left > 0; left--)
            change(data, &size, &state);
        exact = malloc(size ? size : 1);
        FUZZ_CHECK(exact != NULL);
        memcpy(exact, data, size);
        run(exact, size);
        free(exact);
    }
    free(data);
}

int main(int argc, char **argv)
{
    char *end = NULL;
    uint64_t all = argc == 3 ? strtoull(argv[1], &end, 10) : 0;

    if (argc != 2 && (argc != 3 || *end)) {
        fprintf(stderr, "usage: %s RUNS FOLDER_OF_SEEDS | %s FILE\n", argv[0], argv[0]);
        return 2;
    }
    catch_failures(argv[0]);
    if (argc == 2)
        read_seed(argv[1]);
    else
        read_seeds(argv[2]);
    for (size_t i = 0; i < seed_count; i++)
        run(seeds[i].data, seeds[i].size);
    run_changed(getenv("OPEVO_TEST_LONG") ? all : all / 8);
    for (size_t i = 0; i < seed_count; i++)
        free(seeds[i].data);
    return 0;
}
