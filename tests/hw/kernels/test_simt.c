/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The interpreter as a whole: where lanes meet again, atomics, orders, limits, counts, costs,
 * errors of the host. */

#include "check_memory.h"
#include "simt_text.h"

#include <unistd.h>

/* ---- Divergence ---- */

/* Nested loops that lanes leave at different times, from the middle of the inner one; both sides of
 * a test inside. */
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

CHECK_TEST(test_nested_loops)
{
    opevo_simt_result result = run_text(nested);

    if (result.outcome != OPEVO_SIMT_OK)
        fail_msg("%s", result.message);
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(out[i], nested_expected(i));
}

/* After a branch all lanes meet: the sum of a warp by shuffles is that of all of them. */
CHECK_TEST(test_meeting)
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

    if (result.outcome != OPEVO_SIMT_OK)
        fail_msg("%s", result.message);
    for (uint32_t t = 0; t < BLOCK; t++)
        sums[t / 32] += t == 5 ? 100 : t < 40 ? 2 * t : 1;
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal((uint32_t)out[i], sums[i % BLOCK / 32] ^ votes[i % BLOCK / 32]);
}

/* ---- Atomics ---- */

CHECK_TEST(test_atomics)
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
CHECK_TEST(test_atomic_race)
{
    static const char text[] = SIMT_HEAD BEGIN("f", "ptr %out") //
        " %a = atomicrmw add ptr %out, i32 1 monotonic\n %v = load i32, ptr %out\n" END;
    simt_setting machine = simt_open(text, NULL);
    simt_call call = call_of("f");
    opevo_simt_result result;

    call.buffers[0].initialised = true;
    result = simt_launch(&machine, &call);
    assert_int_equal(result.outcome, OPEVO_SIMT_RACE);
    assert_string_equal(result.instruction, "U7");
    simt_close(&machine);
}

/* ---- Orders, limits, counts ---- */

