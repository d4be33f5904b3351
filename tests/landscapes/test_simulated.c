/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The simulated landscape: outcome classes at the edge of each limit, bounds that no time may
 * break, the memory access counts against lane by lane counting, device files, and the cache of
 * optima. */

#include "check.h"
#include "remove_tree.h"

#include "simulated_internal.h"

#include <opevo/file.h>
#include <opevo/hash.h>
#include <opevo/loop_tree.h>
#include <opevo/memory.h>

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static opevo_objective *open_on(const char *text, const char *device)
{
    opevo_objective *objective = NULL;
    opevo_operator op;

    CHECK_OK(opevo_operator_parse(text, &op, &err));
    CHECK_OK(opevo_simulated_open(&op, device, &objective, &err));
    return objective;
}

static opevo_outcome evaluate_at(opevo_objective *objective, opevo_index point)
{
    opevo_outcome outcome;

    CHECK_OK(opevo_objective_evaluate(objective, &point, 1, &outcome, &err));
    return outcome;
}

static opevo_outcome evaluate_text(opevo_objective *objective, const char *text)
{
    opevo_index point = 0;

    CHECK_OK(opevo_space_read(objective->space, text, &point, &err));
    return evaluate_at(objective, point);
}

static void check_class(opevo_objective *objective, const char *text, opevo_outcome_class expected)
{
    opevo_outcome outcome = evaluate_text(objective, text);

    if (outcome.kind != expected)
        fail_msg("%s %s: %s, expected %s", objective->name, text, opevo_outcome_name(outcome.kind),
                 opevo_outcome_name(expected));
    if (expected == OPEVO_OUTCOME_OK) {
        assert_true(outcome.fitness > 0.0 && outcome.time_s > 0.0);
        CHECK_CLOSE(outcome.fitness * outcome.time_s * 1e9, objective->flop,
                    1e-12 * objective->flop);
        assert_true(outcome.run_s >= 6.0 * outcome.time_s * (1.0 - 1e-12));
    } else {
        CHECK_CLOSE(outcome.fitness, 0.0, 0.0);
        assert_non_null(outcome.message);
    }
}

CHECK_TEST(test_classes)
{
    opevo_objective *mm1 = open_on("mm1", "gtx1080ti");
    opevo_objective *bmm1 = open_on("bmm1", "gtx1080ti");
    opevo_objective *c2 = open_on("c2", "gtx1080ti");

    assert_string_equal(mm1->name, "sim:gtx1080ti mm1");
    assert_string_equal(mm1->unit, "GFLOP/s");
    /* 32 x 32 threads are allowed, 32 x 64 are not. */
    check_class(mm1, "K=256,2,2 X=16,1,32,1 Y=32,1,32,1", OPEVO_OUTCOME_OK);
    check_class(mm1, "K=256,2,2 X=16,1,32,1 Y=16,1,64,1", OPEVO_OUTCOME_REJECTED);
    /* 2 * 4 * (128 + 64) * 32 = 49152 bytes are allowed; the next tile has 65536. */
    check_class(mm1, "K=32,32,1 X=4,1,16,8 Y=16,1,16,4", OPEVO_OUTCOME_OK);
    check_class(mm1, "K=32,32,1 X=4,1,16,8 Y=8,1,16,8", OPEVO_OUTCOME_REJECTED);
    /* One stage fits in shared memory only with tiny tiles, and then does not compile. */
    check_class(mm1, "K=1,1024,1 X=256,1,2,1 Y=256,1,4,1", OPEVO_OUTCOME_BUILD_ERROR);
    check_class(mm1, "K=1,1024,1 X=1,1,512,1 Y=1,1,4,256", OPEVO_OUTCOME_REJECTED);
    check_class(bmm1, "B=15,64 K=128,1,1 X=32,1,4,1 Y=16,1,4,1", OPEVO_OUTCOME_OK);
    check_class(bmm1, "B=10,96 K=128,1,1 X=32,1,4,1 Y=32,1,2,1", OPEVO_OUTCOME_LAUNCH_ERROR);
    /* 512 images * 128 blocks = 65536 > 65535. */
    check_class(c2,
                "tile_f=96,1,2,1 tile_y=1,1,27,1 tile_x=1,1,9,3 tile_rc=64,1 tile_ry=5,1 "
                "tile_rx=5,1 auto_unroll_max_step=0 unroll_explicit=0",
                OPEVO_OUTCOME_OK);
    check_class(c2,
                "tile_f=192,1,1,1 tile_y=1,1,27,1 tile_x=1,1,9,3 tile_rc=64,1 tile_ry=5,1 "
                "tile_rx=5,1 auto_unroll_max_step=0 unroll_explicit=0",
                OPEVO_OUTCOME_LAUNCH_ERROR);
    opevo_objective_destroy(mm1);
    opevo_objective_destroy(bmm1);
    opevo_objective_destroy(c2);
}

