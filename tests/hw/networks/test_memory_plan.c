/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Memory plans of random networks, executed in an arena in which everything that nobody needs is
 * poisoned after each step; and the inputs that kernels may overwrite. */

#include "network_draw.h"

#include <opevo/network_library.h>

#include <stdlib.h>

static float *memory_of[NETWORK_MOST]; /* of the reference: each value its own */
static float *arena;

static int64_t elements_of(const network_draw *self, int value)
{
    return opevo_array_elements(&self->value[value].array);
}

/* ---- Networks ---- */

static void draw_step(network_draw *self, uint32_t *in_place, uint64_t *state)
{
    static const int64_t sizes[] = {16, 32, 48, 64, 5, 20};
    int known = self->super.values, parts[3] = {0}, count = 1 + (int)draw(state, 3), output = 0;
    uint64_t kind = draw(state, 10);

    for (int i = 0; i < count; i++) /* mostly recent ones */
        parts[i] = draw(state, 3) ? known - 1 - (int)draw(state, known < 4 ? (uint64_t)known : 4)
                                  : (int)draw(state, (uint64_t)known);
    if (kind < 3) {
        network_join(self, parts, count);
    } else if (kind < 4) {
        int64_t extent[2] = {1, elements_of(self, parts[0])};

        network_view(self, parts[0], 2, extent);
    } else {
        int64_t size = draw(state, 2) ? elements_of(self, parts[0]) : sizes[draw(state, 6)];
        opevo_network_step *step = NULL;

        output = network_value(self, 1, &size);
        step = network_step(self, OPEVO_NETWORK_STEP_COMPUTE, output);
        for (int i = 0; i < count; i++)
            network_read(step, parts[i]);
        in_place[self->super.steps - 1] = size == elements_of(self, parts[0]);
    }
}

static void draw_network(network_draw *self, uint32_t *in_place, uint64_t *state)
{
    int64_t size = 32;
    int steps = 3 + (int)draw(state, 30);

    network_start(self);
    network_input(self, 1, &size);
    network_constant(self, 1, &size, 1, state);
    for (int n = 0; n < steps; n++)
        draw_step(self, in_place, state);
    network_output(self, self->super.values - 1);
    if (draw(state, 2))
        network_output(self, (int)draw(state, (uint64_t)self->super.values - 1));
}

/* ---- Execution ---- */

/* y[i] = 3/4 x0[i] + 1 + sum_{k>0} x_k[0], one element after the other; x0 may be y. */
static void compute(const network_draw *self, const opevo_network_step *step, float *const *at)
{
    float *y = at[step->output[0]];
    int64_t count = elements_of(self, step->output[0]), own = elements_of(self, step->input[0]);

    for (int64_t i = 0; i < count; i++) {
        float sum = 0.75f * at[step->input[0]][i % own] + 1;

        for (int k = 1; k < step->inputs; k++)
            sum += 0.125f * at[step->input[k]][0];
        y[i] = sum;
    }
}

/* Places of a spoilt plan may overlap. */
static void copy_boxes(const opevo_network_step *step, float *const *at,
                       const opevo_memory_plan *plan)
{
    for (int i = 0; i < step->copies; i++) {
        const opevo_network_copy *copy = &step->copy[i];

        if (!plan || !opevo_memory_plan_is_there(plan, step, copy))
            memmove(at[step->output[0]] + copy->to, at[step->input[copy->input]] + copy->from,
                    (size_t)copy->extent[0] * sizeof(float));
    }
}

static void execute(const network_draw *self, const opevo_network_step *step, float *const *at,
                    const opevo_memory_plan *plan)
{
    if (step->kind == OPEVO_NETWORK_STEP_COMPUTE)
        compute(self, step, at);
    else if (step->kind == OPEVO_NETWORK_STEP_COPY)
        copy_boxes(step, at, plan);
    else if (!plan)
        memmove(at[step->output[0]], at[step->input[0]],
                (size_t)elements_of(self, step->output[0]) * sizeof(float));
}

static bool is_read_after(const network_draw *self, const opevo_memory_plan *plan, int value, int n)
{
    if (self->value[value].output)
        return true;
    for (int m = n + 1; m < self->super.steps; m++) {
        for (int i = 0; i < self->step[m].inputs; i++) {
            if (self->step[m].input[i] == value && opevo_memory_plan_needs(plan, &self->step[m]))
                return true;
        }
    }
    return false;
}

/* Everything that is not a value made so far and still needed. A part of a result that is not
 * copied later is needed until then: it is read by that step. */
static void poison(const network_draw *self, const opevo_memory_plan *plan, int n)
{
    int64_t count = plan->bytes / (int64_t)sizeof(float);
    bool *kept = calloc((size_t)count + 1, sizeof *kept);

    for (int m = 0; m <= n; m++) {
        int value = self->step[m].output[0];
        const opevo_memory_place *place = &plan->place[value];

        if (place->kind == OPEVO_MEMORY_ARENA && is_read_after(self, plan, value, n))
            memset(kept + place->offset / (int64_t)sizeof(float), 1,
                   (size_t)elements_of(self, value));
    }
    for (int64_t i = 0; i < count; i++)
        arena[i] = kept[i] ? arena[i] : NAN;
    free(kept);
}

