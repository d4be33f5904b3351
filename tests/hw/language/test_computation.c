/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Texts of computations: what is read prints back and reads back equal; what is refused says where
 * and why; reads that are accepted are inside their tensors, by brute force on random
 * computations. */

#include "check.h"
#include "computations.h"

#include <opevo/memory.h>

static opevo_computation *parse(const char *text)
{
    opevo_computation *made = NULL;

    CHECK_OK(opevo_computation_parse(text, "test", NULL, 0, &made, &err));
    return made;
}

static void check_prints(const char *text, const char *expected)
{
    opevo_computation *first = parse(text);
    opevo_computation *second = NULL;
    opevo_text printed = {0}, again = {0};

    opevo_computation_print(first, "\n", &printed);
    assert_string_equal(opevo_text_string(&printed), expected);
    second = parse(opevo_text_string(&printed));
    opevo_computation_print(second, "\n", &again);
    assert_string_equal(opevo_text_string(&again), expected);
    assert_true(opevo_computation_signature(first) == opevo_computation_signature(second));
    assert_true(opevo_computation_signature(first) != 0);
    opevo_computation_destroy(first);
    opevo_computation_destroy(second);
    opevo_text_free(&printed);
    opevo_text_free(&again);
}

static void check_refused(const char *text, opevo_status status, const char *words)
{
    opevo_computation *made = NULL;

    CHECK_FAILS(status, words, opevo_computation_parse(text, "test", NULL, 0, &made, &err));
    assert_null(made);
}

CHECK_TEST(test_prints_what_it_read)
{
    check_prints("A[m:512, k:1024]; const B[k, n:512]; C[m,n] = sum(k) A[m,k]*B[k,n]",
                 "A[m:512, k:1024]\nconst B[k, n:512]\nC[m, n] = sum(k) A[m, k]*B[k, n]");
    /* Inputs that are only read have the extents that their reads need. */
    check_prints(
        "C[i:3,j:4] = sum(k:5) A[i,k]*B[2*k+1,j] # a comment\nD[i,j] = max(C[i,j] + b[j], 0)",
        "A[i:3, k:5]\nB[10, j:4]\nC[i, j] = sum(k) A[i, k]*B[2*k + 1, j]\nb[j]\n"
        "D[i, j] = max(C[i, j] + b[j], 0)");
    /* Extents may stand anywhere, numbers may have names, lines go on inside brackets. */
    check_prints("H = 8; S = H//4\nX[h, 2*H]\nY[i:H - 1, j:S*3] = (X[i + 1,\n  j] # here\n + 1)\n"
                 "Z[h:H] = Y[0, 0]*h",
                 "X[h:8, 16]\nY[i:7, j:6] = X[i + 1, j] + 1\nZ[h] = Y[0, 0]*h");
    check_prints(
        "const int8 A[i:4]; float16 C[i] = A[i]; output bfloat16 D[i] = C[i]; E[] = sum(i) "
        "D[i]; int32 F[] = sum(i) A[i]",
        "const int8 A[i:4]\nfloat16 C[i] = A[i]\noutput bfloat16 D[i] = C[i]\nE[] = sum(i) "
        "D[i]\nint32 F[] = sum(i) A[i]");
}

CHECK_TEST(test_expressions_print_with_least_parentheses)
{
    static const char *const bodies[] = {
        "(A[i] + 1)*2 - (3 - A[i])/(A[i]/2)",
        "A[i] - (A[i] - (A[i] + 1))",
        "-(A[i]*A[i]) + (-A[i]*A[i]) - A[i]",
        "-(-A[i])*(-2.5)",
        "2*i*A[i] + A[i]*(i + 1) - (3 - i)",
        "i/2 + 0.5*i + i*j - (i + j)%3*(i//2)",
        "max(min(A[i], 2), -i) + select(i < j, i, -j)",
        "select(i < 3 and (j <= 1 or i != 2) or A[i] < 0.25 and 0 == j, exp(A[i]), erf(-i))",
        "select(i < 1 and (i < 2 and i < 3), tanh(sqrt(A[i])), sigmoid(5))",
        "A[((2*i + j)//3)%2] + A[2 - 2*(i//2)]",
        "1e-30*A[i] + 1.25e+19*i",
    };

    for (size_t b = 0; b < sizeof bodies / sizeof *bodies; b++) {
        opevo_text text = {0};

        opevo_text_printf(&text, "A[4]\nC[i:4, j:3] = %s", bodies[b]);
        check_prints(opevo_text_string(&text), opevo_text_string(&text));
        opevo_text_free(&text);
    }
}

