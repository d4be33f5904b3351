/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How many kernels of sketches and templates are proved, refuted and undecided: random points of
 * small and odd shapes in each dialect that the prover reads. The first argument is the number of
 * points for each computation and dialect, the second a dialect, alone. Every kernel that is not
 * proved has a line on standard error, and its text stays in the folder that is named there. */

#include "../hw/sketch_fixture.h"

#include "../hw/kernels/proof_made.h"
#include "../hw/sketch_draw.h"
#include "bench.h"

#include <opevo/computation_named.h>
#include <opevo/file.h>
#include <opevo/hash.h>
#include <opevo/memory.h>
#include <opevo/random_allowed.h>
#include <opevo/sketch.h>
#include <opevo/template.h>

#include <stdlib.h>
#include <unistd.h>

static const char *const operators[] = {
    "matmul(16,32,8)",
    "matmul(7,13,11)",
    "matmul(24,20,40,TN)",
    "matmul(8,48,12,NT)",
    "batch_matmul(2,8,12,6)",
    "batch_matmul(3,5,7,9,TN)",
    "conv2d(1,5,7,7,11,3,3,1,1)",
    "conv2d(2,8,6,6,8,3,3,2,0)",
    "conv2d(2,3,9,8,5,3,3,2,1)",
    "conv2d(1,4,6,6,8,1,1,1,0)",
    "conv2d(1,3,23,23,16,11,11,4,0)",
};
enum { OPERATORS = sizeof operators / sizeof *operators };

static const opevo_kernel_dialect dialects[] = {OPEVO_KERNEL_C, OPEVO_KERNEL_CUDA, OPEVO_KERNEL_HIP,
                                                OPEVO_KERNEL_OPENCL, OPEVO_KERNEL_OPENCL_CPU};
enum { DIALECTS = sizeof dialects / sizeof *dialects };

static opevo_error err;

typedef struct counts {
    size_t verdict[3];
    double operations, time_s, kernel_time_s;
} counts;

typedef struct proving {
    char folder[64];
    size_t points, kept;
    counts of;      /* the family */
    uint64_t *seen; /* hashes of texts */
    size_t seen_count, seen_capacity;
} proving;

static void need(opevo_status status, const opevo_error *error, const char *what)
{
    if (status == OPEVO_OK)
        return;
    fprintf(stderr, "bench_proofs: %s: %s\n", what, error->message);
    exit(1);
}

/* ---- Kernels ---- */

static void tell(proving *self, const char *what, const opevo_kernel_maker *maker,
                 opevo_index point, const char *path, const char *verdict, const char *reason)
{
    char kept[160];
    opevo_text values = {0};

    opevo_space_print(maker->space, point, &values);
    snprintf(kept, sizeof kept, "%s/%zu-%s", self->folder, self->kept++, strrchr(path, '/') + 1);
    (void)rename(path, kept);
    fprintf(stderr, "%s\t%s\t%s\t%s\t%s\n", verdict, kept, what, opevo_text_string(&values),
            reason);
    opevo_text_free(&values);
}

static void prove_kernel(proving *self, const char *what, const opevo_kernel_maker *maker,
                         opevo_index point, const opevo_kernel *kernel)
{
    char path[128];
    opevo_proof proof;
    opevo_status status;

    snprintf(path, sizeof path, "%s/kernel.%s", self->folder, made_ending(kernel->dialect));
    need(opevo_file_write(path, kernel->source.data, kernel->source.length, &err), &err, path);
    status = made_prove(maker->computation, kernel, path, &proof, &err);
    if (status != OPEVO_OK) { /* as where the compiler does not know a word */
        proof = (opevo_proof){.verdict = OPEVO_PROOF_UNDECIDED};
        snprintf(proof.reason, sizeof proof.reason, "%.600s", err.message);
    }
    self->of.verdict[proof.verdict]++;
    self->of.operations += (double)proof.operations;
    self->of.time_s += proof.time_s;
    self->of.kernel_time_s += proof.kernel_time_s;
    if (proof.verdict != OPEVO_PROOF_PROVED)
        tell(self, what, maker, point, path, opevo_proof_verdict_name(proof.verdict), proof.reason);
    (void)unlink(path);
}

static bool is_new(proving *self, const opevo_kernel *kernel)
{
    uint64_t hash = opevo_hash_bytes(OPEVO_HASH_START, kernel->source.data, kernel->source.length);

    for (size_t i = 0; i < self->seen_count; i++)
        if (self->seen[i] == hash)
            return false;
    if (!opevo_reserve((void **)&self->seen, &self->seen_capacity, self->seen_count + 1,
                       sizeof *self->seen))
        exit(1);
    self->seen[self->seen_count++] = hash;
    return true;
}

/* Whether there is such a kernel, and it is new: some break limits of devices. */
static bool prove_point(proving *self, const char *what, const opevo_kernel_maker *maker,
                        opevo_index point)
{
    opevo_kernel kernel = {0};
    opevo_outcome_class refused = OPEVO_OUTCOME_OK;
    opevo_text why = {0};
    bool is_one = false;

    need(maker->ops->make(maker, point, &kernel, &refused, &why, &err), &err, what);
    is_one = refused == OPEVO_OUTCOME_OK && is_new(self, &kernel);
    if (is_one)
        prove_kernel(self, what, maker, point, &kernel);
    opevo_kernel_free(&kernel);
    opevo_text_free(&why);
    return is_one;
}

