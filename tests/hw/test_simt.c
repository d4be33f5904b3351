/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The interpreter as a whole: where lanes meet again, defects with their instructions, orders,
 * limits, counts and costs. */

#include "simt_fixture.h"

enum { BLOCK = 64, BLOCKS = 3, THREADS = BLOCK * BLOCKS };

/* Shared memory of a block, and the index of the thread; %t in the block, %i in the grid. */
#define BEGIN(name, parameters)                                                                    \
    "define void @" name "(" parameters ") {\n"                                                    \
    " %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"                                            \
    " %c = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"                                          \
    " %n = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()\n"                                           \
    " %cn = mul i32 %c, %n\n %i = add i32 %cn, %t\n"
#define END " ret void\n}\n"
#define SHARED "@s = internal addrspace(3) global [64 x i32] undef\n"

static int32_t out[THREADS + 64];

static simt_call call_of(const char *kernel)
{
    return (simt_call){.kernel = kernel,
                       .grid = BLOCKS,
                       .block = BLOCK,
                       .buffers = {{.data = out, .size_bytes = THREADS * sizeof *out}},
                       .buffer_count = 1};
}

/* A module of one kernel `f` on the output, with the default checks. */
static opevo_simt_result run_text(const char *text)
{
    simt_setting machine = simt_open(text, NULL);
    simt_call call = call_of("f");
    opevo_simt_result result = simt_launch(&machine, &call);

    simt_close(&machine);
    return result;
}

static void check_fault(const char *text, opevo_simt_outcome outcome, const char *instruction,
                        const char *words)
{
    opevo_simt_result result = run_text(text);

    if (result.outcome != outcome || strcmp(result.instruction, instruction) != 0 ||
        !strstr(result.message, words))
        fail_msg("%s at %s: %s", opevo_simt_outcome_name(result.outcome), result.instruction,
                 result.message);
}

/* ---- Divergence ---- */

/* Nested loops that lanes leave at different times, from the middle of the inner one; both sides of a
 * test inside. */
static const char nested[] = SIMT_HEAD BEGIN("f", "ptr %out") //
    " br label %outer\n"
    "outer:\n"
    " %a = phi i32 [0, %0], [%a1, %next]\n %s = phi i32 [1, %0], [%s3, %next]\n"
    " br label %inner\n"
    "inner:\n"
    " %b = phi i32 [0, %outer], [%b1, %again]\n %s1 = phi i32 [%s, %outer], [%s2, %again]\n"
    " %m = mul i32 %s1, 3\n %x = add i32 %m, %i\n %odd = and i32 %x, 1\n"
    " %o = icmp eq i32 %odd, 0\n br i1 %o, label %even, label %uneven\n"
    "even:\n %e = add i32 %x, 7\n br label %both\n"
    "uneven:\n %u = xor i32 %x, 21\n %left = urem i32 %u, 11\n %q = icmp eq i32 %left, 4\n"
    " br i1 %q, label %done, label %both\n"
    "both:\n %s2 = phi i32 [%e, %even], [%u, %uneven]\n %b1 = add i32 %b, 1\n"
    " %z = urem i32 %s2, 7\n %full = icmp uge i32 %b1, %z\n br i1 %full, label %next, label "
    "%again\n"
    "again:\n br label %inner\n"
    "next:\n %s3 = add i32 %s2, %b1\n %a1 = add i32 %a, 1\n %tm = and i32 %i, 15\n"
    " %more = icmp ult i32 %a1, %tm\n br i1 %more, label %outer, label %done\n"
    "done:\n %r = phi i32 [%u, %uneven], [%s3, %next]\n %am = phi i32 [%a, %uneven], [99, %next]\n"
    " %v = add i32 %r, %am\n %p = getelementptr i32, ptr %out, i32 %i\n store i32 %v, ptr %p\n" END;