CHECK_TEST(test_whole_numbers_are_simplified)
{
    check_prints("A[9]; C[i:4] = A[(4*i + 3)//4] + A[(6*i + 2)%3 + i - i]*(i - i + 2)",
                 "A[9]\nC[i:4] = A[i] + A[2]*2");
    check_prints("A[40]; C[i:4, j:5] = A[(8*i + j + 9)//4] + 1 + 2 + i",
                 "A[40]\nC[i:4, j:5] = A[2*i + (j + 1)//4 + 2] + 1 + 2 + i");
    check_prints("C[i:4] = 4/2*i + sqrt(16)*i + 1.0*i + max(1, 3)*i", "C[i:4] = 10*i");
}

CHECK_TEST(test_max_reduces_or_compares)
{
    check_prints("A[3]; C[i:4] = max(k:3) A[k]; D[i] = max(k) -A[k] + i; E[i] = max(i, i) - 1",
                 "A[3]\nC[i:4] = max(k:3) A[k]\nD[i] = max(k) (-A[k] + i)\nE[i] = max(i, i) - 1");
    check_prints("A[3]; C[i:4] = min(k:3) (A[k]) + 1", "A[3]\nC[i:4] = min(k:3) A[k] + 1");
}

CHECK_TEST(test_errors_name_line_and_column)
{
    check_refused("A[4]\nC[i:4] = A[i] $ 2", OPEVO_INVALID, "test:2:15: expected an operator");
    check_refused("C[i:4] = A[i", OPEVO_INVALID, "1:13: expected ',' or ']', but the text ends");
    check_refused("C[i:4] = A[i]\n  + 2", OPEVO_INVALID, "2:3: expected the name of a tensor");
    check_refused("C[i] = A[i]", OPEVO_INVALID, "1:3: the extent of i is not known; write it once");
    check_refused("A[i:3]; C[i:4] = A[i]", OPEVO_INVALID,
                  "the extent of i is 4 here, but 3 before");
    check_refused("C[i:4] = A[i] + k", OPEVO_INVALID, "1:17: k is not an axis of C");
    check_refused("C[i:4] = A[i*i]", OPEVO_INVALID, "1:12: an index is a sum of integer multiples");
    check_refused("C[i:4] = A[B[i]]", OPEVO_INVALID, "an index is a sum");
    check_refused("C[i:4] = C[i]", OPEVO_INVALID, "C reads itself");
    check_refused("C[i:4] = D[i]; D[i] = A[i]", OPEVO_INVALID, "D is read in line 1 already");
    check_refused("C[i:4] = 1; C[i] = 2", OPEVO_INVALID, "C is a tensor already (line 1)");
    check_refused("i = 3; C[i:4] = 1", OPEVO_INVALID, "expected ',' or ']'");
    check_refused("A[i:4]; C[A:3] = 1", OPEVO_INVALID, "A is a tensor (line 1)");
    check_refused("C[i:4, i] = 1", OPEVO_INVALID, "1:8: the axis i stands twice");
    check_refused("C[i:4] = sum(i) A[i]", OPEVO_INVALID, "the axis i stands twice");
    check_refused("C[i:4] = 2*sum(k:3) A[k]", OPEVO_INVALID, "sum stands first");
    check_refused("C[3] = 2", OPEVO_INVALID, "indexed by axes");
    check_refused("A[4]", OPEVO_INVALID, "needs a definition");
    check_refused("", OPEVO_INVALID, "needs a definition");
    check_refused("const C[i:4] = 1", OPEVO_INVALID, "only inputs can be const");
    check_refused("output C[i:4]", OPEVO_INVALID, "an output needs a definition");
    check_refused("C[i:4] = foo(i)", OPEVO_INVALID, "unknown function foo");
    check_refused("C[i:4] = A", OPEVO_INVALID, "A is not an axis of C");
    check_refused("C[i:4] = A[i] + A[i, i]", OPEVO_INVALID, "A has 1 dimensions, not 2");
    check_refused("C[i:4] = i//0", OPEVO_INVALID,
                  "takes an integer expression of axes and a positive");
    check_refused("C[i:4] = A[i]%2", OPEVO_INVALID, "values are divided by '/'");
    check_refused("C[i:4] = 1/0", OPEVO_INVALID, "not finite");
    check_refused("C[i:4] = A[i]*1e308", OPEVO_INVALID,
                  "test:1:15: 1e+308 is beyond the range of float32, which ends at 3.40282e+38");
    check_refused("C[i:4] = -1e39", OPEVO_INVALID, "which ends at -3.40282e+38");
    check_refused("C[i:4] = 1e-46*A[i]", OPEVO_INVALID, "1:10: 1e-46 is 0 in float32");
    check_refused("C[i:4] = 1e-400*A[i]", OPEVO_INVALID, "expected a value, found '1e-400'");
    check_refused("C[i:4] = 1e400", OPEVO_INVALID, "expected a value, found '1e400'");
    check_refused("C[i:4] = i < 2", OPEVO_INVALID, "a condition is not a value");
    check_refused("C[i:4] = select(i, 1, 2)", OPEVO_INVALID, "select takes a condition first");
    check_refused("C[i:4] = select(i and i < 2, 1, 2)", OPEVO_INVALID, "join comparisons");
    check_refused("C[i:4] = exp(1, 2)", OPEVO_INVALID, "expected ')'");
    check_refused("max[i:4] = 1", OPEVO_INVALID, "'max' is a word of the language");
    check_refused("C[i:4] = \x01", OPEVO_INVALID, "found the byte 0x01");
}