/* The wider limits of the MI50 turn failures into successes. */
CHECK_TEST(test_limits_are_data)
{
    opevo_objective *mm1 = open_on("mm1", "mi50");
    opevo_objective *bmm1 = open_on("bmm1", "mi50");

    check_class(mm1, "K=32,32,1 X=4,1,16,8 Y=8,1,16,8", OPEVO_OUTCOME_OK);
    check_class(bmm1, "B=10,96 K=128,1,1 X=32,1,4,1 Y=32,1,2,1", OPEVO_OUTCOME_OK);
    opevo_objective_destroy(mm1);
    opevo_objective_destroy(bmm1);
}

/* No point is faster than the multiply-adds at full rate, or than the bytes that must be moved; the
 * same point gives the same bits, alone or in a batch. 2,000 spread points of each operator. */
CHECK_TEST(test_bounds)
{
    for (size_t d = 0; d < opevo_device_count(); d++) {
        opevo_i_landscape_device device;

        CHECK_OK(opevo_i_landscape_device_load(opevo_device_get(d).name, &device, &err));
        for (size_t o = 0; o < opevo_operator_count(); o++) {
            opevo_objective *objective =
                open_on(opevo_operator_get(o)->name, opevo_device_get(d).name);
            double peak = 2.0 * device.processors * device.schedulers * device.lanes *
                          device.clock_ghz * device.compute_efficiency;
            opevo_index size = opevo_space_size(objective->space);
            opevo_index points[2000];
            opevo_outcome outcomes[2000];

            for (size_t i = 0; i < 2000; i++)
                points[i] = opevo_hash_mix(i + 1) % size;
            CHECK_OK(opevo_objective_evaluate(objective, points, 2000, outcomes, &err));
            for (size_t i = 0; i < 2000; i++) {
                opevo_outcome again = evaluate_at(objective, points[i]);

                assert_int_equal(again.kind, outcomes[i].kind);
                assert_true(again.fitness == outcomes[i].fitness);
                if (outcomes[i].kind != OPEVO_OUTCOME_OK)
                    continue;
                assert_true(outcomes[i].fitness <= peak);
                assert_true(outcomes[i].time_s >= device.launch_us * 1e-6);
            }
            opevo_objective_destroy(objective);
        }
    }
}

/* ---- Access patterns against counting lane by lane ---- */

/* Lanes in groups as served together; in a group, the words of one address are fetched once, and a
 * bank gives one word a cycle. */
static double count_bank_cycles(int together, int distinct, int repeat, int stride, int width,
                                int lanes)
{
    int cycles = 0;

    for (int first = 0; first < lanes; first += together) {
        int queue[32] = {0};
        int longest = 0;
        int seen = -1;

        for (int lane = first; lane < first + together && lane < lanes; lane++) {
            int address = lane / repeat % distinct;

            if (address <= seen)
                continue;
            seen = address;
            for (int w = 0; w < width; w++) {
                int *length = &queue[(address * stride + w) % 32];

                if (++*length > longest)
                    longest = *length;
            }
        }
        cycles += longest;
    }
    return cycles;
}