static void check_equal(const network_draw *self, int value, const float *found)
{
    for (int64_t i = 0; i < elements_of(self, value); i++) {
        if (found[i] != memory_of[value][i])
            fail_msg("value %d, element %d: %g instead of %g", value, (int)i, (double)found[i],
                     (double)memory_of[value][i]);
    }
}

static void check_plan(network_draw *self, const uint32_t *in_place)
{
    opevo_memory_plan *plan = NULL;
    float *at[NETWORK_MOST] = {NULL};

    CHECK_OK(opevo_memory_plan_create(&self->super, in_place, &plan, &err));
    CHECK_OK(opevo_memory_plan_check(&self->super, plan, in_place, &err));
    arena = malloc((size_t)plan->bytes + 1);
    for (int i = 0; i < self->super.values; i++) {
        const opevo_memory_place *place = &plan->place[i];

        memory_of[i] = self->value[i].array.data;
        if (!memory_of[i])
            memory_of[i] = calloc((size_t)elements_of(self, i) + 1, sizeof(float));
        assert_true(place->kind != OPEVO_MEMORY_ARENA ||
                    (place->offset % OPEVO_MEMORY_ALIGNMENT == 0 &&
                     place->offset + elements_of(self, i) * 4 <= plan->bytes));
        at[i] =
            place->kind == OPEVO_MEMORY_ARENA ? arena + place->offset / 4 : memory_of[place->value];
    }
    for (int i = 0; i < 32; i++)
        memory_of[self->inputs[0]][i] = (float)i;
    poison(self, plan, -1);
    for (int n = 0; n < self->super.steps; n++) {
        execute(self, &self->step[n], memory_of, NULL);
        if (!opevo_memory_plan_needs(plan, &self->step[n]))
            continue;
        for (int i = 0; i < self->step[n].inputs; i++)
            check_equal(self, self->step[n].input[i], at[self->step[n].input[i]]);
        execute(self, &self->step[n], at, plan);
        poison(self, plan, n);
    }
    for (int i = 0; i < self->super.outputs; i++)
        check_equal(self, self->outputs[i], at[self->outputs[i]]);
    for (int i = 0; i < self->super.values; i++) {
        if (!self->value[i].array.data)
            free(memory_of[i]);
    }
    free(arena);
    opevo_memory_plan_destroy(plan);
}

/* No two values that are needed overlap, whatever the network is. */
CHECK_TEST(nothing_is_overwritten)
{
    static network_draw network;
    uint64_t state = 7;

    for (int i = 0; i < 3000; i++) {
        uint32_t in_place[NETWORK_MOST] = {0};

        draw_network(&network, in_place, &state);
        check_plan(&network, in_place);
        network_free(&network);
    }
}

/* Whether a plan gives the outputs that the steps have with memory of their own: what nothing has
 * written is poison. */
static bool is_right(network_draw *self, const opevo_memory_plan *plan)
{
    float *at[NETWORK_MOST] = {NULL};
    bool right = true;

    arena = malloc((size_t)plan->bytes + 1);
    for (int64_t i = 0; i < plan->bytes / 4; i++)
        arena[i] = NAN;
    for (int i = 0; i < self->super.values; i++) {
        const opevo_memory_place *place = &plan->place[i];

        memory_of[i] = self->value[i].array.data;
        if (!memory_of[i])
            memory_of[i] = calloc((size_t)elements_of(self, i) + 1, sizeof(float));
        at[i] =
            place->kind == OPEVO_MEMORY_ARENA ? arena + place->offset / 4 : memory_of[place->value];
    }
    for (int i = 0; i < 32; i++)
        memory_of[self->inputs[0]][i] = (float)(i * i + 1);
    for (int n = 0; n < self->super.steps; n++) {
        execute(self, &self->step[n], memory_of, NULL);
        if (opevo_memory_plan_needs(plan, &self->step[n]))
            execute(self, &self->step[n], at, plan);
    }
    for (int i = 0; i < self->super.outputs; i++) {
        int value = self->outputs[i];

        for (int64_t e = 0; e < elements_of(self, value); e++)
            right &= at[value][e] == memory_of[value][e];
    }
    for (int i = 0; i < self->super.values; i++)
        if (!self->value[i].array.data)
            free(memory_of[i]);
    free(arena);
    return right;
}

