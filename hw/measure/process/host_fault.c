/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A compiler is a driver that starts others: how those ended shows only in what the driver prints
 * before it ends with status 1. The words are those of GCC's driver, of collect2 and of Clang. */

#include "host_fault_internal.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

static const int host_errnos[] = {EAGAIN, EDQUOT, EFBIG,  EIO,   EMFILE, ENFILE,
                                  ENOMEM, ENOSPC, ESTALE, EROFS, ETXTBSY};

/* Sent by others, or by a limit of the host. Those of errors in a program are earned,
 * as is SIGXCPU. */
static const int foreign_signals[] = {SIGKILL, SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGXFSZ};

static const char *const memory_words[] = {"out of memory", "memory exhausted", "bad_alloc"};

bool opevo_i_process_host_errno(int code)
{
    for (size_t i = 0; i < sizeof host_errnos / sizeof *host_errnos; i++) {
        if (host_errnos[i] == code)
            return true;
    }
    return false;
}

bool opevo_i_process_foreign_signal(int number)
{
    for (size_t i = 0; i < sizeof foreign_signals / sizeof *foreign_signals; i++) {
        if (foreign_signals[i] == number)
            return true;
    }
    return false;
}

/* The line of the text that has the words in it goes to `why`; false where none has. */
static bool quote(const char *text, const char *words, opevo_text *why)
{
    const char *found = strstr(text, words);
    const char *start = found;

    if (!found)
        return false;
    while (start > text && start[-1] != '\n')
        start--;
    opevo_text_add_bytes(why, start, strcspn(start, "\n"));
    return true;
}

static bool says_killed(const char *text, opevo_text *why)
{
    for (size_t i = 0; i < sizeof foreign_signals / sizeof *foreign_signals; i++) {
        const char *name = strsignal(foreign_signals[i]);
        char words[3][64];

        snprintf(words[0], sizeof words[0], "%s signal terminated program", name);
        snprintf(words[1], sizeof words[1], "terminated with signal %d ", foreign_signals[i]);
        snprintf(words[2], sizeof words[2], "unable to execute command: %s", name);
        for (size_t k = 0; k < 3; k++) {
            if (quote(text, words[k], why))
                return true;
        }
    }
    return false;
}

static bool says_lacking(const char *text, bool used_much, opevo_text *why)
{
    for (size_t i = 0; i < sizeof host_errnos / sizeof *host_errnos; i++) {
        if (!(used_much && host_errnos[i] == ENOMEM) && quote(text, strerror(host_errnos[i]), why))
            return true;
    }
    for (size_t i = 0; !used_much && i < sizeof memory_words / sizeof *memory_words; i++) {
        if (quote(text, memory_words[i], why))
            return true;
    }
    return false;
}

bool opevo_i_process_build_fault(const opevo_i_process_program_end *end, const char *compiler,
                                 uint64_t memory_bytes, opevo_text *why)
{
    const char *text = opevo_text_string(&end->error);
    bool used_much = memory_bytes && end->peak_bytes >= memory_bytes / 2;
    int status = end->wait_status;

    if (!end->kept) {
        opevo_text_printf(why, "the process that keeps the compiler %s was killed", compiler);
        return true;
    }
    if (end->start_errno) {
        opevo_text_printf(why, "the compiler %s cannot be started: %s", compiler,
                          strerror(end->start_errno));
        return true;
    }
    if (end->timed_out && end->starved)
        opevo_text_printf(why, "the compiler %s waited for a processor for most of %.3g s",
                          compiler, end->elapsed_s);
    if (end->timed_out)
        return end->starved;
    if (WIFSIGNALED(status) && opevo_i_process_foreign_signal(WTERMSIG(status))) {
        opevo_text_printf(why, "the compiler %s was killed by signal %d (%s)", compiler,
                          WTERMSIG(status), strsignal(WTERMSIG(status)));
        return true;
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == OPEVO_I_EXIT_HOST) {
        opevo_text_printf(why, "%.*s", (int)strcspn(text, "\n"), text);
        return true;
    }
    return WIFEXITED(status) && WEXITSTATUS(status) != 0 &&
           (says_killed(text, why) || says_lacking(text, used_much, why));
}
