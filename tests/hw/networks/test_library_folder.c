/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The folder of a library: only what opevo wrote is replaced or removed; a write that fails leaves
 * the library that was there; after a kill at any call that changes the folder, the next write
 * succeeds. Calls are counted by wrappers that the linker puts before them. */

#include "library_networks.h"
#include "points.h"

#include <opevo/file.h>
#include <opevo/network_library.h>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

/* ---- A kill before the n-th call ---- */

static int calls_left; /* 0: none is killed */

static void count_call(void)
{
    if (calls_left && --calls_left == 0)
        kill(getpid(), SIGKILL);
}

int __real_rename(const char *from, const char *to);
int __wrap_rename(const char *from, const char *to);
int __real_renameat(int from_folder, const char *from, int to_folder, const char *to);
int __wrap_renameat(int from_folder, const char *from, int to_folder, const char *to);
int __real_unlinkat(int folder, const char *name, int flags);
int __wrap_unlinkat(int folder, const char *name, int flags);
int __real_mkdirat(int folder, const char *name, mode_t mode);
int __wrap_mkdirat(int folder, const char *name, mode_t mode);
int __wrap_fsync(int file);
FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);

int __wrap_rename(const char *from, const char *to)
{
    count_call();
    return __real_rename(from, to);
}

int __wrap_renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    count_call();
    return __real_renameat(from_folder, from, to_folder, to);
}

int __wrap_unlinkat(int folder, const char *name, int flags)
{
    count_call();
    return __real_unlinkat(folder, name, flags);
}

int __wrap_mkdirat(int folder, const char *name, mode_t mode)
{
    count_call();
    return __real_mkdirat(folder, name, mode);
}

int __wrap_fsync(int file)
{
    count_call();
    return 0; /* what is written outlives the process without it */
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
    count_call();
    return __real_fopen(path, mode);
}

/* ---- Libraries ---- */

static const char folder[] = "library_folder_test";

/* One for a CPU with a kernel, and one for a GPU with two; other weights. */
enum { CPU, GPU, LIBRARIES };

static network_draw networks[LIBRARIES];
static opevo_network_library *libraries[LIBRARIES];
/* What is in a folder that has the library only. */
static opevo_text written[LIBRARIES], sources_of[LIBRARIES];

static void make_network(network_draw *self, int tasks, int64_t weights)
{
    const int64_t size[] = {1, 2, 4, 4};
    int parts[2];

    network_start(self);
    parts[0] = network_input(self, 4, size);
    for (int i = 0; i < tasks; i++)
        parts[0] = add_element_wise(self, parts[0], i ? "X0[0,c,y,x] - 3" : "X0[0,c,y,x]*2 + 1");
    parts[1] = network_constant(self, 1, &weights, 1, &network_seed);
    network_output(self, network_join(self, parts, 2));
}

static opevo_status write_it(int which, opevo_error *error)
{
    opevo_network_library_sizes sizes = {0};

    return opevo_network_library_write(libraries[which], folder, &sizes, error);
}

static void make_folder(void)
{
    remove_tree(folder);
    assert_int_equal(mkdir(folder, 0777), 0);
}