CHECK_TEST(test_determinism)
{
    opevo_simt_options options = opevo_simt_defaults;
    int32_t first[THREADS];
    opevo_simt_counts counts[2];

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
CHECK_TEST(test_order)
{
    static const char text[] = SIMT_HEAD BEGIN("f", "ptr %out") " store i32 %i, ptr %out\n" END;
    opevo_simt_options options = opevo_simt_defaults;
    simt_setting machine;
    simt_call call = call_of("f");

    options.check_races = false;
    machine = simt_open(text, &options);
    assert_int_equal(simt_launch(&machine, &call).outcome, OPEVO_SIMT_OK);
    assert_int_equal(out[0], THREADS - 1);
    opevo_simt_set_order(machine.machine, OPEVO_SIMT_REVERSE, 0);
    assert_int_equal(simt_launch(&machine, &call).outcome, OPEVO_SIMT_OK);
    assert_int_equal(out[0], 31); /* lanes of a warp stay in order */
    simt_close(&machine);
}

CHECK_TEST(test_limit)
{
    static const char text[] = SIMT_HEAD BEGIN("f", "ptr %out") //
        " br label %l\nl:\n %k = phi i32 [0, %0], [%k1, %l]\n %k1 = add i32 %k, 1\n"
        " br label %l\n}\n";
    opevo_simt_options options = opevo_simt_defaults;
    simt_setting machine;
    simt_call call = call_of("f");
    opevo_simt_result result;
    opevo_simt_counts counts;

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

CHECK_TEST(test_traffic)
{
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

/* ---- Host errors ---- */

static opevo_status decode_and_run(LLVMModuleRef module, const opevo_simt_costs *costs,
                                   opevo_error *err)
{
    opevo_simt_buffer buffer = {.data = out, .size_bytes = THREADS * sizeof *out};
    opevo_simt_argument argument = {.is_buffer = true};
    opevo_simt_launch launch = {.kernel = "f",
                                .grid = {BLOCKS, 1, 1},
                                .block = {BLOCK, 1, 1},
                                .arguments = &argument,
                                .argument_count = 1};
    opevo_simt *machine = NULL;
    opevo_simt_result result;
    opevo_status status = opevo_simt_create(module, costs, NULL, &machine, err);

    if (status == OPEVO_OK)
        status = opevo_simt_add_buffer(machine, &buffer, &argument.buffer, err);
    if (status == OPEVO_OK)
        status = opevo_simt_run(machine, &launch, &result, err);
    opevo_simt_destroy(machine);
    return status;
}

/* Each allocation fails in turn: an error, and nothing stays alive. */
CHECK_TEST(test_without_memory)
{
    static const char text[] = REVERSE(BARRIER " %l = alloca i32\n", "%i");
    LLVMContextRef context = LLVMContextCreate();
    LLVMMemoryBufferRef memory =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "test.ll");
    LLVMModuleRef module = NULL;
    opevo_simt_costs *costs = NULL;

    assert_int_equal(LLVMParseIRInContext(context, memory, &module, NULL), 0);
    CHECK_OK(opevo_simt_costs_load(NULL, &costs, &err));
    CHECK_MEMORY(decode_and_run(module, costs, NULL));
    opevo_simt_costs_destroy(costs);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
}

CHECK_TEST(test_misuse)
{
    simt_setting machine = simt_open(nested, NULL);
    opevo_simt_argument argument = {.bits = 1};
    opevo_simt_launch launch = {.kernel = "f", .grid = {1, 1, 1}, .block = {1, 1, 1}};
    opevo_simt_result result;

    CHECK_FAILS(OPEVO_INVALID, "takes 1 arguments; 0 were given",
                opevo_simt_run(machine.machine, &launch, &result, &err));
    launch.arguments = &argument;
    launch.argument_count = 1;
    CHECK_FAILS(OPEVO_INVALID, "argument 1 needs to be a buffer",
                opevo_simt_run(machine.machine, &launch, &result, &err));
    launch.block[0] = 1025;
    CHECK_FAILS(OPEVO_INVALID, "1 to 1024 threads",
                opevo_simt_run(machine.machine, &launch, &result, &err));
    launch.kernel = "g";
    CHECK_FAILS(OPEVO_INVALID, "no kernel g",
                opevo_simt_run(machine.machine, &launch, &result, &err));
    simt_close(&machine);
}

/* ---- Tables of costs ---- */

static void check_costs(const char *text, const char *words)
{
    char path[] = "/tmp/opevo-costs-XXXXXX";
    int file = mkstemp(path);
    opevo_simt_costs *costs = NULL;

    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(close(file), 0);
    CHECK_FAILS(OPEVO_INVALID, words, opevo_simt_costs_load(path, &costs, &err));
    assert_int_equal(unlink(path), 0);
}

CHECK_TEST(test_cost_files)
{
    opevo_simt_costs *costs = NULL;

    check_costs("{\"name\": \"x\", \"integer\": -1}",
                "integer: must be a number from 0 to 1000000 cycles");
    check_costs("{\"name\": \"x\", \"integr\": 1}", "integr: unknown key");
    check_costs("{\"integer\": 1}", "name: must be given, as a string of 1 to ");
    check_costs("{\"name\": \"x\",\n\"integer\": }", ":2:12: invalid JSON: ");
    CHECK_FAILS(OPEVO_IO, "/nowhere.json: ", opevo_simt_costs_load("/nowhere.json", &costs, &err));
}

/* ---- Dynamic shared memory ---- */

/* All variables of a size that the launch decides begin at the same byte, as in CUDA. */
CHECK_TEST(test_dynamic_variables)
{
    static const char text[] =
        SIMT_HEAD "@a = external addrspace(3) global [0 x i32]\n"
                  "@b = external addrspace(3) global [0 x i16]\n" BEGIN("f", "ptr %out") //
        " %pa = getelementptr [0 x i32], ptr addrspace(3) @a, i32 0, i32 %t\n"
        " %m = mul i32 %t, 65537\n store i32 %m, ptr addrspace(3) %pa\n"
        " call void @llvm.nvvm.barrier0()\n"
        " %pb = getelementptr [0 x i16], ptr addrspace(3) @b, i32 0, i32 %t\n"
        " %v = load i16, ptr addrspace(3) %pb\n %w = zext i16 %v to i32\n"
        " %p = getelementptr i32, ptr %out, i32 %i\n store i32 %w, ptr %p\n" END;
    opevo_simt_buffer buffer = {.data = out, .size_bytes = THREADS * sizeof *out};
    opevo_simt_argument argument = {.is_buffer = true};
    opevo_simt_launch launch = {.kernel = "f",
                                .grid = {BLOCKS, 1, 1},
                                .block = {BLOCK, 1, 1},
                                .dynamic_shared_bytes = 4 * BLOCK,
                                .arguments = &argument,
                                .argument_count = 1};
    simt_setting machine = simt_open(text, NULL);
    opevo_simt_result result;

    CHECK_OK(opevo_simt_add_buffer(machine.machine, &buffer, &argument.buffer, &err));
    CHECK_OK(opevo_simt_run(machine.machine, &launch, &result, &err));
    if (result.outcome != OPEVO_SIMT_OK)
        fail_msg("%s", result.message);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(out[i], i % BLOCK / 2);
    assert_true(opevo_simt_allow_same_value(machine.machine, "b"));
    assert_false(opevo_simt_allow_same_value(machine.machine, "c"));
    simt_close(&machine);
}

/* ---- Structs by value ---- */

/* Each thread has a copy, which it may write to; a pointer in the struct leads to a buffer. */
CHECK_TEST(test_struct_by_value)
{
    static const char text[] = SIMT_HEAD
        "%box = type { i32, [2 x i16], ptr }\n" BEGIN("f", "ptr byval(%box) %b, i32 %more") //
        " %p1 = getelementptr %box, ptr %b, i32 0, i32 1, i32 1\n %v = load i16, ptr %p1\n"
        " %w = sext i16 %v to i32\n %m = load i32, ptr %b\n %s = mul i32 %m, %i\n"
        " %x = add i32 %s, %w\n store i32 %x, ptr %b\n %y = load i32, ptr %b\n"
        " %z = add i32 %y, %more\n %pp = getelementptr %box, ptr %b, i32 0, i32 2\n"
        " %out = load ptr, ptr %pp\n %p = getelementptr i32, ptr %out, i32 %i\n"
        " store i32 %z, ptr %p\n" END;
    struct {
        int32_t factor;
        int16_t pair[2];
        uint64_t out;
    } box = {5, {7, -3}, 0};
    opevo_simt_buffer buffer = {.data = out, .size_bytes = THREADS * sizeof *out};
    opevo_simt_argument arguments[] = {{.bytes = &box, .size_bytes = sizeof box}, {.bits = 100}};
    opevo_simt_launch launch = {.kernel = "f",
                                .grid = {BLOCKS, 1, 1},
                                .block = {BLOCK, 1, 1},
                                .arguments = arguments,
                                .argument_count = 2};
    simt_setting machine = simt_open(text, NULL);
    opevo_simt_result result;
    uint32_t number = 0;

    CHECK_OK(opevo_simt_add_buffer(machine.machine, &buffer, &number, &err));
    box.out = opevo_simt_address(machine.machine, number);
    CHECK_OK(opevo_simt_run(machine.machine, &launch, &result, &err));
    if (result.outcome != OPEVO_SIMT_OK)
        fail_msg("%s", result.message);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(out[i], 5 * i - 3 + 100);
    arguments[0].size_bytes--;
    CHECK_FAILS(OPEVO_INVALID, "argument 1 is a struct of 16 bytes by value",
                opevo_simt_run(machine.machine, &launch, &result, &err));
    arguments[0].bytes = NULL;
    CHECK_FAILS(OPEVO_INVALID, "argument 1 is a struct",
                opevo_simt_run(machine.machine, &launch, &result, &err));
    arguments[0] = (opevo_simt_argument){.bytes = &box, .size_bytes = sizeof box};
    arguments[1] = arguments[0];
    CHECK_FAILS(OPEVO_INVALID, "argument 2 needs to be a scalar",
                opevo_simt_run(machine.machine, &launch, &result, &err));
    simt_close(&machine);
}