static int32_t nested_expected(uint32_t i)
{
    uint32_t s = 1;

    for (uint32_t a = 0;;) {
        for (uint32_t b = 0;;) {
            uint32_t x = s * 3 + i;

            if (x % 2 == 0) {
                s = x + 7;
            } else {
                s = x ^ 21;
                if (s % 11 == 4)
                    return (int32_t)(s + a);
            }
            b++;
            if (b >= s % 7) {
                s += b;
                break;
            }
        }
        a++;
        if (a >= (i & 15))
            return (int32_t)(s + 99);
    }
}

static void test_nested_loops(void **state)
{
    opevo_simt_result result = run_text(nested);

    (void)state;
    if (result.outcome != OPEVO_SIMT_OK)
        fail_msg("%s", result.message);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(out[i], nested_expected(i));
}

/* After a branch all lanes meet: the sum of a warp by shuffles is that of all of them. */
static void test_meeting(void **state)
{
    static const char text[] =
        SIMT_HEAD "declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)\n"
                  "declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)\n" BEGIN("f", "ptr %out") //
        " %o = icmp ult i32 %t, 40\n br i1 %o, label %low, label %high\n"
        "low:\n %l = mul i32 %t, 2\n %lz = icmp eq i32 %t, 5\n br i1 %lz, label %five, label "
        "%meet\n"
        "five:\n br label %meet\n"
        "high:\n br label %meet\n"
        "meet:\n %v = phi i32 [%l, %low], [100, %five], [1, %high]\n"
        " %v1 = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %v, i32 16, i32 31)\n"
        " %w1 = add i32 %v, %v1\n"
        " %v2 = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %w1, i32 8, i32 31)\n"
        " %w2 = add i32 %w1, %v2\n"
        " %v3 = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %w2, i32 4, i32 31)\n"
        " %w3 = add i32 %w2, %v3\n"
        " %v4 = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %w3, i32 2, i32 31)\n"
        " %w4 = add i32 %w3, %v4\n"
        " %v5 = call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %w4, i32 1, i32 31)\n"
        " %w5 = add i32 %w4, %v5\n"
        " %b = call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %o)\n %x = xor i32 %w5, %b\n"
        " %p = getelementptr i32, ptr %out, i32 %i\n store i32 %x, ptr %p\n" END;
    opevo_simt_result result = run_text(text);
    uint32_t sums[2] = {0}, votes[2] = {UINT32_MAX, 255};

    (void)state;
    if (result.outcome != OPEVO_SIMT_OK)
        fail_msg("%s", result.message);
    for (uint32_t t = 0; t < BLOCK; t++)
        sums[t / 32] += t == 5 ? 100 : t < 40 ? 2 * t : 1;
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal((uint32_t)out[i], sums[i % BLOCK / 32] ^ votes[i % BLOCK / 32]);
}

/* ---- Defects ---- */

/* s[t] = t; barrier; out[i] = s[63 - t], with what `between` and `store` are. */
#define REVERSE(between, index)                                                                    \
    SIMT_HEAD SHARED BEGIN(                                                                        \
        "f", "ptr %out") " %ps = getelementptr [64 x i32], ptr addrspace(3) @s, i32 0, i32 %t\n"   \
                         " store i32 %t, ptr addrspace(3) %ps\n" between " %r = sub i32 63, %t\n"  \
                         " %pr = getelementptr [64 x i32], ptr addrspace(3) @s, i32 0, i32 %r\n"   \
                         " %v = load i32, ptr addrspace(3) %pr\n"                                  \
                         " %p = getelementptr i32, ptr %out, i32 " index                           \
                         "\n store i32 %v, ptr %p\n" END
#define BARRIER " call void @llvm.nvvm.barrier0()\n"

static void test_sound_kernel(void **state)
{
    opevo_simt_result result = run_text(REVERSE(BARRIER, "%i"));

    (void)state;
    if (result.outcome != OPEVO_SIMT_OK)
        fail_msg("%s", result.message);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(out[i], 63 - i % BLOCK);
}