CHECK_TEST(test_bank_cycles)
{
    for (int words = 32; words <= 64; words *= 2) {
        opevo_i_landscape_device device = {.shared_words_per_cycle = words};

        for (int lanes = 32; lanes <= 64; lanes *= 2)
            for (int width = 1; width <= 4; width *= 2)
                for (int repeat = 1; repeat <= lanes; repeat *= 2)
                    for (int stride = width; stride <= 40 * width; stride += width) {
                        int together = words / width < lanes ? words / width : lanes;
                        int distinct = lanes / repeat;

                        CHECK_CLOSE(
                            opevo_i_landscape_bank_cycles(&device, distinct, repeat, stride, width,
                                                          lanes),
                            count_bank_cycles(together, distinct, repeat, stride, width, lanes),
                            0.0);
                    }
    }
}

/* Pieces of `unit` words touched, rows lying far apart. */
static double count_pieces(int lanes, int stride, int width, int row, int unit)
{
    int count = 0;
    int last = -1;

    for (int lane = 0; lane < lanes; lane++)
        for (int w = 0; w < width; w++) {
            int word = lane * stride + w;
            int piece = word / row * 100000 + word % row / unit;

            count += piece != last;
            last = piece;
        }
    return count;
}

CHECK_TEST(test_pieces)
{
    for (int unit = 8; unit <= 32; unit *= 2)
        for (int width = 1; width <= 4; width *= 4)
            for (int stride = width; stride <= 64; stride *= 2)
                for (int row = width; row <= 1024; row *= 2)
                    CHECK_CLOSE(opevo_i_landscape_pieces(32, stride, width, row, unit),
                                count_pieces(32, stride, width, row, unit), 0.0);
}

/* ---- Devices ---- */

CHECK_TEST(test_devices)
{
    bool has_gtx = false;

    assert_true(opevo_device_count() >= 5);
    for (size_t i = 0; i < opevo_device_count(); i++) {
        opevo_device_info info = opevo_device_get(i);
        opevo_i_landscape_device device;

        CHECK_OK(opevo_i_landscape_device_load(info.name, &device, &err));
        assert_true(strlen(info.title) > 0);
        has_gtx = has_gtx || strcmp(info.name, "gtx1080ti") == 0;
        if (i)
            assert_true(strcmp(opevo_device_get(i - 1).name, info.name) < 0);
    }
    assert_true(has_gtx);
}

static const char *embedded(const char *name)
{
    for (size_t i = 0; i < opevo_i_landscape_embedded_device_count; i++) {
        if (strcmp(opevo_i_landscape_embedded_devices[i].name, name) == 0)
            return opevo_i_landscape_embedded_devices[i].json;
    }
    fail_msg("no device %s", name);
    return NULL;
}

/* The folder of this test's files, which is also its cache folder, as an absolute path. */
static char *folder;
static char *device_path;

static int make_folder(void **state)
{
    char name[] = "simulated_test_XXXXXX";
    opevo_text path = {0};

    if (!mkdtemp(name))
        return -1;
    folder = realpath(name, NULL);
    opevo_text_printf(&path, "%s/device.json", folder);
    device_path = path.data;
    return setenv("XDG_CACHE_HOME", folder, 1);
}

static int remove_folder(void **state)
{
    int failed = remove_tree(folder);

    free(folder);
    opevo_free(device_path);
    return failed;
}

/* Write the file of gtx1080ti with `from` replaced by `to`. */
static void write_device(const char *from, const char *to)
{
    const char *json = embedded("gtx1080ti");
    const char *at = strstr(json, from);
    opevo_text text = {0};

    assert_non_null(at);
    opevo_text_add_bytes(&text, json, (size_t)(at - json));
    opevo_text_add(&text, to);
    opevo_text_add(&text, at + strlen(from));
    CHECK_OK(opevo_file_write(device_path, text.data, text.length, &err));
    opevo_text_free(&text);
}

