/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Reading, writing and replacing files, under failures and signals. */

#include "check.h"
#include "remove_tree.h"

#include <opevo/file.h>
#include <opevo/memory.h>
#include <opevo/text.h>

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/opevo-test-XXXXXX";

static char *path_of(const char *name)
{
    static char path[256];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int files_in_folder(void)
{
    DIR *dir = opendir(folder);
    int count = 0;

    while (readdir(dir))
        count++;
    closedir(dir);
    return count - 2;
}

CHECK_TEST(test_what_is_written_is_read)
{
    static const char data[] = "one\0two\n";
    char *back = NULL;
    size_t size = 0;

    CHECK_OK(opevo_file_write(path_of("a"), data, sizeof data, &err));
    CHECK_OK(opevo_file_write(path_of("a"), data, sizeof data - 1, &err));
    CHECK_OK(opevo_file_read(path_of("a"), SIZE_MAX, &back, &size, &err));
    assert_int_equal(size, sizeof data - 1);
    assert_memory_equal(back, data, sizeof data);
    assert_int_equal(files_in_folder(), 1);
    opevo_free(back);
}

CHECK_TEST(test_errors_name_the_path)
{
    char *back = NULL;
    size_t size = 0;

    CHECK_FAILS(OPEVO_IO, "/absent: No such file",
                opevo_file_read(path_of("absent"), SIZE_MAX, &back, &size, &err));
    CHECK_FAILS(OPEVO_IO, "Is a directory", opevo_file_read(folder, SIZE_MAX, &back, &size, &err));
    CHECK_FAILS(OPEVO_IO, "/no/file: No such file",
                opevo_file_write(path_of("no/file"), "x", 1, &err));
    CHECK_FAILS(OPEVO_IO, "No space left", opevo_file_write("/dev/full", "x", 1, &err));
    CHECK_FAILS(OPEVO_INVALID, "is empty", opevo_file_read("", SIZE_MAX, &back, &size, &err));
}

/* Refused before a byte is read: what could block or never end, and what is too large. */
CHECK_TEST(test_only_regular_files_up_to_the_limit)
{
    char *back = NULL;
    size_t size = 0;

    assert_int_equal(mkfifo(path_of("pipe"), 0600), 0);
    CHECK_FAILS(OPEVO_INVALID, "/pipe is not a regular file",
                opevo_file_read(path_of("pipe"), SIZE_MAX, &back, &size, &err));
    unlink(path_of("pipe"));
    assert_int_equal(symlink("/dev/zero", path_of("zeros")), 0);
    CHECK_FAILS(OPEVO_INVALID, "/zeros is not a regular file",
                opevo_file_read(path_of("zeros"), SIZE_MAX, &back, &size, &err));
    unlink(path_of("zeros"));
    CHECK_OK(opevo_file_write(path_of("a"), "12345", 5, &err));
    CHECK_OK(opevo_file_read(path_of("a"), 5, &back, &size, &err));
    opevo_free(back);
    CHECK_FAILS(OPEVO_LIMIT, "/a is larger than 4 bytes",
                opevo_file_read(path_of("a"), 4, &back, &size, &err));
    /* A file without a size that has contents all the same. */
    CHECK_FAILS(OPEVO_LIMIT, "is larger than 4 bytes",
                opevo_file_read("/proc/self/status", 4, &back, &size, &err));
}

/* A disk that is full in the middle of the file: the old contents stay, and no part lies about. */
CHECK_TEST(test_full_disk_keeps_the_old_file)
{
    enum { SIZE = 100000 };
    struct rlimit old = {0};
    struct rlimit small = {0};
    char *big = opevo_calloc(SIZE, 1);
    char *back = NULL;
    size_t size = 0;

    CHECK_OK(opevo_file_write(path_of("a"), "old", 3, &err));
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);
    small = (struct rlimit){.rlim_cur = 4096, .rlim_max = old.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
    CHECK_FAILS(OPEVO_IO, "File too large", opevo_file_write(path_of("a"), big, SIZE, &err));
    setrlimit(RLIMIT_FSIZE, &old);
    CHECK_OK(opevo_file_read(path_of("a"), SIZE_MAX, &back, &size, &err));
    assert_string_equal(back, "old");
    assert_int_equal(files_in_folder(), 1);
    opevo_free(back);
    opevo_free(big);
}

/* A writer that is killed in the middle leaves the old file,
 * and nothing once another has written. */
CHECK_TEST(test_next_write_removes_what_a_killed_one_left)
{
    enum { SIZE = 100000 };
    char *back = NULL;
    size_t size = 0;
    int exit_state = 0;
    pid_t child = 0;

    CHECK_OK(opevo_file_write(path_of("a"), "old", 3, &err));
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        static char big[SIZE];
        struct rlimit small = {.rlim_cur = 4096, .rlim_max = 4096};

        signal(SIGXFSZ, SIG_DFL);
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        setrlimit(RLIMIT_FSIZE, &small); /* the write kills */
        opevo_file_write(path_of("a"), big, SIZE, NULL);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &exit_state, 0), child);
    assert_true(WIFSIGNALED(exit_state) && WTERMSIG(exit_state) == SIGXFSZ);
    assert_int_equal(files_in_folder(), 2);
    CHECK_OK(opevo_file_read(path_of("a"), SIZE_MAX, &back, &size, &err));
    assert_string_equal(back, "old");
    opevo_free(back);
    CHECK_OK(opevo_file_write(path_of("a"), "new", 3, &err));
    assert_int_equal(files_in_folder(), 1);
    CHECK_OK(opevo_file_read(path_of("a"), SIZE_MAX, &back, &size, &err));
    assert_string_equal(back, "new");
    opevo_free(back);
}