CHECK_TEST(test_whole_types_compute_whole_numbers)
{
    check_prints("int8 A[i:4]; int32 C[i] = select(A[i] < 3, -A[i]*2 + i, max(A[i], -2147483648))",
                 "int8 A[i:4]\nint32 C[i] = select(A[i] < 3, -A[i]*2 + i, max(A[i], -2147483648))");
    check_prints("int8 A[i:4]; C[i] = exp(A[i])/2.5", "int8 A[i:4]\nC[i] = exp(A[i])/2.5");
    check_refused(
        "int8 A[i:4]\nint32 C[i] = A[i]/2", OPEVO_INVALID,
        "test:2:14: '/', exp, log, sqrt, tanh, erf and sigmoid have no whole values, but C");
    check_refused("int8 A[i:4]; int8 C[i] = 1 + exp(A[i])", OPEVO_INVALID,
                  "C is computed in int32");
    check_refused("int8 A[i:4]; int8 C[i] = sqrt(A[i])", OPEVO_INVALID, "declare it float32");
    check_refused("int8 A[i:4]; int32 C[i] = A[i]*0.5", OPEVO_INVALID,
                  "1:32: 0.5 is not an integer of 32 bits, but C is computed in int32");
    check_refused("int8 A[i:4]; int32 C[i] = A[i] + 2147483648", OPEVO_INVALID,
                  "2147483648 is not an integer of 32 bits");
    check_refused("int8 A[i:4]; int32 C[i] = select(i < 2 and A[i] < 0.5, 1, 0)", OPEVO_INVALID,
                  "0.5 is not an integer");
    check_refused("float16 A[i:4]; int8 C[i] = i + A[i]", OPEVO_INVALID,
                  "test:1:33: A is of type float16, which is not rounded to integers, but C is "
                  "computed in int32; declare C float32.");
}

/* What may leave its type is refused at the value that does; what cannot, at the very edge, is
 * not. */
