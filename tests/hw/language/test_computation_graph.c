/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Counts of operations against the evaluator's, opevo_operator_flop and closed forms; the
 * predicates of sketches on the facts that TVM's sources and tests state, and by brute force on
 * random computations; named computations and operators. */

#include "check.h"
#include "computations.h"

#include <opevo/computation_access.h>
#include <opevo/computation_named.h>

static opevo_computation *read_it(const char *text)
{
    opevo_computation *made = NULL;

    CHECK_OK(opevo_computation_read(text, &made, &err));
    return made;
}

static void check_flop(const char *text, double expected)
{
    opevo_computation *made = read_it(text);
    opevo_flop flop = opevo_computation_flop(made);

    if (!flop.exact || flop.count != expected)
        fail_msg("%s: %.17g%s, expected %.17g", text, flop.count, flop.exact ? "" : " at most",
                 expected);
    opevo_computation_destroy(made);
}

/* ---- Counts ---- */

CHECK_TEST(test_flop_of_operators)
{
    static const char *const forms[] = {
        "matmul(5,7,3)",
        "matmul(5,7,3,TT)",
        "batch_matmul(2,5,7,3)",
        "batch_matmul(2,5,7,3,NT)",
        "conv2d(2,3,9,8,4,3,2,2,1)",
        "conv2d(1,3,9,8,4,1,1,1,0)",
        "contraction(i=4,j=5,k=6;A[ik],const B[kj],S[j];D[ij]=A*B*S)",
        "contraction(i=4,k=6;A[ik];R[i]=A)",
    };

    for (size_t i = 0; i < opevo_operator_count(); i++)
        check_flop(opevo_operator_get(i)->name, opevo_operator_flop(&opevo_operator_get(i)->op));
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        opevo_operator op;

        CHECK_OK(opevo_operator_parse(forms[i], &op, &err));
        check_flop(forms[i], opevo_operator_flop(&op));
    }
}

CHECK_TEST(test_flop_of_named)
{
    check_flop("gmm(2,3,4,5)", 2.0 * 2 * 3 * 4 * 5);
    check_flop("c1d(2,16,3,4,3,2,1)", 2.0 * 2 * 8 * 4 * 3 * 3);
    check_flop("c2d(2,9,8,3,4,3,2,1)", 2.0 * 2 * 5 * 4 * 4 * 3 * 3 * 3);
    check_flop("c3d(1,4,9,8,3,4,3,2,1)", 2.0 * 2 * 5 * 4 * 4 * 3 * 27);
    check_flop("grp(1,9,8,4,8,3,1,1,4)", 2.0 * 9 * 8 * 8 * 9);
    check_flop("dil(1,9,8,3,4,3,1,0,2)", 2.0 * 5 * 4 * 4 * 3 * 9);
    check_flop("dep(1,9,8,3,3,1,1)", 2.0 * 9 * 8 * 3 * 9);
    check_flop("t2d(1,4,4,6,5,4,2,1)", 2.0 * 8 * 8 * 5 * 6 * 2 * 2);
    check_flop("cap(1,6,6,2,3,3,1,1)", 2.0 * 6 * 6 * 16 * 3 * 9 * 4 * 2);
    check_flop("nrm(2,3,5)", 2.0 * (2 * 15) + 2);
    check_flop("conv-layer(1,9,8,3,4,3,1,1)", 9.0 * 8 * 4 * (2 * 27 + 3));
    check_flop("tbg(2,5,3,4)", 2.0 * 2 * 3 * 5 * 5 * 4);
    check_flop("softmax(4,5)", 20.0 * 5);
    check_flop("layer-norm(4,5)", 20.0 * (1 + 2 + 2 + 6));
    check_flop("attention(2,3,5,4)", 2.0 * 3 * (25 * 8 + 25 + 25 * 3 + 25 + 25 + 25 * 8));
}

CHECK_TEST(test_flop_of_conditions)
{
    /* Transposed convolution by the full window, zeros skipped: 1/4 of 4 x 4 at each pixel. */
    check_flop(
        "X[5, 5]; W[r:4, s:4]; O[h:8, w:8] = sum(r, s) select((h + 1 - r)%2 == 0 and (w + 1 - "
        "s)%2 == 0, select(0 <= (h + 1 - r)//2 < 5 and 0 <= (w + 1 - s)//2 < 5, X[(h + 1 - "
        "r)//2, (w + 1 - s)//2], 0)*W[r, s], 0)",
        2.0 * 64 * 4);
    check_flop("A[9]; C[i:9] = select(i < 3, A[i]*2, A[i] + A[i]*3)", 3 + 2 * 6);
    check_flop("A[9]; C[i:9] = select(i < 3 or i == 8, exp(A[i]), 1)", 4);
    /* The same condition inside itself always holds. */
    check_flop("A[9]; C[i:9] = select(i < 3, select(i < 3, A[i]*2, A[i]*A[i]*A[i]), 1)", 3);
    check_flop("A[9]; C[i:9] = select(A[i] < 3, 1, 2)", 9);
    check_flop("C[] = sum(i:4) 1.5", 4);
}

