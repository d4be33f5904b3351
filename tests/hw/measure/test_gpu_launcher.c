/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Cases of a harness on a GPU, by a stand-in for the driver: results, times, and what becomes of
 * kernels that write elsewhere, fail or hang. */

#include "cache_folder.h"
#include "check.h"
#include "fake_folder.h"

#include <opevo/file.h>
#include <opevo/gpu_launcher.h>
#include <opevo/memory.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device_lock_internal.h"

static const char harness_text[] =
    "{\"buffers\": {\"x\": {\"type\": \"f32\", \"count\": \"n\", \"fill\": {\"uniform\": [-1, 1]}},"
    " \"y\": {\"type\": \"f32\", \"count\": \"n\"}},"
    " \"steps\": [{\"launch\": \"scale\", \"grid\": [\"n\"], \"block\": [32],"
    " \"arguments\": [\"x\", \"y\", {\"i32\": \"n\"}]}],"
    " \"outputs\": {\"y\": {\"relative\": 1e-6, \"floor\": 1}},"
    " \"sets\": {\"search\": [{\"sizes\": [{\"n\": 5}, {\"n\": 1030}], \"seeds\": [1]}],"
    " \"selection\": [{\"sizes\": [{\"n\": 7}], \"seeds\": [2]}],"
    " \"final\": [{\"sizes\": [{\"n\": 9}], \"seeds\": [3]}]}}";

/* ---- The right result, on the host ---- */

static opevo_status scale_here(void *context, const opevo_grid_launch *launch,
                               opevo_evaluation *out, opevo_error *err)
{
    opevo_buffer *buffers = context;
    const float *x = buffers[launch->arguments[0].buffer].data;
    float *y = buffers[launch->arguments[1].buffer].data;

    for (uint64_t i = 0; i < launch->arguments[2].bits; i++)
        y[i] = 2 * x[i];
    return OPEVO_OK;
}

static opevo_status run_here(opevo_launcher *self, opevo_case *what, opevo_evaluation *out,
                             opevo_error *err)
{
    size_t count = 0;
    const opevo_player player = {.context = opevo_case_buffers(what, &count), .launch = scale_here};

    return opevo_case_play(what, &player, out, err);
}

static void destroy_here(opevo_launcher *self)
{
}

static const opevo_launcher_ops here_ops = {
    .name = "here", .run = run_here, .destroy = destroy_here};

typedef struct fixture {
    opevo_harness *harness;
    opevo_launcher here;
    opevo_golden *golden;
    opevo_gpu *gpu;
} fixture;

static void open_fixture(fixture *self, const char *device, double timeout_s)
{
    opevo_gpu_options options = opevo_gpu_defaults;

    options.timeout_s = timeout_s;
    *self = (fixture){.here = {.ops = &here_ops}};
    CHECK_OK(opevo_harness_parse("scale.json", harness_text, strlen(harness_text), &self->harness,
                                 &err));
    CHECK_OK(opevo_golden_create(self->harness, &self->here, &self->golden, &err));
    CHECK_OK(opevo_gpu_open(device, &options, &self->gpu, &err));
}

static void close_fixture(fixture *self)
{
    opevo_gpu_close(self->gpu);
    opevo_golden_destroy(self->golden);
    opevo_harness_destroy(self->harness);
}

/* Whoever closes a device that is not spoilt has given back modules, memory and events. */
static void check_nothing_is_held(void)
{
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD); /* HIP's is the same file */
    size_t (*count)(void) = NULL;

    assert_non_null(driver);
    *(void **)&count = dlsym(driver, "fake_held");
    assert_non_null(count);
    assert_int_equal(count(), 0);
    dlclose(driver);
}

static opevo_evaluation evaluate(fixture *self, const char *image, bool base)
{
    opevo_evaluation found = {.verdict = OPEVO_VERDICT_OK};
    opevo_launcher *launcher = NULL;

    CHECK_OK(opevo_gpu_launcher(self->gpu, image, strlen(image), base, &launcher, &err));
    CHECK_OK(opevo_harness_evaluate(self->harness, OPEVO_SET_SEARCH, launcher, self->golden, &found,
                                    &err));
    opevo_launcher_destroy(launcher);
    return found;
}

CHECK_TEST(test_right)
{
    static const char *const devices[] = {"cuda:0", "hip:1"};

    for (int i = 0; i < 2; i++) {
        fixture self;
        opevo_evaluation found;

        open_fixture(&self, devices[i], 60);
        assert_int_equal(opevo_gpu_is_hip(self.gpu), i);
        assert_string_equal(opevo_gpu_machine(self.gpu), i ? "" : "sm_86");
        for (int again = 0; again < 2; again++) {
            found = evaluate(&self, "fake:scale", again == 0);
            assert_int_equal(found.verdict, OPEVO_VERDICT_OK);
            assert_int_equal(found.cases, 2);
            assert_true(found.error == 0);
            CHECK_CLOSE(found.time_s, 2 * 1e-5, 1e-9); /* 10 us for each case of the stand-in */
        }
        close_fixture(&self);
        check_nothing_is_held();
    }
}