CHECK_TEST(test_whole_values_stay_in_their_types)
{
    check_refused("int8 A[i:4]; int8 C[i] = A[i] + 1", OPEVO_INVALID,
                  "test:1:26: The result of C may be from -127 to 128, which int8 does not hold; "
                  "limit it with max and min, or declare C int32.");
    check_prints("int8 A[i:4]; int8 C[i] = min(A[i], 126) + 1",
                 "int8 A[i:4]\nint8 C[i] = min(A[i], 126) + 1");
    check_refused("int8 A[i:4]; int8 C[i] = -A[i]", OPEVO_INVALID, "may be from -127 to 128");
    check_prints("int8 A[i:4]; int8 C[i] = -max(A[i], -127)",
                 "int8 A[i:4]\nint8 C[i] = -max(A[i], -127)");
    check_prints("int8 A[i:4]; int8 C[] = max(i) select(i < 2, A[i], 100 - i)",
                 "int8 A[i:4]\nint8 C[] = max(i) select(i < 2, A[i], 100 - i)");
    check_refused("int8 A[i:4]; int8 C[] = min(i) A[i]*2", OPEVO_INVALID, "from -256 to 254");
    /* 131071 128^2 is below 2^31, so it is not refused. */
    check_prints("int8 A[k:131071]; int32 C[] = sum(k) A[k]*A[k]",
                 "int8 A[k:131071]\nint32 C[] = sum(k) A[k]*A[k]");
    check_refused("int8 A[k:131072]; int32 C[] = sum(k) A[k]*A[k]", OPEVO_INVALID,
                  "A sum of C may be from -2130706432 to 2147483648, which int32 does not hold");
    check_refused("int32 A[i:4]; int32 C[i] = 1 - A[i]*129", OPEVO_INVALID,
                  "A value of C may be from -2164260864 to 2164260864, which int32 does not hold; "
                  "limit it with max and min, or declare C float32.");
    check_refused("int32 A[i:4]; int32 C[i] = select(A[i]*129 < 0, 1, 0)", OPEVO_INVALID,
                  "A value of C may be from");
    check_refused("int32 C[i:2147483647] = i + 2", OPEVO_INVALID, "to 2147483648");
    check_prints("int32 C[i:2147483647] = i + 1", "int32 C[i:2147483647] = i + 1");
    /* Ranges go from one definition to the next. */
    check_refused(
        "int8 A[i:4]; int32 B[i] = A[i]*A[i]; int32 D[i] = B[i]*B[i]; int32 C[i] = 9*D[i]",
        OPEVO_INVALID, "1:75: A value of C may be from");
}

/* A sum of a narrow type is a definition of its own in the type that it is summed in. */
CHECK_TEST(test_sums_of_narrow_types_are_rounded_once)
{
    check_prints("float16 A[i:4, k:8]; float16 C[i] = sum(k) A[i, k]; D[] = sum(i) C[i]",
                 "float16 A[i:4, k:8]\nC_sum[i] = sum(k) A[i, k]\nfloat16 C[i] = C_sum[i]\n"
                 "D[] = sum(i) C[i]");
    check_prints("bfloat16 C[] = sum(k:8) k", "C_sum[] = sum(k:8) k\nbfloat16 C[] = C_sum[]");
    check_prints("int8 A[i:4, k:8]; bfloat16 C[i] = max(k) A[i, k]",
                 "int8 A[i:4, k:8]\nbfloat16 C[i] = max(k) A[i, k]");
    check_refused("int8 A[i:4, k:8]; int8 C[i] = sum(k) A[i, k]", OPEVO_INVALID,
                  "test:1:24: The result of C may be from -1024 to 1016");
    check_prints("int8 A[k:8]; int8 C[] = sum(k) max(min(A[k], 15), -16)",
                 "int8 A[k:8]\nint32 C_sum[] = sum(k) max(min(A[k], 15), -16)\nint8 C[] = C_sum[]");
    check_refused("C_sum[i:4] = 1; float16 C[i] = sum(k:3) k", OPEVO_INVALID,
                  "the sum of C is computed in float32 as C_sum, but this name is taken; choose "
                  "another one.");
    check_refused("float16 C[] = sum(k:3) k; C_sum[i:4] = 1", OPEVO_INVALID, "C_sum is a tensor");
    check_refused("float16 a23456789012345678901234567890[] = sum(k:3) k", OPEVO_LIMIT,
                  "as a23456789012345678901234567890_sum; names have at most 31 characters, so "
                  "choose one of at most 27.");
}