CHECK_TEST(test_flop_is_bounded_where_values_decide)
{
    opevo_computation *made = read_it("A[9]; C[i:9] = select(A[i] < 3, A[i]*2, 2)");
    opevo_flop flop = opevo_computation_flop(made);

    assert_false(flop.exact);
    assert_true(flop.count == 18);
    opevo_computation_destroy(made);
    made = read_it("C[i:1000000, j:1000000] = select(i < j, i*0.5, j)");
    flop = opevo_computation_flop(made);
    assert_false(flop.exact);
    assert_true(flop.count == 1e12);
    opevo_computation_destroy(made);
}

/* What the evaluator counts while it evaluates every point. */
CHECK_TEST(test_flop_by_brute_force)
{
    int exact = 0;

    for (uint64_t seed = 0; seed < 1500; seed++) {
        opevo_text text = {0};
        opevo_computation *made = NULL;

        write_computation(seed, 1, &text);
        if (opevo_computation_parse(opevo_text_string(&text), "random", NULL, 0, &made, NULL) ==
            OPEVO_OK) {
            const opevo_tensor *tensor = made->tensor[made->tensors - 1];
            opevo_flop flop = opevo_tensor_flop(tensor);
            double zeros[25] = {0}, out[25];
            double *values[] = {zeros, zeros, out};
            evaluator counting = {values, 0};

            evaluate_definition(&counting, tensor->definition, out);
            if (flop.exact ? flop.count != counting.operations : flop.count < counting.operations)
                fail_msg("%s: %g, counted %g", opevo_text_string(&text), flop.count,
                         counting.operations);
            exact += flop.exact;
        }
        opevo_computation_destroy(made);
        opevo_text_free(&text);
    }
    assert_true(exact > 300);
}

CHECK_TEST(test_bytes)
{
    opevo_computation *made = read_it("int8 A[i:4]; const float16 B[i]; C[i] = A[i]*B[i]; D[] = "
                                      "sum(i) C[i]");

    assert_true(opevo_computation_bytes(made) == 4 + 8 + 4);
    opevo_computation_destroy(made);
    made = read_it("matmul(4,5,6)");
    assert_true(opevo_computation_bytes(made) == 4 * (20 + 30 + 24));
    opevo_computation_destroy(made);
}

/* ---- Names ---- */

CHECK_TEST(test_all_shapes_are_made)
{
    int made_count = 0;

    for (size_t f = 0; f < opevo_computation_family_count(); f++) {
        const opevo_computation_family *family = opevo_computation_family_get(f);

        for (int shape = 1; shape <= 4 && family->shapes; shape++) {
            char name[64];
            opevo_computation *one = NULL, *many = NULL;

            snprintf(name, sizeof name, "ansor-%s-%d", family->name, shape);
            one = read_it(name);
            snprintf(name, sizeof name, "ansor-%s-%d(16)", family->name, shape);
            many = read_it(name);
            assert_true(opevo_computation_flop(one).exact);
            assert_true(opevo_computation_flop(many).count ==
                        16 * opevo_computation_flop(one).count);
            opevo_computation_destroy(one);
            opevo_computation_destroy(many);
            made_count++;
        }
    }
    assert_int_equal(made_count, 48);
}

static void check_unknown(const char *text, const char *words)
{
    opevo_computation *made = NULL;

    CHECK_FAILS(OPEVO_INVALID, words, opevo_computation_read(text, &made, &err));
}

CHECK_TEST(test_bad_names)
{
    check_unknown("c2d(1,2)", "does not match c2d(batch,height,width");
    check_unknown("c2d", "does not match c2d(");
    check_unknown("c2d(1,8,8,4,4,3,1,-1)", "does not match c2d(");
    check_unknown("c2d(1,8,8,4,4,3,1,0) ", "does not match c2d(");
    check_unknown("ansor-c2d-5", "write ansor-c2d-1 to -4");
    check_unknown("ansor-c2d-1(0)", "write ansor-c2d-1 to -4");
    check_unknown("ansor-c2d-1(1", "write ansor-c2d-1 to -4");
    check_unknown("ansor-c2d-", "write ansor-c2d-1 to -4");
    check_unknown("t2d(1,4,4,8,8,3,2,1)", "kernel must be a multiple of stride");
    check_unknown("grp(1,9,8,6,8,3,1,1,4)", "in must be a multiple of groups");
    check_unknown("sofmax(3,4)", "did you mean softmax?");
    check_unknown("c2d(1,2,2,4,4,3,1,0)", "'c2d(1,2,2,4,4,3,1,0)' is not possible: an extent is "
                                          "from 1 to 2147483647, not 0. A kernel "
                                          "is at most as large as an image with its padding.");
    check_unknown("matmul(1,2)", "does not match matmul(N,K,M)");
    check_unknown("qwertyuiop", "Unknown computation 'qwertyuiop'; write an operator");
}