/* Warp 0 reads what warp 1 has yet to write, which is an uninitialised value, and a race when it does. */
static void test_missing_barrier(void **state)
{
    static const char text[] = REVERSE("", "%i");
    opevo_simt_options options = opevo_simt_defaults;
    simt_setting machine;
    simt_call call = call_of("f");
    opevo_simt_result result;

    (void)state;
    check_fault(text, OPEVO_SIMT_UNINITIALISED, "U10", "U12 stores it in global memory");
    options.check_uninitialised = false;
    machine = simt_open(text, &options);
    result = simt_launch(&machine, &call);
    assert_int_equal(result.outcome, OPEVO_SIMT_RACE);
    assert_string_equal(result.instruction, "U7");
    assert_non_null(strstr(result.message, "which U10 of another thread read"));
    simt_close(&machine);
}

/* All threads write the same value: the result is right in every order, and it is a race unless the
 * buffer allows it. */
static void test_race_with_right_output(void **state)
{
    static const char text[] = SIMT_HEAD BEGIN("f", "ptr %out") " store i32 7, ptr %out\n" END;
    simt_setting machine = simt_open(text, NULL);
    simt_call call = call_of("f");
    opevo_simt_result result = simt_launch(&machine, &call);

    (void)state;
    assert_int_equal(result.outcome, OPEVO_SIMT_RACE);
    assert_string_equal(result.instruction, "U6");
    assert_int_equal(result.thread[0], 1);
    call.buffers[0].same_value_races = true;
    result = simt_launch(&machine, &call);
    assert_int_equal(result.outcome, OPEVO_SIMT_OK);
    simt_close(&machine);
}

/* Blocks of a launch: one reads what another wrote. Threads of a block: a read before a write. */
static void test_races(void **state)
{
    (void)state;
    check_fault(SIMT_HEAD BEGIN("f", "ptr %out") //
                " %p = getelementptr i32, ptr %out, i32 %t\n store i32 %c, ptr %p\n" END,
                OPEVO_SIMT_RACE, "U7", "which U7 of another block of the launch wrote");
    check_fault(SIMT_HEAD SHARED BEGIN("f", "ptr %out") //
                " %ps = getelementptr [64 x i32], ptr addrspace(3) @s, i32 0, i32 %t\n"
                " store i32 %t, ptr addrspace(3) %ps\n" BARRIER " %r = xor i32 %t, 1\n"
                " %pr = getelementptr [64 x i32], ptr addrspace(3) @s, i32 0, i32 %r\n"
                " %v = load i32, ptr addrspace(3) %pr\n store i32 %v, ptr addrspace(3) %ps\n" END,
                OPEVO_SIMT_RACE, "U12", "which U11 of another thread read since the last barrier");
}

/* Neighbours in a warp exchange by shared memory without a barrier: allowed where warps run in step,
 * and with a barrier of the warp; never for two stores of one instruction. */
static void test_warp_sync(void **state)
{
#define EXCHANGE(between)                                                                          \
    SIMT_HEAD "declare void @llvm.nvvm.bar.warp.sync(i32)\n" SHARED BEGIN(                         \
        "f", "ptr %out") " %ps = getelementptr [64 x i32], ptr addrspace(3) @s, i32 0, i32 %t\n"   \
                         " store i32 %t, ptr addrspace(3) %ps\n" between " %r = xor i32 %t, 1\n"   \
                         " %pr = getelementptr [64 x i32], ptr addrspace(3) @s, i32 0, i32 %r\n"   \
                         " %v = load i32, ptr addrspace(3) %pr\n" between                          \
                         " store i32 %v, ptr addrspace(3) %ps\n" END
    static const char *const texts[] = {
        EXCHANGE(""), EXCHANGE(" call void @llvm.nvvm.bar.warp.sync(i32 -1)\n"),
        SIMT_HEAD SHARED BEGIN("f", "ptr %out") " store i32 %t, ptr addrspace(3) @s\n" END};
    static const opevo_simt_outcome expected[2][3] = {
        {OPEVO_SIMT_RACE, OPEVO_SIMT_OK, OPEVO_SIMT_RACE},
        {OPEVO_SIMT_OK, OPEVO_SIMT_OK, OPEVO_SIMT_RACE}};

    (void)state;
    for (int sync = 0; sync < 2; sync++)
        for (int i = 0; i < 3; i++) {
            opevo_simt_options options = opevo_simt_defaults;
            simt_setting machine;
            simt_call call = call_of("f");
            opevo_simt_result result;

            options.warp_sync = sync;
            machine = simt_open(texts[i], &options);
            result = simt_launch(&machine, &call);
            if (result.outcome != expected[sync][i])
                fail_msg("text %d, warp_sync %d: %s %s", i, sync,
                         opevo_simt_outcome_name(result.outcome), result.message);
            simt_close(&machine);
        }
}