/* Two processes that write one target leave the whole text of one of them. */
CHECK_TEST(test_writers_wait_for_each_other)
{
    enum { SIZE = 20000, TIMES = 100, WRITERS = 3 };
    static char text[SIZE];
    char *back = NULL;
    size_t size = 0;
    pid_t children[WRITERS];

    for (int i = 0; i < WRITERS; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            int failed = 0;

            memset(text, 'a' + i, SIZE);
            for (int k = 0; k < TIMES; k++)
                failed |= opevo_file_write(path_of("a"), text, SIZE, NULL) != OPEVO_OK;
            _exit(failed);
        }
    }
    for (int i = 0; i < WRITERS; i++) {
        int exit_state = 0;

        assert_int_equal(waitpid(children[i], &exit_state, 0), children[i]);
        assert_true(WIFEXITED(exit_state) && WEXITSTATUS(exit_state) == 0);
    }
    CHECK_OK(opevo_file_read(path_of("a"), SIZE_MAX, &back, &size, &err));
    assert_int_equal(size, SIZE);
    for (size_t i = 0; i < SIZE; i++)
        assert_int_equal(back[i], back[0]);
    assert_int_equal(files_in_folder(), 1);
    opevo_free(back);
}

CHECK_TEST(test_cache_folder_is_made)
{
    char *path = NULL;

    setenv("XDG_CACHE_HOME", path_of("deep/cache"), 1);
    CHECK_OK(opevo_cache_path("name", &path, &err));
    assert_non_null(strstr(path, "/deep/cache/opevo/name"));
    CHECK_OK(opevo_file_write(path, "x", 1, &err));
    opevo_free(path);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    CHECK_FAILS(OPEVO_IO, "set XDG_CACHE_HOME or HOME", opevo_cache_path("name", &path, &err));
    assert_int_equal(opevo_memory_live(), 0);
}

static int make_folder(void **state)
{
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    return remove_tree(folder);
}

/* In a process of a user who may not write there. */
CHECK_TEST(test_folder_of_others)
{
    pid_t child = 0;
    int status = 0;

    rmdir("folder-of-others");
    assert_int_equal(mkdir("folder-of-others", 0555), 0);
    child = fork();
    if (child == 0) {
        opevo_error why = {OPEVO_OK, ""};

        if (geteuid() == 0 && setresuid(65534, 65534, 65534) != 0)
            _exit(2);
        opevo_file_write("folder-of-others/x", "x", 1, &why);
        _exit(strcmp(why.message, "folder-of-others/x: Permission denied.") != 0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    rmdir("folder-of-others");
}

static void ignore(int number)
{
}

/* A pipe takes 64 KiB at once, and signals come all the time: all arrives, once and in order. */
CHECK_TEST(test_all_is_written_piece_by_piece)
{
    enum { COUNT = 1 << 18 };
    uint32_t *words = malloc(COUNT * sizeof *words);
    struct sigaction handler = {.sa_handler = ignore}, before;
    struct itimerval often = {{0, 1000}, {0, 1000}}, never = {0};
    int ends[2], wait_status = 0;
    pid_t reader = 0;

    assert_non_null(words);
    for (uint32_t i = 0; i < COUNT; i++)
        words[i] = i;
    assert_int_equal(pipe(ends), 0);
    reader = fork();
    if (reader == 0) {
        FILE *file = fdopen(ends[0], "r");
        uint32_t word = 0, i = 0;

        close(ends[1]);
        while (fread(&word, sizeof word, 1, file) == 1 && word == i)
            i++;
        _exit(i != COUNT || !feof(file));
    }
    close(ends[0]);
    sigaction(SIGALRM, &handler, &before);
    setitimer(ITIMER_REAL, &often, NULL);
    assert_true(opevo_write_all(ends[1], words, COUNT * sizeof *words));
    setitimer(ITIMER_REAL, &never, NULL);
    sigaction(SIGALRM, &before, NULL);
    close(ends[1]);
    assert_int_equal(waitpid(reader, &wait_status, 0), reader);
    assert_int_equal(wait_status, 0);
    free(words);
}

CHECK_TEST(test_what_cannot_be_written_is_said)
{
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    assert_true(opevo_write_all(ends[1], NULL, 0));
    close(ends[0]);
    errno = 0;
    assert_false(opevo_write_all(ends[1], "x", 1));
    assert_int_equal(errno, EPIPE);
    close(ends[1]);
    signal(SIGPIPE, before);
}

int main(void)
{
    return check_tests(make_folder, remove_folder);
}