CHECK_TEST(test_faults)
{
    static const struct {
        const char *image;
        opevo_kernel_verdict verdict;
        const char *message;
    } faults[] = {
        {"fake:scale-behind", OPEVO_VERDICT_OUT_OF_BOUNDS, "behind y"},
        {"fake:scale-before", OPEVO_VERDICT_OUT_OF_BOUNDS, "before y"},
        {"fake:scale-wrong", OPEVO_VERDICT_WRONG, "y"},
        {"fake:scale-refused", OPEVO_VERDICT_UNSUPPORTED, "cannot be launched"},
        {"fake:other", OPEVO_VERDICT_UNSUPPORTED, "no kernel scale"},
    };
    fixture self;

    open_fixture(&self, "cuda:0", 60);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        opevo_evaluation found = evaluate(&self, faults[i].image, false);

        assert_int_equal(found.verdict, faults[i].verdict);
        if (!strstr(found.message, faults[i].message))
            fail_msg("%s: %s", faults[i].image, found.message);
        assert_false(opevo_gpu_context_is_lost(self.gpu));
    }
    close_fixture(&self);
    check_nothing_is_held();
}

CHECK_TEST(test_devices)
{
    opevo_gpu *gpu = NULL;

    CHECK_FAILS(OPEVO_INVALID, "is not a device",
                opevo_gpu_open("cuda:x", &opevo_gpu_defaults, &gpu, &err));
    CHECK_FAILS(OPEVO_INVALID, "is not a device",
                opevo_gpu_open("mars", &opevo_gpu_defaults, &gpu, &err));
    CHECK_FAILS(OPEVO_IO, "there are 2 devices",
                opevo_gpu_open("cuda:7", &opevo_gpu_defaults, &gpu, &err));
}

/* ---- Turns ---- */

/* Hold the lock of the stand-in's first device as a worker of `opevo tune` does, say so, and go on
 * until told; then speak a second time and end, which gives it back. */
static void hold_device(int say, int hear)
{
    const opevo_i_backend_lock_wait wait = {.watch_engine = false};
    char *folder = NULL;
    char letter = 0;
    int turn = -1;

    if (opevo_cache_path("kernels", &folder, NULL) != OPEVO_OK)
        _exit(1);
    mkdir(folder, 0700);
    turn = opevo_i_backend_device_lock_take(folder, "cuda-0000:10:00.0", &wait);
    if (turn >= 0 && write(say, "t", 1) == 1 && read(hear, &letter, 1) == 1)
        usleep(300000); /* time for a parent that does not wait */
    _exit(write(say, "e", 1) != 1);
}

typedef struct waiting {
    int begun, over, told;
} waiting;

/* Whom it waits for ends only after this. */
static void note_wait(void *context, bool over)
{
    waiting *self = context;

    self->begun += !over;
    self->over += over;
    if (!over)
        assert_int_equal(write(self->told, "g", 1), 1);
}

/* Who measures waits for others that measure on the device; another device is free meanwhile. */
CHECK_TEST(test_turns)
{
    int said[2], told[2];
    char letter = 0;
    fixture self, other;
    waiting seen = {0};
    pid_t child = 0;

    assert_int_equal(pipe(said), 0);
    assert_int_equal(pipe(told), 0);
    child = fork();
    if (child == 0)
        hold_device(said[1], told[0]);
    assert_int_equal(read(said[0], &letter, 1), 1);
    assert_int_equal(letter, 't');
    open_fixture(&self, "cuda:0", 60);
    open_fixture(&other, "cuda:1", 60);
    seen.told = told[1];
    opevo_gpu_begin(other.gpu, note_wait, &seen);
    assert_int_equal(seen.begun, 0);
    opevo_gpu_begin(self.gpu, note_wait, &seen);
    assert_int_equal(seen.begun, 1);
    assert_int_equal(seen.over, 1);
    assert_int_equal(fcntl(said[0], F_SETFL, O_NONBLOCK), 0);
    assert_int_equal(read(said[0], &letter, 1), 1); /* who has not waited does not hear it */
    assert_int_equal(letter, 'e');
    assert_int_equal(waitpid(child, NULL, 0), child);
    opevo_gpu_end(self.gpu);
    opevo_gpu_begin(self.gpu, note_wait, &seen);
    assert_int_equal(seen.begun, 1);
    close_fixture(&other);
    close_fixture(&self);
    check_nothing_is_held();
    for (int i = 0; i < 2; i++) {
        close(said[i]);
        close(told[i]);
    }
}

/* The stand-in stays spoilt, so these come last, in this order. */
CHECK_TEST(test_hang)
{
    fixture self;
    opevo_evaluation found;

    open_fixture(&self, "cuda:0", 0.3);
    found = evaluate(&self, "fake:scale-hang", false);
    assert_int_equal(found.verdict, OPEVO_VERDICT_TIMEOUT);
    assert_true(opevo_gpu_context_is_lost(self.gpu));
    close_fixture(&self);
}

CHECK_TEST(test_crash)
{
    fixture self;
    opevo_evaluation found;

    open_fixture(&self, "cuda:0", 60);
    found = evaluate(&self, "fake:scale-illegal", false);
    assert_int_equal(found.verdict, OPEVO_VERDICT_SIGNAL);
    assert_true(opevo_gpu_context_is_lost(self.gpu));
    close_fixture(&self);
}

int main(int argc, char **argv)
{
    if (!fake_folder_enter(OPEVO_FAKE_GPU, argv) || !cache_folder_make())
        return 1;
    return cache_folder_remove(check_tests(NULL, NULL));
}