CHECK_TEST(test_device_files)
{
    opevo_objective *known = open_on("mm1", "gtx1080ti");
    opevo_objective *own = NULL;
    opevo_objective *slower = NULL;
    opevo_index point = 0;

    write_device("{", "{");
    own = open_on("mm1", device_path);
    write_device("\"launch_us\": 5", "\"launch_us\": 1005");
    slower = open_on("mm1", device_path);
    assert_true(own->signature == known->signature);
    assert_true(slower->signature != known->signature);
    CHECK_OK(opevo_space_read(own->space, "K=128,4,2 X=8,4,16,1 Y=16,2,8,4", &point, &err));
    CHECK_CLOSE(evaluate_at(own, point).time_s, evaluate_at(known, point).time_s, 0.0);
    CHECK_CLOSE(evaluate_at(slower, point).time_s - evaluate_at(known, point).time_s, 1e-3, 1e-12);
    opevo_objective_destroy(known);
    opevo_objective_destroy(own);
    opevo_objective_destroy(slower);
}

CHECK_TEST(test_bad_device_files)
{
    static const struct {
        const char *from, *to, *words;
    } bad[] = {
        {"{", "[", "device.json:"},
        {"\"launch_us\"", "\"launch_ms\"",
         "device.json: launch_ms: unknown key; did you mean \"launch_us\"?"},
        {"\"title\"", "\"name\"", "device.json: name: unknown key"},
        {"\"warp_size\": 32,", "", "warp_size: must be given, as a whole number"},
        {"\"warp_size\": 32", "\"warp_size\": \"32\"", "warp_size: must be a whole number"},
        {"\"warp_size\": 32", "\"warp_size\": 0", "warp_size: must be a whole number from 1"},
        {"\"warp_size\": 32", "\"warp_size\": 32.5", "warp_size: must be a whole number"},
        {"\"overlap\": 0.9", "\"overlap\": 1.5", "overlap: must be a number from 0 to 1"},
        {"\"warp_size\": 32", "\"warp_size\": 32, \"warp_size\": 64", "duplicate"},
    };
    opevo_operator op = opevo_operator_get(0)->op;
    opevo_objective *objective = NULL;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_device(bad[i].from, bad[i].to);
        CHECK_FAILS(OPEVO_INVALID, bad[i].words,
                    opevo_simulated_open(&op, device_path, &objective, &err));
    }
    CHECK_FAILS(OPEVO_INVALID, "use one of a100, gtx1080ti",
                opevo_simulated_open(&op, "gtx9999", &objective, &err));
    CHECK_FAILS(OPEVO_IO, "absent.json",
                opevo_simulated_open(&op, "absent.json", &objective, &err));
    assert_null(objective);
}

/* ---- The optimum and its cache ---- */

static opevo_optimum optimum_of(const char *op, const char *device)
{
    opevo_objective *objective = open_on(op, device);
    opevo_optimum best;
    opevo_optimum again;

    CHECK_OK(opevo_objective_optimum(objective, &best, &err));
    CHECK_OK(opevo_objective_optimum(objective, &again, &err));
    assert_true(best.known && best.point == again.point && best.fitness == again.fitness);
    CHECK_CLOSE(evaluate_at(objective, best.point).fitness, best.fitness, 0.0);
    opevo_objective_destroy(objective);
    return best;
}

/* Brute force, smallest point first. */
static opevo_optimum brute_force(const char *op, const char *device)
{
    opevo_objective *objective = open_on(op, device);
    opevo_optimum best = {.known = false};

    for (opevo_index point = 0; point < opevo_space_size(objective->space); point++) {
        opevo_outcome outcome = evaluate_at(objective, point);

        if (outcome.kind == OPEVO_OUTCOME_OK && (!best.known || outcome.fitness > best.fitness))
            best = (opevo_optimum){true, point, outcome.fitness};
    }
    opevo_objective_destroy(objective);
    return best;
}

/* 66 * 84 * 84 points: more than one chunk, with ties. */
static const char small_op[] = "matmul(64,1024,64)";