static const char *path_of(const char *name)
{
    static char path[512];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put_file(const char *name, const char *text)
{
    CHECK_OK(opevo_file_write(path_of(name), text, strlen(text), &err));
}

static int is_seen(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

/* The list, and files by which a library is built. */
static bool is_apart(const char *name)
{
    return strncmp(name, "net.files", 9) == 0 || strcmp(name, "Makefile") == 0 ||
           strcmp(name, "CMakeLists.txt") == 0 || strcmp(name, "opevo-partial") == 0;
}

/* Names and contents of all files, or of sources only. */
static void look(bool sources, opevo_text *out)
{
    struct dirent **entries = NULL;
    int count = scandir(folder, &entries, is_seen, alphasort);

    assert_true(count >= 0);
    opevo_text_clear(out);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        char *data = NULL;
        size_t size = 0;
        struct stat info;

        assert_int_equal(lstat(path_of(name), &info), 0);
        if (S_ISREG(info.st_mode) && !(sources && is_apart(name))) {
            CHECK_OK(opevo_file_read(path_of(name), SIZE_MAX, &data, &size, &err));
            opevo_text_printf(out, "%s %zu ", name, size);
            opevo_text_add_bytes(out, data, size);
            opevo_free(data);
        } else if (!sources) {
            opevo_text_printf(out, "%s ", name);
        }
        free(entries[i]);
    }
    free(entries);
    assert_false(out->failed);
}

static bool are_equal(const opevo_text *a, const opevo_text *b)
{
    return a->length == b->length && memcmp(a->data, b->data, a->length) == 0;
}

static void check_has(const opevo_text *expected)
{
    opevo_text there = {0};

    look(false, &there);
    assert_true(are_equal(&there, expected));
    opevo_text_free(&there);
}

static int make_libraries(void **test)
{
    for (int i = 0; i < LIBRARIES; i++) {
        const opevo_network_library_options options = {.dialect = i == GPU ? OPEVO_KERNEL_CUDA
                                                                           : OPEVO_KERNEL_C,
                                                       .threads = 1,
                                                       .seed = 3,
                                                       .model = "m",
                                                       .version = "0"};

        make_network(&networks[i], 1 + i, i == GPU ? 2000 : 5000);
        CHECK_OK(opevo_network_library_create(&networks[i].super, &options, &libraries[i], &err));
        make_folder();
        CHECK_OK(write_it(i, &err));
        look(false, &written[i]);
        look(true, &sources_of[i]);
    }
    return 0;
}

static int free_libraries(void **test)
{
    for (int i = 0; i < LIBRARIES; i++) {
        opevo_network_library_destroy(libraries[i]);
        network_free(&networks[i]);
        opevo_text_free(&written[i]);
        opevo_text_free(&sources_of[i]);
    }
    remove_tree(folder);
    return 0;
}

/* ---- Kills ---- */

/* Into a folder that has the library `before`, -1 for none. Whether the process was killed. */
static bool write_killed(int before, int which, int call, rlim_t limit)
{
    int state = 0;
    pid_t child = 0;

    make_folder();
    if (before >= 0)
        CHECK_OK(write_it(before, &err));
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        signal(SIGXFSZ, SIG_DFL);
        if (limit != RLIM_INFINITY)
            setrlimit(RLIMIT_FSIZE, &(struct rlimit){limit, limit});
        calls_left = call;
        _exit(write_it(which, NULL) == OPEVO_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &state, 0), child);
    assert_true(WIFSIGNALED(state) || WEXITSTATUS(state) == 0);
    return WIFSIGNALED(state);
}

/* What can be built is one of both libraries. */
static void check_sources(int before, int which)
{
    opevo_text there = {0};

    if (access(path_of("Makefile"), F_OK) == 0 || access(path_of("CMakeLists.txt"), F_OK) == 0) {
        look(true, &there);
        assert_true((before >= 0 && are_equal(&there, &sources_of[before])) ||
                    are_equal(&there, &sources_of[which]));
    }
    opevo_text_free(&there);
}

static const int changes[][2] = {{-1, CPU}, {CPU, GPU}, {GPU, CPU}};

enum { CHANGES = sizeof changes / sizeof *changes };

CHECK_TEST(a_killed_write_is_taken_over)
{
    for (size_t i = 0; i < CHANGES; i++) {
        int before = changes[i][0], which = changes[i][1], step = (int)test_size(CHANGES, 1);
        int calls = 1 + (int)test_size(i, 0);

        for (; write_killed(before, which, calls, RLIM_INFINITY); calls += step) {
            check_sources(before, which);
            CHECK_OK(write_it(which, &err));
            check_has(&written[which]);
        }
        assert_true(calls > 30);
    }
}

/* Or the library that was there is written again. */
CHECK_TEST(a_killed_write_can_be_undone)
{
    for (int call = 1; write_killed(CPU, GPU, call, RLIM_INFINITY); call += 7) {
        CHECK_OK(write_it(CPU, &err));
        check_has(&written[CPU]);
    }
}

/* In the middle of a file. */
CHECK_TEST(a_kill_in_a_file_is_taken_over)
{
    int killed = 0;

    for (rlim_t limit = 100; write_killed(CPU, GPU, 0, limit); limit += limit / 2) {
        check_sources(CPU, CPU);
        CHECK_OK(write_it(GPU, &err));
        check_has(&written[GPU]);
        killed++;
    }
    assert_true(killed > 5);
}

/* ---- Failures ---- */

CHECK_TEST(a_full_disk_changes_nothing)
{
    opevo_status status = OPEVO_IO;
    struct rlimit usual;
    int failed = 0;

    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &usual);
    make_folder();
    CHECK_OK(write_it(CPU, &err));
    for (rlim_t limit = 100; status == OPEVO_IO; limit += limit / 2, failed++) {
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){limit, usual.rlim_max});
        status = write_it(GPU, NULL);
        setrlimit(RLIMIT_FSIZE, &usual);
        check_has(&written[status == OPEVO_OK ? GPU : CPU]);
    }
    assert_int_equal(status, OPEVO_OK);
    assert_true(failed > 5);
}