static void test_divergent_barriers(void **state)
{
    (void)state;
    check_fault(SIMT_HEAD BEGIN("f", "ptr %out") //
                " %o = icmp ult i32 %t, 40\n br i1 %o, label %a, label %b\n"
                "a:\n" BARRIER " br label %b\nb:\n" END,
                OPEVO_SIMT_DIVERGENT_BARRIER, "U8", "only 8 of the 32 threads");
    check_fault(SIMT_HEAD BEGIN("f", "ptr %out") //
                " %o = icmp ult i32 %t, 32\n br i1 %o, label %a, label %b\n"
                "a:\n" BARRIER " br label %b\nb:\n" END,
                OPEVO_SIMT_DIVERGENT_BARRIER, "U8", "other warps have ended");
    check_fault(SIMT_HEAD BEGIN("f", "ptr %out") //
                " %o = icmp ult i32 %t, 32\n br i1 %o, label %a, label %b\n"
                "a:\n" BARRIER " br label %d\nb:\n" BARRIER " br label %d\nd:\n" END,
                OPEVO_SIMT_DIVERGENT_BARRIER, "U10", "other warps wait at another");
}

static void test_uninitialised(void **state)
{
    (void)state;
    /* An output that is read before it is written decides a branch. */
    check_fault(
        SIMT_HEAD BEGIN("f", "ptr %out") //
        " %p = getelementptr i32, ptr %out, i32 %i\n %v = load i32, ptr %p\n"
        " %o = icmp eq i32 %v, 0\n br i1 %o, label %a, label %b\na:\n br label %b\nb:\n" END,
        OPEVO_SIMT_UNINITIALISED, "U7", "U9 branches by it");
    check_fault(SIMT_HEAD BEGIN("f", "ptr %out") //
                " %p = getelementptr i32, ptr %out, i32 %i\n store i32 undef, ptr %p\n" END,
                OPEVO_SIMT_UNINITIALISED, "U7", "stores it in global memory");
    check_fault(SIMT_HEAD BEGIN("f", "ptr %out") //
                " %v = shl i32 1, %i\n %p = getelementptr i32, ptr %out, i32 %i\n"
                " store i32 %v, ptr %p\n" END,
                OPEVO_SIMT_UNINITIALISED, "U6", "U8 stores it");
    check_fault(SIMT_HEAD BEGIN("f", "ptr %out") //
                " %l = alloca [4 x i32]\n %q = getelementptr i32, ptr %l, i32 1\n"
                " store i32 1, ptr %l\n %v = load i32, ptr %q\n"
                " %p = getelementptr i32, ptr %out, i32 %v\n store i32 1, ptr %p\n" END,
                OPEVO_SIMT_UNINITIALISED, "U9", "has it for an address");
    /* What is read and not used does no harm. */
    assert_int_equal(run_text(SIMT_HEAD BEGIN("f", "ptr %out") //
                              " %p = getelementptr i32, ptr %out, i32 %i\n"
                              " %v = load i32, ptr %p\n %o = icmp ult i32 %t, 64\n"
                              " %w = select i1 %o, i32 3, i32 %v\n store i32 %w, ptr %p\n" END)
                         .outcome,
                     OPEVO_SIMT_OK);
}