static char *small_cache_path(void)
{
    opevo_objective *objective = open_on(small_op, "v100");
    char name[64];
    char *path = NULL;

    snprintf(name, sizeof name, "optimum-%016llx.txt", (unsigned long long)objective->signature);
    CHECK_OK(opevo_cache_path(name, &path, &err));
    opevo_objective_destroy(objective);
    return path;
}

CHECK_TEST(test_optimum)
{
    opevo_optimum expected = brute_force(small_op, "v100");
    opevo_optimum found = optimum_of(small_op, "v100");
    char *path = small_cache_path();

    assert_true(found.point == expected.point);
    CHECK_CLOSE(found.fitness, expected.fitness, 0.0);
    assert_int_equal(access(path, R_OK), 0);
    assert_true(optimum_of(small_op, "v100").point == expected.point); /* now from the cache */
    opevo_free(path);
}

/* A damaged file, or one whose point does not have its fitness, is not believed, and is replaced.
 */
CHECK_TEST(test_spoilt_cache)
{
    opevo_optimum expected = optimum_of(small_op, "v100");
    char *path = small_cache_path();
    char *good = NULL;
    size_t size = 0;

    CHECK_OK(opevo_file_read(path, SIZE_MAX, &good, &size, &err));
    for (size_t i = 0; i <= size; i++) {
        opevo_text spoilt = {0};
        char *healed = NULL;
        size_t healed_size = 0;

        if (i % 7 != 0 && i != size && i + 2 != size)
            continue; /* each kind of place is hit in a few files */
        opevo_text_add_bytes(&spoilt, good, i);
        if (i < size) {
            opevo_text_add(&spoilt, good[i] == '1' ? "2" : "1");
            opevo_text_add(&spoilt, good + i + 1);
        } else {
            opevo_text_add(&spoilt, "more\n");
        }
        CHECK_OK(opevo_file_write(path, spoilt.data, spoilt.length, &err));
        assert_true(optimum_of(small_op, "v100").point == expected.point);
        CHECK_OK(opevo_file_read(path, SIZE_MAX, &healed, &healed_size, &err));
        assert_int_equal(healed_size, size);
        assert_memory_equal(healed, good, size);
        opevo_free(healed);
        opevo_text_free(&spoilt);
    }
    opevo_free(good);
    opevo_free(path);
}

CHECK_TEST(test_no_cache_folder)
{
    opevo_optimum expected = optimum_of(small_op, "v100");

    setenv("XDG_CACHE_HOME", "/dev/null/absent", 1);
    assert_true(optimum_of(small_op, "v100").point == expected.point);
    setenv("XDG_CACHE_HOME", folder, 1);
}

/* A space too large to enumerate has no known optimum, and still evaluates. */
CHECK_TEST(test_large_space)
{
    opevo_objective *objective = open_on("batch_matmul(46080,46080,46080,46080)", "h200");
    opevo_optimum best;

    assert_true(opevo_space_size(objective->space) > (opevo_index)1 << 33);
    CHECK_OK(opevo_objective_optimum(objective, &best, &err));
    assert_false(best.known);
    check_class(objective, "B=46080,1 K=5760,4,2 X=360,1,16,8 Y=360,1,16,8", OPEVO_OUTCOME_OK);
    opevo_objective_destroy(objective);
}

CHECK_TEST(test_allocations)
{
    opevo_operator op = opevo_operator_get(0)->op;
    int64_t before = opevo_memory_live();
    bool failed = true;

    for (int64_t n = 1; failed; n++) {
        opevo_objective *objective = NULL;
        opevo_status status = OPEVO_OK;

        opevo_memory_fail_at(n);
        status = opevo_simulated_open(&op, "gtx1080ti", &objective, NULL);
        opevo_memory_fail_at(0);
        failed = status != OPEVO_OK;
        if (failed) {
            assert_int_equal(status, OPEVO_NOMEM);
            assert_null(objective);
        }
        opevo_objective_destroy(objective);
        assert_int_equal(opevo_memory_live(), before);
    }
}

/* The enumeration and the cache: whatever allocation fails, the optimum is right or NOMEM is
 * returned. There are fewer than 40 allocations. */