CHECK_TEST(test_operators_become_computations)
{
    opevo_computation *made = read_it("contraction(i=2,e=3;i[ie],exp[i];C[ie]=i*exp)");
    opevo_text text = {0};

    opevo_computation_print(made, "; ", &text);
    assert_string_equal(opevo_text_string(&text),
                        "i_[i:2, e:3]; exp_[i]; C[i, e] = i_[i, e]*exp_[i]");
    opevo_computation_destroy(made);
    opevo_text_clear(&text);
    made = read_it("batch_matmul(2,3,4,5,TT)");
    opevo_computation_print(made, "; ", &text);
    assert_string_equal(
        opevo_text_string(&text),
        "A[b:2, k:4, i:3]; B[b, j:5, k]; C[b, i, j] = sum(k) A[b, k, i]*B[b, j, k]");
    opevo_computation_destroy(made);
    made = read_it("N = (2 + 3); C[i:N] = 1"); /* a text, although a parenthesis comes first */
    assert_int_equal(made->tensor[0]->extent[0], 5);
    opevo_computation_destroy(made);
    opevo_text_free(&text);
}

/* ---- Predicates ---- */

static const opevo_tensor *find(const opevo_computation *made, const char *name)
{
    const opevo_tensor *tensor = opevo_computation_find(made, name);

    assert_non_null(tensor);
    return tensor;
}

static int common_outer(const opevo_computation *made, const char *from, const char *to)
{
    int common = -1;

    CHECK_OK(opevo_tensor_common_outer(made, find(made, from), find(made, to), &common, &err));
    return common;
}

CHECK_TEST(test_predicates_of_conv_layer)
{
    opevo_computation *made = read_it("ansor-conv-layer-4");

    assert_false(opevo_tensor_is_strictly_inlineable(find(made, "P"))); /* select */
    assert_false(opevo_tensor_is_strictly_inlineable(find(made, "C")));
    assert_true(opevo_tensor_is_strictly_inlineable(find(made, "B")));
    assert_true(opevo_tensor_is_strictly_inlineable(find(made, "R")));
    assert_false(opevo_tensor_is_strictly_inlineable(find(made, "I")));
    assert_true(opevo_tensor_needs_tiling(find(made, "C")));
    assert_false(opevo_tensor_needs_tiling(find(made, "P")));
    /* Two producers that lack axes: scale and shift. */
    assert_true(opevo_tensor_needs_tiling(find(made, "B")));
    assert_false(opevo_tensor_needs_tiling(find(made, "I")));
    assert_true(opevo_tensor_matches_elementwise(find(made, "C"), find(made, "R")));
    assert_false(opevo_tensor_matches_elementwise(find(made, "P"), find(made, "C")));
    assert_int_equal(common_outer(made, "C", "R"), 4);
    assert_int_equal(common_outer(made, "P", "R"), 1);
    assert_int_equal(common_outer(made, "R", "C"), 0);
    opevo_computation_destroy(made);
}

static void check_tiling(const char *text, const char *name, bool expected)
{
    opevo_computation *made = read_it(text);

    assert_int_equal(opevo_tensor_needs_tiling(find(made, name)), expected);
    opevo_computation_destroy(made);
}

