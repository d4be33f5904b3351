/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels of others: each file of the folder proofs says in its head what it computes, how it is
 * called, and what is to be found of each of its cases. They are chosen by a macro CASE:
 *
 *   //@ computes TEXT
 *   //@ harness TEXT
 *   //@ NUMBER VERDICT words of the reason
 *   //@ fault NUMBER words: what was planted there, which is refuted
 *
 * Texts may go on over several such lines. */

#include "proof_fixture.h"

#include <opevo/file.h>
#include <opevo/memory.h>

#include <glob.h>

typedef struct file {
    const char *path;
    char *text;
    opevo_text computes, harness;
} file;

static size_t verdicts[3], wrong, faults;

/* ---- Heads ---- */

/* Visit the lines of the head that begin with a word; it is "" for those with a number. */
static void each_line(const file *self, const char *word,
                      void (*visit)(file *self, const char *line, size_t length), file *context)
{
    static const char mark[] = "//@ ";

    for (const char *at = strstr(self->text, mark); at; at = strstr(at, mark)) {
        size_t length = strcspn(at += sizeof mark - 1, "\n");

        if (*word ? strncmp(at, word, strlen(word)) == 0 : *at >= '0' && *at <= '9')
            visit(context, at + strlen(word), length - strlen(word));
    }
}

static void add_computes(file *self, const char *line, size_t length)
{
    opevo_text_add_bytes(&self->computes, line, length);
}

static void add_harness(file *self, const char *line, size_t length)
{
    opevo_text_add_bytes(&self->harness, line, length);
}

/* ---- Cases ---- */

static void check_case(file *self, const char *line, size_t length)
{
    const char *dot = strrchr(self->path, '.');
    proof_kernel kernel = {.name = self->path,
                           .source = self->text,
                           .ending = dot,
                           .computes = opevo_text_string(&self->computes),
                           .harness = opevo_text_string(&self->harness)};
    char verdict[16] = "", words[128] = "";
    int number = -1;
    opevo_proof proof;

    assert_true(length < 150);
    assert_true(sscanf(line, "%d %15s%*[ ]%127[^\n]", &number, verdict, words) >= 2);
    proof = prove(&kernel, number, NULL);
    verdicts[proof.verdict]++;
    if (strcmp(opevo_proof_verdict_name(proof.verdict), verdict) != 0 ||
        !strstr(proof.reason, words) ||
        (proof.verdict == OPEVO_PROOF_REFUTED && proof.memory && !proof.example.found)) {
        print_message("%s, case %d: %s: %s\n", self->path, number,
                      opevo_proof_verdict_name(proof.verdict), proof.reason);
        wrong++;
    }
}

/* What was planted is refuted: by an access, or by an input on which a run in floats differs. */
static void count_fault(file *self, const char *line, size_t length)
{
    char row[40];
    int number = -1, words = 0;

    assert_int_equal(sscanf(line, "%d %n", &number, &words), 1);
    assert_true(words > 0 && (size_t)words < length);
    snprintf(row, sizeof row, "\n//@ %d refuted ", number);
    faults++;
    if (strstr(self->text, row))
        return;
    print_message("%s, case %d has a fault, and is not to be refuted\n", self->path, number);
    wrong++;
}

static void check_file(const char *path)
{
    file self = {.path = path};
    size_t size;

    CHECK_OK(opevo_file_read(path, 1 << 20, &self.text, &size, &err));
    each_line(&self, "computes", add_computes, &self);
    each_line(&self, "harness", add_harness, &self);
    each_line(&self, "", check_case, &self);
    each_line(&self, "fault", count_fault, &self);
    opevo_text_free(&self.computes);
    opevo_text_free(&self.harness);
    opevo_free(self.text);
}

CHECK_TEST(test_files)
{
    glob_t found;

    if (!has_clang(folder))
        CHECK_SKIP("proofs of sources need clang (Debian: clang-19)");
    assert_int_equal(glob(OPEVO_TEST_PROOFS "/*.c*", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++)
        check_file(found.gl_pathv[i]);
    print_message("%zu files: %zu cases proved, %zu refuted, %zu undecided; %zu planted faults\n",
                  found.gl_pathc, verdicts[OPEVO_PROOF_PROVED], verdicts[OPEVO_PROOF_REFUTED],
                  verdicts[OPEVO_PROOF_UNDECIDED], faults);
    globfree(&found);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    return proof_tests();
}