/* Plans with one value elsewhere: the check lets none through that a run shows to be wrong. */
CHECK_TEST(spoilt_plans_are_found)
{
    static network_draw network;
    uint64_t state = 11;
    int wrong = 0, found = 0;

    for (int i = 0; i < 3000; i++) {
        uint32_t in_place[NETWORK_MOST] = {0};
        opevo_memory_plan *plan = NULL;
        int value;
        bool passes, right;

        draw_network(&network, in_place, &state);
        CHECK_OK(opevo_memory_plan_create(&network.super, in_place, &plan, &err));
        value = (int)draw(&state, (uint64_t)network.super.values);
        if (plan->place[value].kind == OPEVO_MEMORY_ARENA && plan->bytes > 64) {
            plan->place[value].offset = 64 * (int64_t)draw(&state, (uint64_t)plan->bytes / 64);
            passes = opevo_memory_plan_check(&network.super, plan, in_place, NULL) == OPEVO_OK;
            right = plan->place[value].offset + 4 * elements_of(&network, value) <= plan->bytes &&
                    is_right(&network, plan);
            wrong += !right;
            found += !passes;
            if (passes && !right)
                fail_msg("network %d: value %d at %d", i, value, (int)plan->place[value].offset);
        }
        opevo_memory_plan_destroy(plan);
        network_free(&network);
    }
    print_message("%d plans are wrong, %d are refused\n", wrong, found);
    assert_true(wrong > 200 && found >= wrong);
}

/* Chains whose ends are joined: producers write into the result, which is all where values are made
 * in place. */
CHECK_TEST(memory_is_shared)
{
    static network_draw network;
    uint32_t in_place[NETWORK_MOST] = {0};
    opevo_memory_plan *plan = NULL;
    int64_t size = 64;
    int parts[2] = {0};

    network_start(&network);
    for (int k = 0; k < 2; k++) {
        int value = k ? network.inputs[0] : network_input(&network, 1, &size);

        for (int n = 0; n < 5; n++) {
            int next = network_value(&network, 1, &size);

            network_read(network_step(&network, OPEVO_NETWORK_STEP_COMPUTE, next), value);
            value = next;
        }
        parts[k] = value;
    }
    network_output(&network, network_join(&network, parts, 2));
    CHECK_OK(opevo_memory_plan_create(&network.super, in_place, &plan, &err));
    assert_int_equal(plan->bytes, 4 * 256);
    for (int i = 0; i < 2; i++)
        assert_true(opevo_memory_plan_is_there(plan, &network.step[10], &network.step[10].copy[i]));
    opevo_memory_plan_destroy(plan);
    memset(in_place, 0xff, sizeof in_place);
    CHECK_OK(opevo_memory_plan_create(&network.super, in_place, &plan, &err));
    assert_int_equal(plan->bytes, 2 * 256);
    assert_int_equal(plan->peak_bytes, 4 * 256);
    opevo_memory_plan_destroy(plan);
    network_free(&network);
}

CHECK_TEST(no_memory_is_said)
{
    static network_draw network;
    uint32_t in_place[NETWORK_MOST] = {0};
    opevo_memory_plan *plan = NULL;
    uint64_t state = 1;
    int64_t live = 0;
    int failures = 0;

    draw_network(&network, in_place, &state);
    live = opevo_memory_live();
    for (;; failures++) {
        opevo_status status = OPEVO_OK;

        opevo_memory_fail_at(failures + 1);
        status = opevo_memory_plan_create(&network.super, in_place, &plan, NULL);
        opevo_memory_fail_at(0);
        if (status == OPEVO_OK)
            break;
        assert_int_equal(status, OPEVO_NOMEM);
        assert_int_equal(opevo_memory_live(), live);
    }
    assert_int_equal(failures, 4);
    opevo_memory_plan_destroy(plan);
    network_free(&network);
}

CHECK_TEST(inputs_that_may_be_overwritten)
{
    static const struct {
        const char *text;
        uint32_t inputs;
    } cases[] = {
        {"X0[1,4,8]; Y0[a:1,b:4,c:8] = max(X0[0,b,c], 0)", 1},
        {"X0[4,8]; X1[4,8]; Y0[a:4,b:8] = X0[a,b] + X1[a,b]", 3},
        {"X0[4,8]; const X1[4]; Y0[a:4,b:8] = X0[a,b]*X1[a]", 1},
        {"X0[8,8]; Y0[a:8,b:8] = X0[b,a]", 0},
        {"X0[8,8]; X1[8]; Y0[a:8,b:8] = X0[a,b] + X1[b]", 1},
        {"X0[8]; Y0[a:8] = select(a < 7, X0[a + 1], 0)", 0},
        {"X0[8]; T[a:8] = X0[a]*2; Y0[a:8] = select(0 < a, T[a - 1], 0)", 0},
        {"X0[8]; T[a:8] = X0[a]*2; Y0[a:8] = T[a] + X0[a]", 1},
        {"X0[4,8]; S[a:4] = sum(b:8) X0[a,b]; Y0[a:4,b:8] = X0[a,b]/S[a]", 0},
        {"X0[4,8]; X2[4,8]; const X1[8,8]; C[a:4,b:8] = sum(k:8) X0[a,k]*X1[k,b]; "
         "Y0[a:4,b:8] = max(C[a,b] + X2[a,b], 0)",
         4},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        opevo_computation *computation = NULL;

        CHECK_OK(opevo_computation_parse(cases[i].text, "text", NULL, 0, &computation, &err));
        if (opevo_computation_in_place(computation) != cases[i].inputs)
            fail_msg("%s: %x", cases[i].text, opevo_computation_in_place(computation));
        opevo_computation_destroy(computation);
    }
}
