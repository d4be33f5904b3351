/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Published spaces of kernels: the numbers of allowed points that enumeration by another solver
 * finds (docs/results/spaces.md), and uniform draws that all constraints allow. */

#include "check.h"

#include <stdio.h>

#include <opevo/diagram.h>
#include <opevo/hash.h>
#include <opevo/space.h>

static const struct {
    const char *name;
    uint64_t points, allowed;
} examples[] = {
    {"dedispersion", 22272, 11130}, {"expdist", 9732096, 504000},   {"hotspot", 22200000, 349853},
    {"microhh", 1166400, 138600},   {"gemm", 663552, 116928},       {"prl-2x2", 36864, 1200},
    {"prl-4x4", 9437184, 10800},    {"prl-8x8", 2415919104, 48720},
};

static uint64_t next_bits(void *context)
{
    uint64_t *state = context;

    return opevo_hash_mix(*state += UINT64_C(0x9e3779b97f4a7c15));
}

CHECK_TEST(test_counts)
{
    uint64_t seed = 1;

    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        char path[256];
        opevo_space *space = NULL;
        const opevo_diagram *diagram = NULL;
        opevo_index allowed = 0;

        snprintf(path, sizeof path, "%s/%s.json", OPEVO_TEST_EXAMPLES, examples[i].name);
        CHECK_OK(opevo_space_load(path, &space, &err));
        assert_true(opevo_space_size(space) == examples[i].points);
        CHECK_OK(opevo_space_diagram(space, &diagram, &err));
        assert_true(opevo_diagram_count(diagram, &allowed) && allowed == examples[i].allowed);
        for (int k = 0; k < 1000; k++)
            assert_true(
                opevo_space_allows(space, opevo_diagram_draw_point(diagram, next_bits, &seed)));
        opevo_space_destroy(space);
    }
}