/* ---- Families ---- */

static void prove_sketches(proving *self, const char *what, opevo_kernel_dialect dialect)
{
    const unsigned threads = opevo_kernel_is_for_cpu(dialect) ? 2 : 1;
    const opevo_sketch_target target = {.dialect = dialect, .cores = 2, .threads = threads};
    opevo_computation *computation = NULL;
    opevo_sketches *sketches = NULL;
    opevo_kernel_maker *maker = NULL;

    need(opevo_computation_read(what, &computation, &err), &err, what);
    if (opevo_sketches_create(computation, &target, &sketches, &err) != OPEVO_OK) {
        opevo_computation_destroy(computation); /* one rule needs an axis that it lacks */
        return;
    }
    need(opevo_sketches_open(opevo_computation_share(computation), &target, &maker, &err), &err,
         what);
    for (size_t i = 0, made = 0; made < self->points && i < 4 * self->points; i++) {
        opevo_index point;
        opevo_rng rng;

        opevo_rng_init(&rng, i, what, 0);
        if (draw_in(&rng, maker->space, sketches, i % sketches->count, &point))
            made += prove_point(self, what, maker, point);
    }
    maker->ops->destroy(maker);
    opevo_sketches_destroy(sketches);
    opevo_computation_destroy(computation);
}

static void prove_template(proving *self, const char *what, const char *name,
                           opevo_kernel_dialect dialect, unsigned threads)
{
    opevo_kernel_maker *maker = NULL;
    opevo_operator op;
    opevo_rng rng;

    need(opevo_operator_parse(what, &op, &err), &err, what);
    if (opevo_template_open_threads(&op, name, dialect, threads, &maker, &err) != OPEVO_OK)
        return; /* it is not for this shape */
    opevo_rng_init(&rng, threads, what, 0);
    for (size_t made = 0, tries = 0; made < self->points && tries < 3000 * self->points; tries++) {
        opevo_index point = opevo_rng_point(&rng, maker->space);

        if (opevo_space_allows(maker->space, point))
            made += prove_point(self, what, maker, point);
    }
    maker->ops->destroy(maker);
}

static void prove_templates(proving *self, const char *what, opevo_kernel_dialect dialect)
{
    opevo_operator op;

    need(opevo_operator_parse(what, &op, &err), &err, what);
    for (size_t i = 0; i < opevo_template_count(); i++) {
        const opevo_template_info *info = opevo_template_get(i);

        if (!(info->kinds >> op.kind & 1) || !(info->dialects >> dialect & 1))
            continue;
        for (unsigned threads = 1; threads <= (dialect == OPEVO_KERNEL_C ? 2u : 1u); threads++)
            prove_template(self, what, info->name, dialect, threads);
    }
}

static void print(bench *table, const char *family, opevo_kernel_dialect dialect, const counts *of)
{
    char name[80];

    snprintf(name, sizeof name, "%s, %s: proved", family, opevo_kernel_dialect_name(dialect));
    bench_note(name, (double)of->verdict[OPEVO_PROOF_PROVED], "kernels");
    bench_at_most(table, "  refuted", (double)of->verdict[OPEVO_PROOF_REFUTED], 0, "kernels");
    bench_note("  undecided", (double)of->verdict[OPEVO_PROOF_UNDECIDED], "kernels");
    if (of->kernel_time_s > 0)
        bench_note("  of the kernels in the field", of->operations / of->kernel_time_s / 1e6,
                   "M/s");
    bench_note("  processor time of the proofs, without clang", of->time_s, "s");
}

static void prove_dialect(proving *self, bench *table, opevo_kernel_dialect dialect)
{
    self->of = (counts){.time_s = 0};
    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        prove_sketches(self, small[i], dialect);
    for (size_t i = 0; i < GPU_COMPUTATIONS; i++)
        prove_sketches(self, gpu_computations[i], dialect);
    print(table, "sketches", dialect, &self->of);
    self->of = (counts){.time_s = 0};
    for (size_t i = 0; i < OPERATORS; i++)
        prove_templates(self, operators[i], dialect);
    print(table, "templates", dialect, &self->of);
}

int main(int count, char **words)
{
    proving self = {.folder = "/tmp/opevo-proofs-XXXXXX",
                    .points = count > 1 ? strtoul(words[1], NULL, 10) : 1};
    bench table = {0};

    if (!mkdtemp(self.folder) || setenv("OPEVO_KERNELS", OPEVO_BENCH_KERNELS, 1) != 0)
        return 1;
    bench_title("Proofs of random kernels");
    for (size_t i = 0; i < DIALECTS; i++)
        if (count <= 2 || strcmp(words[2], opevo_kernel_dialect_name(dialects[i])) == 0)
            prove_dialect(&self, &table, dialects[i]);
    opevo_free(self.seen);
    (void)rmdir(self.folder); /* empty where all are proved */
    return bench_end(&table);
}
