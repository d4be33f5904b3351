/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The detector of races against all pairs of accesses of random programs. OPEVO_TEST_POINTS sets
 * their number. */

#include "race_oracle.h"

enum { PROGRAMS = 2500 };

static race_oracle oracle;
static _Alignas(16) uint8_t memory[2][RACE_BYTES];

static simt_setting open_program(const race_program *program, const char *text,
                                 opevo_simt_order order)
{
    opevo_simt_options options = {.check_races = true,
                                  .warp_sync = program->warp_sync,
                                  .order = order,
                                  .order_seed = program->count};
    simt_setting machine = simt_open(text, &options);

    assert_true(opevo_simt_allow_same_value(machine.machine, "s1"));
    return machine;
}

static void add_buffers(const simt_setting *machine, opevo_simt_argument *arguments)
{
    for (unsigned i = 0; i < 2; i++) {
        opevo_simt_buffer buffer = {.data = memory[i],
                                    .size_bytes = RACE_BYTES,
                                    .initialised = true,
                                    .same_value_races = i};

        arguments[i] = (opevo_simt_argument){.is_buffer = true};
        CHECK_OK(opevo_simt_add_buffer(machine->machine, &buffer, &arguments[i].buffer, &err));
    }
}

/* The first launch of a program that the machine finds racy, or their number. */
static unsigned run_program(const simt_setting *machine, const race_program *program,
                            opevo_simt_result *result)
{
    opevo_simt_argument arguments[3] = {{0}};
    opevo_simt_launch launch = {.kernel = "f",
                                .grid = {program->blocks, 1, 1},
                                .block = {program->threads, 1, 1},
                                .arguments = arguments,
                                .argument_count = 3};

    memset(memory, 0, sizeof memory);
    CHECK_OK(opevo_simt_reset(machine->machine, &err));
    add_buffers(machine, arguments);
    for (unsigned i = 0; i < program->launches; i++) {
        arguments[2].bits = i;
        CHECK_OK(opevo_simt_run(machine->machine, &launch, result, &err));
        if (result->outcome == OPEVO_SIMT_RACE)
            return i;
        if (result->outcome != OPEVO_SIMT_OK)
            fail_msg("%s", result->message);
    }
    return program->launches;
}

/* The same by the oracle, under rules with a mistake. */
static unsigned first_race(const race_program *program, race_mistake mistake)
{
    for (unsigned i = 0; i < program->launches; i++) {
        race_list(&oracle, program, i, mistake);
        if (race_found(&oracle))
            return i;
    }
    return program->launches;
}

static void check_program(const race_program *program, const char *text, unsigned expected)
{
    for (opevo_simt_order order = OPEVO_SIMT_FORWARD; order <= OPEVO_SIMT_SHUFFLED; order++) {
        simt_setting machine = open_program(program, text, order);
        opevo_simt_result result = {.outcome = OPEVO_SIMT_OK};
        unsigned found = run_program(&machine, program, &result);

        simt_close(&machine);
        if (found != expected)
            fail_msg("%u blocks of %u, warp_sync %d, order %d: launch %u of %u races, not %u: "
                     "%s\n%s",
                     program->blocks, program->threads, program->warp_sync, order, expected,
                     program->launches, found, result.message, text);
        if (found == program->launches)
            continue;
        race_list(&oracle, program, found, RACE_NO_MISTAKE);
        if (!race_is_part(&oracle, result.block[0], result.thread[0],
                          (unsigned)strtoul(result.instruction + 1, NULL, 10)))
            fail_msg("this does not race: %s\n%s", result.message, text);
    }
}

static size_t program_count(void)
{
    const char *points = getenv("OPEVO_TEST_POINTS");

    return points ? strtoul(points, NULL, 10) : PROGRAMS;
}

/* Every verdict is the oracle's, in every order of blocks and warps; and a detector with any of the
 * mistakes would have been found out. */
CHECK_TEST(test_random_programs)
{
    size_t races = 0, count = program_count(), told[RACE_MISTAKES] = {0};
    uint64_t stream = 11;

    for (size_t i = 0; i < count; i++) {
        race_program program = race_draw(&stream);
        opevo_text text = {0};
        unsigned expected;

        race_emit(&program, &text);
        expected = first_race(&program, RACE_NO_MISTAKE);
        check_program(&program, opevo_text_string(&text), expected);
        races += expected < program.launches;
        for (race_mistake mistake = 1; mistake < RACE_MISTAKES; mistake++)
            told[mistake] += first_race(&program, mistake) != expected;
        opevo_text_free(&text);
    }
    print_message("%zu of %zu programs race\n", races, count);
    for (race_mistake mistake = 1; mistake < RACE_MISTAKES; mistake++) {
        if (!told[mistake])
            fail_msg("no program tells mistake %d apart", mistake);
    }
}
