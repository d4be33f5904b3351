/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Operands, operations and names of computations, and which are operators. */

#include "check.h"

#include <opevo/computation_named.h>
#include <opevo/memory.h>
#include <opevo/workload.h>

static opevo_workload *read(const char *what)
{
    opevo_workload *work = NULL;

    CHECK_OK(opevo_workload_read(what, &work, &err));
    assert_non_null(work->computation);
    return work;
}

/* An operator's computation has the operands that the operator declares and its operations, and is
 * recognised; no library has contractions. */
CHECK_TEST(test_operators)
{
    static const char *const forms[] = {
        "matmul(7,5,3)",
        "matmul(7,5,3,TT)",
        "batch_matmul(3,4,5,6)",
        "conv2d(2,3,6,7,4,3,2,1,1)",
        "contraction(i=4,j=5,k=6;A[ik],const B[kj],S[j];D[ij]=A*B*S)",
    };

    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        opevo_workload *work = NULL;
        opevo_operator op;
        opevo_operand_list list;
        opevo_text text = {0};

        CHECK_OK(opevo_operator_parse(forms[f], &op, &err));
        opevo_operator_operands(&op, &list);
        CHECK_OK(opevo_workload_of_operator(&op, &work, &err));
        assert_int_equal(work->list.count, list.count);
        assert_int_equal(work->list.inputs, list.inputs);
        for (int i = 0; i < list.count; i++) {
            const opevo_workload_operand *a = &work->list.item[i];
            const opevo_operand *b = &list.item[i];

            assert_string_equal(a->name, b->name);
            assert_int_equal(a->role, b->role);
            assert_int_equal(a->dims, b->dims);
            assert_memory_equal(a->extent, b->extent, (size_t)a->dims * sizeof *a->extent);
        }
        CHECK_CLOSE(work->flop, opevo_operator_flop(&op), 0);
        assert_true(!work->library == (op.kind == OPEVO_CONTRACTION));
        opevo_workload_print(work, &text);
        assert_string_equal(text.data, forms[f]);
        if (work->library) {
            opevo_text_clear(&text);
            opevo_operator_print(work->library, &text);
            assert_string_equal(text.data, forms[f]);
        }
        opevo_text_free(&text);
        opevo_workload_destroy(work);
    }
}

/* A name alone does not make a computation an operator. */
CHECK_TEST(test_another_definition)
{
    opevo_workload *work = NULL;
    opevo_computation *computation = NULL;

    CHECK_OK(opevo_computation_parse("A[i:7, k:5]; B[k, j:3]; C[i, j] = sum(k) A[i, k]*B[k, j] + 1",
                                     "matmul(7,5,3)", NULL, 0, &computation, &err));
    CHECK_OK(opevo_workload_adopt(computation, &work, &err));
    assert_null(work->library);
    opevo_workload_destroy(work);
}

/* Outputs come last, wherever they are in the text; what is printed reads back. */
CHECK_TEST(test_computations)
{
    static const struct {
        const char *what, *printed, *operands;
    } rows[] = {
        {"c2d( 1, 9,8,3,5,3,2,1)", "c2d(1,9,8,3,5,3,2,1)", "I W O"},
        {"ansor-c2d-2(16)", "c2d(16,56,56,64,64,1,1,0)", "I W O"},
        {"ansor-nrm-1", "nrm(1,256,256)", "X Z"},
        {"S[i:6] = A[i]*2; T[i] = S[i] + B[i]; output U[i] = T[i]; V[i] = U[i]",
         "A[i:6]; S[i] = A[i]*2; B[i]; T[i] = S[i] + B[i]; output U[i] = T[i]; V[i] = U[i]",
         "A B U V"},
    };

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        opevo_workload *work = read(rows[r].what);
        opevo_workload *again = NULL;
        opevo_text names = {0}, printed = {0};

        for (int i = 0; i < work->list.count; i++) {
            opevo_text_printf(&names, "%s%s", i ? " " : "", work->list.item[i].name);
            assert_int_equal(work->list.item[i].role == OPEVO_ROLE_OUTPUT, i >= work->list.inputs);
        }
        assert_string_equal(names.data, rows[r].operands);
        assert_null(work->library);
        opevo_workload_print(work, &printed);
        assert_string_equal(printed.data, rows[r].printed);
        again = read(printed.data);
        assert_int_equal(opevo_computation_signature(again->computation),
                         opevo_computation_signature(work->computation));
        CHECK_CLOSE(work->flop, opevo_computation_flop(work->computation).count, 0);
        opevo_workload_destroy(work);
        opevo_workload_destroy(again);
        opevo_text_free(&names);
        opevo_text_free(&printed);
    }
}

/* Operands have the types of their tensors; the sum that one is rounded from is not an operand. */
CHECK_TEST(test_types)
{
    static const opevo_element types[] = {OPEVO_INT8, OPEVO_BFLOAT16, OPEVO_FLOAT32, OPEVO_FLOAT16,
                                          OPEVO_INT32};
    opevo_workload *work = NULL;

    CHECK_OK(opevo_workload_read("int8 A[i:4, k:5]; const bfloat16 B[k]; X[i]; output float16 C[i] "
                                 "= sum(k) A[i, k]*B[k]; int32 D[i] = sum(k) A[i, k]; Y[i] = C[i] "
                                 "+ X[i]",
                                 &work, &err));
    assert_int_equal(work->list.count, 6);
    for (int i = 0; i < 5; i++)
        assert_int_equal(work->list.item[i].element, types[i]);
    assert_int_equal(work->list.item[5].element, OPEVO_FLOAT32);
    assert_true(work->flop == 4 * 5 * 2 + 4 * 5 + 4);
    opevo_workload_destroy(work);
}

CHECK_TEST(test_refused)
{
    int64_t alive = opevo_memory_live();
    opevo_workload *work = NULL;
    opevo_text many = {0};

    opevo_text_add(&many, "Y[i:4] = 1");
    for (int i = 0; i < OPEVO_WORKLOAD_OPERANDS; i++)
        opevo_text_printf(&many, " + A%d[i]", i);
    CHECK_FAILS(OPEVO_LIMIT, "more than 64 inputs and outputs",
                opevo_workload_read(many.data, &work, &err));
    CHECK_FAILS(OPEVO_LIMIT, "the limit is 2^40",
                opevo_workload_read("matmul(2097152,2097152,2)", &work, &err));
    CHECK_FAILS(OPEVO_INVALID, "c2d(batch,", opevo_workload_read("c2d(1,2)", &work, &err));
    assert_null(work);
    opevo_text_free(&many);
    assert_int_equal(opevo_memory_live(), alive);
}