CHECK_TEST(test_limits_are_refused)
{
    opevo_text text = {0};

    check_refused("C[i:2147483648] = 1", OPEVO_LIMIT, "an extent is from 1 to 2147483647");
    check_refused("C[i:0] = 1", OPEVO_INVALID, "an extent is from 1");
    check_refused("C[i:2000000000, j:2000000000] = 1", OPEVO_LIMIT, "the limit is 2^40");
    check_refused("A[2000000000, 2000]; C[i:4] = 1", OPEVO_LIMIT, "A has 4e+12 elements");
    check_refused("C[] = sum(i:2000000000, j:2000000000) 1", OPEVO_LIMIT, "the limit is 2^60");
    check_refused("C[a:1,b:1,c:1,d:1,e:1,f:1,g:1,h:1,i:1] = 1", OPEVO_LIMIT, "8 dimensions");
    check_refused("C[i:2000000000] = i*1099511627776*2", OPEVO_LIMIT, "factors above 2^40");
    check_refused("C[i:2000000000] = i*1099511627776", OPEVO_LIMIT, "has values beyond 2^60");
    check_refused("a123456789b123456789c123456789d1[i:4] = 1", OPEVO_LIMIT, "is too long");
    opevo_text_add(&text, "C[i:4] = ");
    for (int n = 0; n < 300; n++)
        opevo_text_add(&text, "exp(");
    check_refused(opevo_text_string(&text), OPEVO_INVALID, "expected a value");
    for (int n = 0; n < 1000; n++)
        opevo_text_add(&text, "(");
    check_refused(opevo_text_string(&text), OPEVO_LIMIT, "nested");
    opevo_text_clear(&text);
    opevo_text_add(&text, "C[i:4] = A[i]");
    for (int n = 0; n < 300; n++)
        opevo_text_add(&text, " + A[i]");
    check_refused(opevo_text_string(&text), OPEVO_LIMIT, "nested more than 200 deep");
    opevo_text_clear(&text);
    for (int n = 0; n < 70000; n++)
        opevo_text_printf(&text, "C%d[i:4] = -1.5*i\n", n);
    check_refused(opevo_text_string(&text), OPEVO_LIMIT, "at most 4096 tensors");
    opevo_text_free(&text);
}

CHECK_TEST(test_guards_make_reads_safe)
{
    static const char *const safe[] = {
        "select(0 <= i - 1 and i - 1 < 4, A[i - 1], 0)",
        "select(i >= 1, select(i <= 4, A[i - 1], 0), 0)",
        "select(i < 1 or i > 4, 0, A[i - 1])",
        "select(1 <= i < 5, A[i - 1], 0)",
        "select(i == 2, A[i + 1], 0)",
        "select(i != 2, 0, A[i + 1])",
        "select(0 <= i + j - 2 and i + j < 6, A[i + j - 2], 0)",
        "select((i - j)%2 == 0 and 0 <= i - j and (i - j)//2 < 4, A[(i - j)//2], 0)",
        "select(2 <= 2*i and i < 5, A[i - 1], 0)",
        "select(i < 2 or j < 1, A[(i + j)//3], 0)",
        "select(i > 8, A[i], 0)", /* never */
        "A[i//2] + A[i%4] + A[(i + j + 1)%4]",
        "select(i < 3, 0, select(i > 4, 0, A[i - 3 + (j + 1)//8]))",
    };
    static const char *const unsafe[] = {
        "A[i]",
        "A[i - 4]",
        "select(i < 4, 0, A[i])",
        "select(i < 4 or j < 1, A[i], 0)",
        "select(i < 5, A[i], 0)",
        "select(A[0] < 0.5, A[i], 0)",
        "select(i < 4 and A[i] < 0.5, 1, 0)", /* both are evaluated */
        "select(i != 4, A[i], 0)",
    };
    opevo_text text = {0};

    for (size_t i = 0; i < sizeof safe / sizeof *safe; i++) {
        opevo_text_clear(&text);
        opevo_text_printf(&text, "A[4]; C[i:8, j:3] = %s", safe[i]);
        opevo_computation_destroy(parse(opevo_text_string(&text)));
    }
    for (size_t i = 0; i < sizeof unsafe / sizeof *unsafe; i++) {
        opevo_text_clear(&text);
        opevo_text_printf(&text, "A[4]; C[i:8, j:3] = %s", unsafe[i]);
        check_refused(opevo_text_string(&text), OPEVO_INVALID, "outside 0 .. 3; read it inside");
    }
    opevo_text_free(&text);
}