CHECK_TEST(without_memory_nothing_is_lost)
{
    opevo_status status = OPEVO_NOMEM;

    for (int n = 1; status == OPEVO_NOMEM; n += 5) {
        int64_t alive = 0;

        make_folder();
        CHECK_OK(write_it(CPU, &err));
        CHECK_OK(write_it(CPU, &err)); /* as large as it gets */
        alive = opevo_memory_live();
        opevo_memory_fail_at(n);
        status = write_it(CPU, NULL);
        opevo_memory_fail_at(0);
        assert_true(opevo_memory_live() <= alive); /* a library may be without a plan then */
        CHECK_OK(write_it(CPU, &err));
        assert_int_equal(opevo_memory_live(), alive);
        check_has(&written[CPU]);
    }
    assert_int_equal(status, OPEVO_OK);
}

/* ---- Files of others ---- */

static void check_refused(int which, const char *sentence)
{
    opevo_text there = {0};

    look(false, &there);
    CHECK_FAILS(OPEVO_INVALID, sentence,
                opevo_network_library_check_folder(libraries[which], folder, &err));
    CHECK_FAILS(OPEVO_INVALID, sentence, write_it(which, &err));
    check_has(&there);
    opevo_text_free(&there);
}

/* Each file that the library has, alone in a folder, as a file and as a link. */
CHECK_TEST(files_of_others_are_refused)
{
    for (int which = 0; which < LIBRARIES; which++) {
        struct dirent **entries = NULL;
        int count = 0;

        make_folder();
        CHECK_OK(write_it(which, &err));
        count = scandir(folder, &entries, is_seen, alphasort);
        assert_true(count > 10);
        for (int i = 0; i < count; i++) {
            char sentence[400];

            snprintf(sentence, sizeof sentence,
                     "%s: %s already exists and was not written by opevo", folder,
                     entries[i]->d_name);
            make_folder();
            put_file(entries[i]->d_name, "mine");
            check_refused(which, sentence);
            make_folder();
            assert_int_equal(symlink("/dev/null", path_of(entries[i]->d_name)), 0);
            check_refused(which, sentence);
            free(entries[i]);
        }
        free(entries);
    }
    make_folder();
    put_file("opevo-partial", "mine");
    check_refused(CPU, "opevo-partial already exists");
}

/* A library for a CPU leaves files alone that one for a GPU would have. */
CHECK_TEST(files_of_others_stay)
{
    static const char *const mine[] = {"run.c",         "plan.h",   "kernel_001.c",
                                       "kernel_000.cu", "move.hip", "notes"};
    enum { MINE = sizeof mine / sizeof *mine };

    make_folder();
    for (size_t i = 0; i < MINE; i++)
        put_file(mine[i], "mine");
    for (int times = 0; times < 2; times++)
        CHECK_OK(write_it(CPU, &err));
    check_refused(GPU, "already exists and was not written by opevo");
    for (size_t i = 0; i < MINE; i++) {
        char *data = NULL;
        size_t size = 0;

        CHECK_OK(opevo_file_read(path_of(mine[i]), 100, &data, &size, &err));
        assert_string_equal(data, "mine");
        opevo_free(data);
        assert_int_equal(unlink(path_of(mine[i])), 0);
    }
    check_has(&written[CPU]);
}

/* Lists that opevo does not write. */
CHECK_TEST(spoilt_lists_are_refused)
{
    static const char *const names[] = {"../victim",     "notes",     "kernel_1.c",
                                        "kernel_000.cc", "net.files", "move.cc"};
    char *list = NULL, spoilt[2048];
    size_t size = 0;

    make_folder();
    CHECK_OK(write_it(CPU, &err));
    CHECK_OK(opevo_file_read(path_of("net.files"), sizeof spoilt - 100, &list, &size, &err));
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(spoilt, sizeof spoilt, "%s%s\n", list, names[i]);
        put_file("net.files", spoilt);
        check_refused(GPU, "/net.files:12: \"");
    }
    put_file("net.files", list + 1);
    check_refused(CPU, "net.files already exists and was not written by opevo");
    put_file("net.files", list);
    assert_int_equal(unlink(path_of("net.c")), 0);
    CHECK_OK(write_it(CPU, &err));
    check_has(&written[CPU]);
    opevo_free(list);
}

int main(void)
{
    return enter_folder() ? leave_folder(check_tests(make_libraries, free_libraries)) : 1;
}