static void test_out_of_bounds(void **state)
{
    (void)state;
    check_fault(SIMT_HEAD BEGIN("f", "ptr %out") //
                " %j = add i32 %i, 1\n %p = getelementptr i32, ptr %out, i32 %j\n"
                " store i32 %t, ptr %p\n" END,
                OPEVO_SIMT_OUT_OF_BOUNDS, "U8", "at byte 768 of buffer 0, which has 768");
    check_fault(SIMT_HEAD BEGIN("f", "ptr %out") //
                " %j = sub i32 %i, 1\n %p = getelementptr i32, ptr %out, i32 %j\n"
                " %v = load i32, ptr %p\n" END,
                OPEVO_SIMT_OUT_OF_BOUNDS, "U8", "at byte -4 of buffer 0");
    check_fault(SIMT_HEAD SHARED "@z = internal addrspace(3) global [64 x i32] undef\n" //
                BEGIN("f", "ptr %out")                                                  //
                " %j = add i32 %t, 1\n"
                " %p = getelementptr [64 x i32], ptr addrspace(3) @s, i32 0, i32 %j\n"
                " store i32 %t, ptr addrspace(3) %p\n" END,
                OPEVO_SIMT_OUT_OF_BOUNDS, "U8", "of shared variable s, which has 256");
    check_fault(SIMT_HEAD BEGIN("f", "ptr %out") " store i32 1, ptr null\n" END,
                OPEVO_SIMT_OUT_OF_BOUNDS, "U6", "outside of all buffers");
    check_fault(SIMT_HEAD BEGIN("f", "ptr %out") //
                " %p = getelementptr i8, ptr %out, i32 %i\n store i32 1, ptr %p\n" END,
                OPEVO_SIMT_OUT_OF_BOUNDS, "U7", "not a multiple of 4");
    check_fault(SIMT_HEAD "@k = addrspace(4) constant [2 x i32] [i32 1, i32 2]\n" //
                BEGIN("f", "ptr %out") " store i32 1, ptr addrspace(4) @k\n" END,
                OPEVO_SIMT_OUT_OF_BOUNDS, "U6", "which is constant");
}

static void test_undefined(void **state)
{
    (void)state;
    check_fault(SIMT_HEAD BEGIN("f", "ptr %out") " %x = udiv i32 %n, %t\n" END,
                OPEVO_SIMT_UNDEFINED, "U6", "divides by 0");
    check_fault(SIMT_HEAD BEGIN("f", "ptr %out") //
                " %m = or i32 %t, -1\n %x = sdiv i32 -2147483648, %m\n" END,
                OPEVO_SIMT_UNDEFINED, "U7", "by -1");
    check_fault(SIMT_HEAD BEGIN("f", "ptr %out") " unreachable\n}\n", OPEVO_SIMT_UNDEFINED, "U6",
                "unreachable");
}

static void test_unsupported(void **state)
{
    (void)state;
    check_fault(SIMT_HEAD "declare i32 @llvm.nvvm.read.ptx.sreg.clock()\n" BEGIN("f", "ptr %out") //
                " %x = call i32 @llvm.nvvm.read.ptx.sreg.clock()\n" END,
                OPEVO_SIMT_UNSUPPORTED, "U6", "llvm.nvvm.read.ptx.sreg.clock");
    check_fault(SIMT_HEAD BEGIN("f", "ptr %out") //
                " call void asm sideeffect \"trap;\", \"\"()\n" END,
                OPEVO_SIMT_UNSUPPORTED, "U6", "inline assembly");
    check_fault(SIMT_HEAD BEGIN("f", "ptr %out") //
                " %w = zext i32 %t to i77\n %x = mul i77 %w, %w\n" END,
                OPEVO_SIMT_UNSUPPORTED, "U6", "values of this type");
    /* Only what is executed counts. */
    assert_int_equal(
        run_text(SIMT_HEAD BEGIN("f", "ptr %out") //
                 " %o = icmp ult i32 %n, 5\n br i1 %o, label %a, label %b\n"
                 "a:\n call void asm sideeffect \"trap;\", \"\"()\n br label %b\nb:\n" END)
            .outcome,
        OPEVO_SIMT_OK);
}

/* ---- Atomics ---- */