/* The evaluator fails on a read that is outside. A third of the texts is accepted at least, or the
 * check would say little. */
CHECK_TEST(test_accepted_reads_are_inside)
{
    int accepted = 0;

    for (uint64_t seed = 0; seed < 3000; seed++) {
        opevo_text text = {0}, printed = {0}, again = {0};
        opevo_computation *made = NULL, *second = NULL;

        write_computation(seed, 3, &text);
        if (opevo_computation_parse(opevo_text_string(&text), "random", NULL, 0, &made, NULL) ==
            OPEVO_OK) {
            float inputs[2][25] = {{0}};
            float *const pointers[2] = {inputs[0], inputs[1]};

            free_values(made, evaluate_computation(made, pointers));
            opevo_computation_print(made, "; ", &printed);
            second = parse(opevo_text_string(&printed));
            opevo_computation_print(second, "; ", &again);
            assert_string_equal(opevo_text_string(&printed), opevo_text_string(&again));
            accepted++;
        }
        opevo_computation_destroy(made);
        opevo_computation_destroy(second);
        opevo_text_free(&text);
        opevo_text_free(&printed);
        opevo_text_free(&again);
    }
    assert_true(accepted > 1000);
}

CHECK_TEST(test_graph_is_linked)
{
    opevo_computation *made = parse("A[i:4]; B[i] = A[i]*A[i]; D[i] = B[i] + A[i]; E[i] = B[i]");
    const opevo_tensor *a = opevo_computation_find(made, "A");
    const opevo_tensor *b = opevo_computation_find(made, "B");
    const opevo_tensor *d = opevo_computation_find(made, "D");
    const opevo_tensor *e = opevo_computation_find(made, "E");

    assert_null(opevo_computation_find(made, "F"));
    assert_true(a->role == OPEVO_ROLE_INPUT && b->role == OPEVO_ROLE_INTERMEDIATE);
    assert_true(d->role == OPEVO_ROLE_OUTPUT && e->role == OPEVO_ROLE_OUTPUT);
    assert_true(a->readers == 2 && a->reader[0] == b && a->reader[1] == d && a->producers == 0);
    assert_true(b->readers == 2 && b->reader[0] == d && b->reader[1] == e);
    assert_true(d->producers == 2 && d->producer[0] == b && d->producer[1] == a);
    for (int i = 0; i < made->tensors; i++)
        assert_int_equal(made->tensor[i]->number, i);
    opevo_computation_destroy(made);
}

CHECK_TEST(test_bindings_stand_for_numbers)
{
    const opevo_binding bindings[] = {{"N", 6}, {"PAD", 0}};
    opevo_computation *made = NULL;

    CHECK_OK(opevo_computation_parse("C[i:N + PAD] = N*i", "test", bindings, 2, &made, &err));
    assert_int_equal(made->tensor[0]->extent[0], 6);
    opevo_computation_destroy(made);
}

CHECK_TEST(test_failing_allocations_leave_nothing)
{
    int64_t live = opevo_memory_live();
    bool done = false;

    for (int64_t n = 1; !done; n++) {
        opevo_computation *made = NULL;
        opevo_error err = {OPEVO_OK, ""};
        opevo_status status;

        opevo_memory_fail_at(n);
        status = opevo_computation_parse("C[i:4] = sum(k:3) select((i + k)//2 < 3, A[i, k], 2)",
                                         "test", NULL, 0, &made, &err);
        opevo_memory_fail_at(0);
        assert_true(status == OPEVO_OK || status == OPEVO_NOMEM);
        done = status == OPEVO_OK;
        opevo_computation_destroy(made);
        assert_int_equal(opevo_memory_live(), live);
    }
}