CHECK_TEST(test_optimum_allocations)
{
    opevo_optimum expected = brute_force("matmul(8,8,8)", "a100");
    opevo_objective *objective = open_on("matmul(8,8,8)", "a100");
    char name[64];
    char *path = NULL;

    snprintf(name, sizeof name, "optimum-%016llx.txt", (unsigned long long)objective->signature);
    CHECK_OK(opevo_cache_path(name, &path, &err));
    opevo_objective_destroy(objective);
    for (int64_t n = 1; n <= 40; n++) {
        int64_t before = opevo_memory_live();
        opevo_objective *fresh = open_on("matmul(8,8,8)", "a100");
        opevo_optimum best = {.known = false};
        opevo_status status = OPEVO_OK;

        unlink(path);
        opevo_memory_fail_at(n);
        status = opevo_objective_optimum(fresh, &best, NULL);
        opevo_memory_fail_at(0);
        if (status == OPEVO_OK)
            assert_true(best.known && best.point == expected.point);
        else
            assert_int_equal(status, OPEVO_NOMEM);
        opevo_objective_destroy(fresh);
        assert_int_equal(opevo_memory_live(), before);
    }
    opevo_free(path);
}

int main(void)
{
    return check_tests(make_folder, remove_folder);
}

/* ---- Loop trees ---- */

static double elements_at(const float *row, size_t buffer)
{
    return exp2((double)row[OPEVO_LOOP_TOUCHES + 3 * buffer]) - 1;
}

/* Every point has a tree, whose outermost loop makes all multiply-adds and
 * touches all of the result, and whose loops on the way to the innermost are products. */
static void check_trees(const char *text, double result, double left, double right)
{
    opevo_objective *objective = open_on(text, "v100");
    const opevo_feature_source *source = objective->trees;
    float *rows = opevo_calloc(source->rows_most, source->count * sizeof *rows);
    opevo_rng rng;

    opevo_rng_init(&rng, 1, "test", 0);
    assert_int_equal(source->count, OPEVO_LOOP_COLUMNS);
    for (int i = 0; i < 2000; i++) {
        opevo_index point = opevo_rng_below_wide(&rng, opevo_space_size(objective->space));
        size_t count = source->features(source->context, point, rows);

        assert_true(count > 0);
        CHECK_CLOSE(rows[OPEVO_LOOP_BOTTOM_UP], log2(objective->flop / 2), 1e-5);
        CHECK_CLOSE(rows[OPEVO_LOOP_TOP_DOWN], rows[OPEVO_LOOP_EXTENT], 0);
        CHECK_CLOSE(elements_at(rows, 0), result, 1e-4 * result);
        CHECK_CLOSE(elements_at(rows, 1), left, 1e-4 * left);
        CHECK_CLOSE(elements_at(rows, 2), right, 1e-4 * right);
        for (size_t r = 0; r < count; r++) {
            const float *row = rows + r * OPEVO_LOOP_COLUMNS;
            size_t up = (size_t)row[OPEVO_LOOP_PARENT];

            assert_true(up <= r && (up > 0) == (r > 0));
            if (up)
                CHECK_CLOSE(row[OPEVO_LOOP_TOP_DOWN],
                            (row - up * OPEVO_LOOP_COLUMNS)[OPEVO_LOOP_TOP_DOWN] +
                                row[OPEVO_LOOP_EXTENT],
                            1e-4);
        }
    }
    opevo_free(rows);
    opevo_objective_destroy(objective);
}

CHECK_TEST(test_trees)
{
    check_trees("matmul(512,256,1024)", 512.0 * 1024, 512.0 * 256, 256.0 * 1024);
    check_trees("batch_matmul(4,64,128,32)", 4.0 * 64 * 32, 4.0 * 64 * 128, 4.0 * 128 * 32);
    /* Rows and columns of the image that windows of 3 x 3 meet. */
    check_trees("conv2d(1,64,28,28,128,3,3,1,1)", 128.0 * 28 * 28, 64.0 * 30 * 30, 128.0 * 64 * 9);
}