static void test_atomics(void **state)
{
    static const char text[] = SIMT_HEAD BEGIN("f", "ptr %out") //
        " %a = atomicrmw add ptr %out, i32 %i monotonic\n"
        " %p1 = getelementptr i32, ptr %out, i32 1\n %q = sub i32 0, %i\n"
        " %b = atomicrmw min ptr %p1, i32 %q monotonic\n"
        " %p2 = getelementptr i32, ptr %out, i32 2\n %m = and i32 %i, 63\n"
        " %d = atomicrmw umax ptr %p2, i32 %i monotonic\n"
        " %p3 = getelementptr i32, ptr %out, i32 3\n"
        " %e = cmpxchg ptr %p3, i32 %i, i32 %t monotonic monotonic\n"
        " %ok = extractvalue {i32, i1} %e, 1\n %w = zext i1 %ok to i32\n"
        " %p4 = getelementptr i32, ptr %out, i32 4\n"
        " %g = atomicrmw add ptr %p4, i32 %w monotonic\n"
        " %p5 = getelementptr i32, ptr %out, i32 5\n %fl = sitofp i32 1 to float\n"
        " %h = atomicrmw fadd ptr %p5, float %fl monotonic\n"
        " %p6 = getelementptr i32, ptr %out, i32 6\n"
        " %x = atomicrmw xchg ptr %p6, i32 %i monotonic\n" END;
    simt_setting machine = simt_open(text, NULL);
    simt_call call = call_of("f");
    opevo_simt_result result;
    float sum;

    (void)state;
    memset(out, 0, sizeof out);
    call.buffers[0].initialised = true;
    result = simt_launch(&machine, &call);
    if (result.outcome != OPEVO_SIMT_OK)
        fail_msg("%s", result.message);
    memcpy(&sum, &out[5], sizeof sum);
    assert_int_equal(out[0], THREADS * (THREADS - 1) / 2);
    assert_int_equal(out[1], 1 - THREADS);
    assert_int_equal(out[2], THREADS - 1);
    assert_int_equal(out[3], 0);
    assert_int_equal(out[4], 1);
    assert_int_equal((int)sum, THREADS);
    assert_int_equal(out[6], THREADS - 1);
    simt_close(&machine);
}

/* A plain read beside an atomic of another thread is a race. */
static void test_atomic_race(void **state)
{
    static const char text[] = SIMT_HEAD BEGIN("f", "ptr %out") //
        " %a = atomicrmw add ptr %out, i32 1 monotonic\n %v = load i32, ptr %out\n" END;
    simt_setting machine = simt_open(text, NULL);
    simt_call call = call_of("f");
    opevo_simt_result result;

    (void)state;
    call.buffers[0].initialised = true;
    result = simt_launch(&machine, &call);
    assert_int_equal(result.outcome, OPEVO_SIMT_RACE);
    assert_string_equal(result.instruction, "U7");
    simt_close(&machine);
}

/* ---- Orders, limits, counts ---- */

static void test_determinism(void **state)
{
    opevo_simt_options options = opevo_simt_defaults;
    int32_t first[THREADS];
    opevo_simt_counts counts[2];

    (void)state;
    for (int order = 0; order < 3; order++)
        for (int again = 0; again < 2; again++) {
            simt_setting machine;
            simt_call call = call_of("f");

            options.order = (opevo_simt_order)order;
            options.order_seed = 5;
            machine = simt_open(nested, &options);
            memset(out, 0, sizeof out);
            assert_int_equal(simt_launch(&machine, &call).outcome, OPEVO_SIMT_OK);
            opevo_simt_count(machine.machine, &counts[again]);
            if (order == 0 && again == 0)
                memcpy(first, out, sizeof first);
            assert_memory_equal(first, out, sizeof first);
            if (again)
                assert_memory_equal(&counts[0], &counts[1], sizeof counts[0]);
            simt_close(&machine);
        }
}

