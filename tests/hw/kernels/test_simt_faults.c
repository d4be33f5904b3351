/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Each defect is reported with its instruction, and what is sound is not. */

#include "simt_text.h"

static inline void check_fault(const char *text, opevo_simt_outcome outcome,
                               const char *instruction, const char *words)
{
    opevo_simt_result result = run_text(text);

    if (result.outcome != outcome || strcmp(result.instruction, instruction) != 0 ||
        !strstr(result.message, words))
        fail_msg("%s at %s: %s", opevo_simt_outcome_name(result.outcome), result.instruction,
                 result.message);
}

/* ---- Defects ---- */

CHECK_TEST(test_sound_kernel)
{
    opevo_simt_result result = run_text(REVERSE(BARRIER, "%i"));

    if (result.outcome != OPEVO_SIMT_OK)
        fail_msg("%s", result.message);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(out[i], 63 - i % BLOCK);
}

/* Warp 0 reads what warp 1 has yet to write, which is an uninitialised value, and a race when it
 * does. */
CHECK_TEST(test_missing_barrier)
{
    static const char text[] = REVERSE("", "%i");
    opevo_simt_options options = opevo_simt_defaults;
    simt_setting machine;
    simt_call call = call_of("f");
    opevo_simt_result result;

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
CHECK_TEST(test_race_with_right_output)
{
    static const char text[] = SIMT_HEAD BEGIN("f", "ptr %out") " store i32 7, ptr %out\n" END;
    simt_setting machine = simt_open(text, NULL);
    simt_call call = call_of("f");
    opevo_simt_result result = simt_launch(&machine, &call);

    assert_int_equal(result.outcome, OPEVO_SIMT_RACE);
    assert_string_equal(result.instruction, "U6");
    assert_int_equal(result.thread[0], 1);
    call.buffers[0].same_value_races = true;
    result = simt_launch(&machine, &call);
    assert_int_equal(result.outcome, OPEVO_SIMT_OK);
    simt_close(&machine);
}

/* Blocks of a launch: one reads what another wrote. Threads of a block: a read before a write. */
CHECK_TEST(test_races)
{
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

/* A block reads what others add to, after it has added itself: its own addition must not hide
 * theirs. Whether the first or the last block reads is the same. */
CHECK_TEST(test_reads_among_additions)
{
#define TALLY(which)                                                                               \
    SIMT_HEAD "@sum = internal addrspace(1) global i32 0\n" BEGIN(                                 \
        "f", "ptr %out") " %a = atomicrmw add ptr addrspace(1) @sum, i32 1 monotonic\n" BARRIER    \
                         " %o = icmp eq i32 %i, " which "\n br i1 %o, label %a1, label %b1\na1:\n" \
                         " %v = load i32, ptr addrspace(1) @sum\n store i32 %v, ptr %out\n br "    \
                         "label %b1\nb1:\n" END

    check_fault(TALLY("128"), OPEVO_SIMT_RACE, "U10",
                "reads byte 0 of variable sum, which another block of the launch updated");
    check_fault(TALLY("0"), OPEVO_SIMT_RACE, "U6",
                "updates byte 0 of variable sum, which U10 of another block of the launch read");
}

/* Stores that begin at odd bytes and lie side by side do not race; those that overlap do. */
CHECK_TEST(test_bytes)
{
#define SIDE_BY_SIDE(bytes)                                                                        \
    SIMT_HEAD "@w = internal addrspace(3) global [260 x i8] undef, align 4\n" BEGIN(               \
        "f", "ptr %out") " %a = mul i32 %t, " bytes "\n %b = add i32 %a, 1\n"                      \
                         " %p = getelementptr i8, ptr addrspace(3) @w, i32 %b\n"                   \
                         " store i32 %t, ptr addrspace(3) %p, align 1\n" END

    assert_int_equal(run_text(SIDE_BY_SIDE("4")).outcome, OPEVO_SIMT_OK);
    check_fault(SIDE_BY_SIDE("3"), OPEVO_SIMT_RACE, "U9", "which U9 of another thread wrote");
}

/* Neighbours in a warp exchange by shared memory without a barrier: allowed where warps run in
 * step, and with a barrier of the warp; never for two stores of one instruction. */
CHECK_TEST(test_warp_sync)
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

CHECK_TEST(test_divergent_barriers)
{
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

CHECK_TEST(test_uninitialised)
{
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

CHECK_TEST(test_out_of_bounds)
{
    static const char past_end[] = SIMT_HEAD BEGIN("f", "ptr %out") //
        " %j = add i32 %i, 1\n %p = getelementptr i32, ptr %out, i32 %j\n"
        " store i32 %t, ptr %p\n" END;
    simt_setting machine = simt_open(past_end, NULL);
    simt_call call = call_of("f");

    call.buffers[0].name = "bins";
    assert_non_null(
        strstr(simt_launch(&machine, &call).message, "at byte 768 of buffer bins, which has 768"));
    call.buffers[0].name = NULL; /* not kept from the launch before */
    assert_non_null(strstr(simt_launch(&machine, &call).message, "of buffer 0, which has 768"));
    simt_close(&machine);
    check_fault(past_end, OPEVO_SIMT_OUT_OF_BOUNDS, "U8", "at byte 768 of buffer 0, which has 768");
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

CHECK_TEST(test_undefined)
{
    check_fault(SIMT_HEAD BEGIN("f", "ptr %out") " %x = udiv i32 %n, %t\n" END,
                OPEVO_SIMT_UNDEFINED, "U6", "divides by 0");
    check_fault(SIMT_HEAD BEGIN("f", "ptr %out") //
                " %m = or i32 %t, -1\n %x = sdiv i32 -2147483648, %m\n" END,
                OPEVO_SIMT_UNDEFINED, "U7", "by -1");
    check_fault(SIMT_HEAD BEGIN("f", "ptr %out") " unreachable\n}\n", OPEVO_SIMT_UNDEFINED, "U6",
                "unreachable");
}

CHECK_TEST(test_unsupported)
{
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
