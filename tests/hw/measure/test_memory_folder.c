/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Folders in memory: one of a process, private, gone with it however it ends, and left alone while
 * it lives. */

#include "check.h"

#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "memory_folder_internal.h"

/* A child that makes its folder, with a file in a folder in it, tells its path, and lives until
 * `ends` says so or it is killed. */
typedef struct child {
    pid_t pid;
    int told[2], ends[2];
    char path[400];
} child;

static void live(const child *self)
{
    const char *made = opevo_i_process_memory_folder();
    char text[400] = "", inner[450];

    if (made) {
        snprintf(text, sizeof text, "%s", made);
        snprintf(inner, sizeof inner, "%s/part", made);
        (void)!mkdir(inner, 0700);
        snprintf(inner, sizeof inner, "%s/part/file", made);
        fclose(fopen(inner, "w"));
    }
    (void)!write(self->told[1], text, sizeof text);
    (void)!read(self->ends[0], text, 1);
    exit(0);
}

static void start(child *self)
{
    assert_int_equal(pipe(self->told), 0);
    assert_int_equal(pipe(self->ends), 0);
    self->pid = fork();
    if (self->pid == 0) {
        close(self->ends[1]);
        live(self);
    }
    close(self->ends[0]);
    assert_int_equal(read(self->told[0], self->path, sizeof self->path), sizeof self->path);
}

static void finish(child *self, int number)
{
    if (number)
        kill(self->pid, number);
    close(self->ends[1]);
    assert_int_equal(waitpid(self->pid, NULL, 0), self->pid);
    close(self->told[0]);
    close(self->told[1]);
}

CHECK_TEST(test_folders)
{
    child killed = {.pid = 0}, living = {.pid = 0}, good = {.pid = 0};
    struct stat facts;

    start(&killed);
    if (!*killed.path) { /* no place in memory */
        finish(&killed, 0);
        skip();
    }
    start(&living);
    start(&good);
    assert_string_not_equal(killed.path, living.path);
    assert_int_equal(lstat(living.path, &facts), 0);
    assert_int_equal(facts.st_mode & 0777, 0700);
    finish(&good, 0); /* by exit */
    assert_int_not_equal(lstat(good.path, &facts), 0);
    finish(&killed, SIGKILL);
    opevo_i_process_memory_folders_sweep();
    assert_int_not_equal(lstat(killed.path, &facts), 0);
    assert_int_equal(lstat(living.path, &facts), 0);
    finish(&living, SIGKILL);
    opevo_i_process_memory_folders_sweep();
    assert_int_not_equal(lstat(living.path, &facts), 0);
}