/* Without checks of races, the last block to write says which order it was. */
static void test_order(void **state)
{
    static const char text[] = SIMT_HEAD BEGIN("f", "ptr %out") " store i32 %i, ptr %out\n" END;
    opevo_simt_options options = opevo_simt_defaults;
    simt_setting machine;
    simt_call call = call_of("f");

    (void)state;
    options.check_races = false;
    machine = simt_open(text, &options);
    assert_int_equal(simt_launch(&machine, &call).outcome, OPEVO_SIMT_OK);
    assert_int_equal(out[0], THREADS - 1);
    opevo_simt_set_order(machine.machine, OPEVO_SIMT_REVERSE, 0);
    assert_int_equal(simt_launch(&machine, &call).outcome, OPEVO_SIMT_OK);
    assert_int_equal(out[0], 31); /* lanes of a warp stay in order */
    simt_close(&machine);
}

static void test_limit(void **state)
{
    static const char text[] = SIMT_HEAD BEGIN("f", "ptr %out") //
        " br label %l\nl:\n %k = phi i32 [0, %0], [%k1, %l]\n %k1 = add i32 %k, 1\n"
        " br label %l\n}\n";
    opevo_simt_options options = opevo_simt_defaults;
    simt_setting machine;
    simt_call call = call_of("f");
    opevo_simt_result result;
    opevo_simt_counts counts;

    (void)state;
    options.step_limit = 1000;
    machine = simt_open(text, &options);
    result = simt_launch(&machine, &call);
    opevo_simt_count(machine.machine, &counts);
    assert_int_equal(result.outcome, OPEVO_SIMT_LIMIT);
    assert_true(counts.warp_instructions > 1000 && counts.warp_instructions < 1010);
    simt_close(&machine);
}

/* A store of `stride` words between lanes: sectors and conflicts by their definition. */
static opevo_simt_counts count_stride(unsigned stride, bool shared)
{
    static _Alignas(32) int32_t wide[32 * 32];
    char text[2048];
    simt_setting machine;
    simt_call call = call_of("f");
    opevo_simt_counts counts;

    snprintf(text, sizeof text,
             "%s %%j = mul i32 %%t, %u\n %%p = getelementptr i32, ptr addrspace(%d) %s, i32 %%j\n"
             " store i32 1, ptr addrspace(%d) %%p\n" END,
             SIMT_HEAD "@w = internal addrspace(3) global [1024 x i32] undef\n" //
             BEGIN("f", "ptr addrspace(1) %out"),
             stride, shared ? 3 : 1, shared ? "@w" : "%out", shared ? 3 : 1);
    machine = simt_open(text, NULL);
    call.grid = 1;
    call.block = 32;
    call.buffers[0] = (opevo_simt_buffer){.data = wide, .size_bytes = sizeof wide};
    assert_int_equal(simt_launch(&machine, &call).outcome, OPEVO_SIMT_OK);
    opevo_simt_count(machine.machine, &counts);
    simt_close(&machine);
    return counts;
}

static void test_traffic(void **state)
{
    (void)state;
    for (unsigned stride = 1; stride <= 32; stride++) {
        opevo_simt_counts global = count_stride(stride, false), shared = count_stride(stride, true);
        unsigned common = stride; /* greatest common divisor with the banks */

        for (unsigned b = 32; b;) {
            unsigned rest = common % b;

            common = b;
            b = rest;
        }
        assert_int_equal(global.global_accesses, 1);
        assert_int_equal(global.global_sectors, stride >= 8 ? 32 : (31 * stride * 4) / 32 + 1);
        assert_int_equal(shared.shared_accesses, 1);
        assert_int_equal(shared.shared_bank_conflicts, common - 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nested_loops),
        cmocka_unit_test(test_meeting),
        cmocka_unit_test(test_sound_kernel),
        cmocka_unit_test(test_missing_barrier),
        cmocka_unit_test(test_race_with_right_output),
        cmocka_unit_test(test_races),
        cmocka_unit_test(test_warp_sync),
        cmocka_unit_test(test_divergent_barriers),
        cmocka_unit_test(test_uninitialised),
        cmocka_unit_test(test_out_of_bounds),
        cmocka_unit_test(test_undefined),
        cmocka_unit_test(test_unsupported),
        cmocka_unit_test(test_atomics),
        cmocka_unit_test(test_atomic_race),
        cmocka_unit_test(test_determinism),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_traffic),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