CHECK_TEST(test_predicates_of_others)
{
    opevo_computation *made = read_it("softmax(512,1024)");

    assert_false(opevo_tensor_is_strictly_inlineable(find(made, "E"))); /* exp */
    assert_true(opevo_tensor_is_strictly_inlineable(find(made, "Y")));
    for (int i = 0; i < made->tensors; i++)
        assert_false(opevo_tensor_needs_tiling(made->tensor[i]));
    assert_int_equal(common_outer(made, "M", "Y"), 1);
    assert_int_equal(common_outer(made, "E", "Y"), 1); /* by way of S */
    assert_false(opevo_tensor_matches_elementwise(find(made, "E"), find(made, "Y")));
    opevo_computation_destroy(made);

    made = read_it("ansor-tbg-1");
    assert_false(opevo_tensor_is_strictly_inlineable(find(made, "QT"))); /* another order */
    assert_true(opevo_tensor_needs_tiling(find(made, "S")));
    opevo_computation_destroy(made);

    check_tiling("matmul(8,8,512)", "C", true);
    check_tiling("ansor-dep-4", "O", true);
    check_tiling("ansor-t2d-1", "O", true);
    check_tiling("ansor-nrm-1", "S", false);
    check_tiling("A[i:10, k:1024]; C[i] = min(k) A[i, k]", "C", false);
    check_tiling("P[58, 58, 64]; O[h:28, w:28, c:64] = max(r:3, s:3) P[2*h + r, 2*w + s, c]", "O",
                 false);
    check_tiling(
        "A[i:8, k:8]; B[k, j:8]; C[i, j] = sum(k) A[i, k]*B[k, j]; E[i, l:8] = sum(j) C[i, "
        "j]*D[j, l]",
        "E", true);
    /* An axis of one value is not missed. */
    check_tiling("A[k:8]; B[k, j:8]; C[i:1, j] = sum(k) A[k]*B[k, j]", "C", true);
    check_tiling("A[k:8]; B[k]; C[i:1, j:1] = sum(k) A[k]*B[k]", "C", false);

    made = read_it("A[8, 8]; B[i:8, j:8] = A[i, j] + A[i, 0]; D[i, j] = A[i, i]*2; E[i, j] = 3");
    assert_true(opevo_tensor_is_strictly_inlineable(find(made, "B")));
    assert_false(opevo_tensor_is_strictly_inlineable(find(made, "D"))); /* i twice */
    assert_true(opevo_tensor_is_strictly_inlineable(find(made, "E")));  /* reads nothing */
    opevo_computation_destroy(made);
}

/* Each member of an access, by asking of each read whether two points that differ in one axis are
 * at places that differ in one dimension. */
static void check_access(const opevo_tensor *reader, const opevo_tensor *read,
                         const opevo_expression *expression, opevo_access *brute)
{
    if (expression->kind == OPEVO_EXPR_READ && expression->tensor == read) {
        int uses[OPEVO_COMPUTATION_AXES] = {0};
        int last = -1;

        for (int d = 0; d < read->dims; d++) {
            int64_t point[OPEVO_COMPUTATION_AXES] = {0};
            int64_t start = affine_at(&expression->index[d], point);
            int moved = -1;

            for (int a = 0; a < reader->definition->axes; a++) {
                for (point[a] = 1; point[a] < reader->definition->axis[a].extent; point[a]++) {
                    int64_t shift = affine_at(&expression->index[d], point) - start;

                    if (shift == 0 && expression->index[d].count == 0)
                        continue;
                    if (shift == point[a] && (moved == -1 || moved == a) &&
                        a < reader->definition->spatial)
                        moved = a;
                    else if (shift != 0)
                        brute->simple = false;
                }
                point[a] = 0;
            }
            if (moved >= 0) {
                brute->same_order &= moved >= last;
                last = moved;
                uses[moved]++;
            }
        }
        for (int a = 0; a < reader->definition->spatial; a++) {
            brute->axis_missing |= uses[a] == 0;
            brute->axis_duplicated |= uses[a] > 1;
        }
    }
    if (expression->left)
        check_access(reader, read, expression->left, brute);
    if (expression->right)
        check_access(reader, read, expression->right, brute);
}

/* A read that is simple by its form is so by its values; and most are found. */
CHECK_TEST(test_access_by_brute_force)
{
    static const char *const reads[] = {"A[i, j]",         "A[j, i]",     "A[i, i]",
                                        "A[0, j]",         "A[i, j + 1]", "A[i, (i + j)%5]",
                                        "A[i, 4 - j]",     "A[i, k]",     "A[2*i - i, j]",
                                        "A[i + 1, j + 1]", "A[3, 2]",     "A[i, j//2]"};
    enum { READS = sizeof reads / sizeof *reads };

    for (int first = 0; first < READS; first++) {
        for (int second = 0; second < READS; second++) {
            opevo_text text = {0};
            opevo_computation *made = NULL;
            opevo_access access, brute = {.simple = true, .same_order = true};

            opevo_text_printf(&text, "A[5, 5]; C[i:4, j:4] = sum(k:2) %s + %s", reads[first],
                              reads[second]);
            made = read_it(opevo_text_string(&text));
            assert_true(opevo_tensor_access(find(made, "C"), find(made, "A"), &access));
            check_access(find(made, "C"), find(made, "A"), find(made, "C")->definition->value,
                         &brute);
            if (!brute.simple)
                brute = (opevo_access){0};
            assert_int_equal(access.simple, brute.simple);
            assert_int_equal(access.same_order, brute.same_order);
            assert_int_equal(access.axis_missing, brute.axis_missing);
            assert_int_equal(access.axis_duplicated, brute.axis_duplicated);
            assert_false(opevo_tensor_access(find(made, "A"), find(made, "C"), &access));
            opevo_computation_destroy(made);
            opevo_text_free(&text);
        }
    }
}
