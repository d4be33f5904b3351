/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Kernels for classes of computations: one kernel is right for every member, on arrays that end
 * where a page begins that nobody may touch. What is right is what the text of the member
 * computes. */

#ifndef OPEVO_TESTS_CLASS_FIXTURE_H
#define OPEVO_TESTS_CLASS_FIXTURE_H

#include "pipeline_draw.h"

#include <opevo/pipeline_class.h>

typedef struct class_kernel {
    const char *of; /* a class */
    opevo_kernel kernel;
    opevo_text steps;
} class_kernel;

enum { CLASS_WAITING = 24 };

/* Kernels that are built together. */
static class_kernel class_waiting[CLASS_WAITING];
static int class_waiting_count;

/* A function that calls the kernel with pointers and extents in arrays. */
static inline void class_add_caller(opevo_text *all, const opevo_kernel *kernel, int pointers,
                                    int number)
{
    opevo_text_printf(all, "void call%d(void **p, const long *n)\n{\n    %s(", number,
                      kernel->entry);
    for (int i = 0; i < pointers; i++)
        opevo_text_printf(all, "%sp[%d]", i ? ", " : "", i);
    for (int i = 0; i < kernel->arguments; i++)
        opevo_text_printf(all, ", (int)n[%d]", i);
    opevo_text_add(all, ");\n}\n");
}

static inline void class_check(const class_kernel *self, const pipeline_case *operands,
                               const int64_t *numbers)
{
    for (int i = operands->inputs; i < operands->operands; i++) {
        int64_t e = find_wrong(operands, i);

        if (e >= 0)
            fail_msg("%s with %lld, %lld: element %lld is %.9g, expected %.9g:\n%s\n%s", self->of,
                     (long long)numbers[0], (long long)numbers[1], (long long)e,
                     case_value(operands, i, operands->memory[i].data, (size_t)e),
                     case_value(operands, i, operands->expected[i], (size_t)e),
                     opevo_text_string(&self->steps), opevo_text_string(&self->kernel.source));
    }
    for (int i = 0; i < operands->operands; i++)
        assert_true(opevo_i_reference_guarded_intact(&operands->memory[i]));
}

/* Threads of emulated kernels run from the last to the first the second time, on another poison. */
static inline void class_call(const class_kernel *self, void *handle, int number,
                              pipeline_case *operands, const opevo_class *of,
                              const int64_t *numbers)
{
    void *pointers[PIPELINE_OPERANDS + 1];
    opevo_i_reference_guarded packed[PIPELINE_OPERANDS] = {{0}}, scratch;
    int64_t arguments[OPEVO_KERNEL_ARGUMENTS];
    void (*function)(void **, const int64_t *) = NULL;
    char name[16];

    snprintf(name, sizeof name, "call%d", number);
    *(void **)&function = dlsym(handle, name);
    assert_non_null(function);
    assert_int_equal(opevo_class_arguments(of, numbers, arguments), self->kernel.arguments);
    for (int i = 0; i < operands->operands; i++)
        pointers[i] = operands->memory[i].data;
    for (int i = 0; i < operands->inputs; i++) {
        if (self->kernel.packed[i])
            pointers[i] = case_pack(operands, &self->kernel, handle, i, &packed[i]);
    }
    CHECK_OK(opevo_i_reference_guarded_create((size_t)opevo_kernel_scratch_bytes(&self->kernel, 1),
                                              false, &scratch, &err));
    memset(scratch.data, 0xff, scratch.bytes);
    pointers[operands->operands] = scratch.data;
    for (int reversed = 0; reversed < 2; reversed++) {
        set_reversed(&self->kernel, handle, reversed);
        for (int i = operands->inputs; i < operands->operands; i++)
            memset(operands->memory[i].data, reversed ? 0x5a : 0xff, operands->memory[i].bytes);
        function(pointers, arguments);
        class_check(self, operands, numbers);
    }
    assert_true(opevo_i_reference_guarded_intact(&scratch));
    opevo_i_reference_guarded_free(&scratch);
    for (int i = 0; i < operands->inputs; i++)
        opevo_i_reference_guarded_free(&packed[i]);
}

/* All kernels of a class that wait from `first` on, for one member. */
static inline void class_call_all(const opevo_class *of, void *handle, int first,
                                  const int64_t *numbers)
{
    pipeline_case operands;
    opevo_text text = {0};

    opevo_class_print_member(of, numbers, &text);
    operands = case_make(opevo_text_string(&text), 1);
    for (int i = first; i < class_waiting_count; i++) {
        if (strcmp(class_waiting[i].of, of->text) == 0)
            class_call(&class_waiting[i], handle, i, &operands, of, numbers);
    }
    case_release(&operands);
    opevo_text_free(&text);
}

/* Numbers of the first range: every one for the first class and in the long run. Those of other
 * ranges are random. */
static inline void class_run_members(int first, void *handle)
{
    opevo_class *of = NULL;
    int64_t numbers[OPEVO_CLASS_NUMBERS] = {0};
    uint64_t state = 5;

    for (int i = 0; i < first; i++) {
        if (strcmp(class_waiting[i].of, class_waiting[first].of) == 0)
            return; /* with that one */
    }
    CHECK_OK(opevo_class_read(class_waiting[first].of, &of, &err));
    for (numbers[0] = of->number[0].least; numbers[0] <= of->number[0].most;
         numbers[0] += 1 + pick(&state, (int)test_size(first ? 5 : 1, 1))) {
        for (int i = 1; i < of->numbers; i++)
            numbers[i] = 1 + pick(&state, (int)of->number[i].most);
        class_call_all(of, handle, first, numbers);
    }
    opevo_class_destroy(of);
}

static inline int class_operands(const char *text)
{
    opevo_class *of = NULL;
    int operands = 0;

    CHECK_OK(opevo_class_read(text, &of, &err));
    for (int t = 0; t < of->largest->tensors; t++)
        operands += of->largest->tensor[t]->role != OPEVO_ROLE_INTERMEDIATE;
    opevo_class_destroy(of);
    return operands;
}

/* Build and run all kernels that wait; every test that gives some to class_take ends with it. */
static inline void class_run(void)
{
    opevo_text all = {0};
    void *handle = NULL;

    for (int i = 0; i < class_waiting_count; i++) {
        batch_add(&all, &class_waiting[i].kernel, i);
        class_add_caller(&all, &class_waiting[i].kernel, class_operands(class_waiting[i].of) + 1,
                         i);
    }
    if (!batch_compile(opevo_text_string(&all), false, &handle))
        fail_msg("Kernels do not compile:\n%s\n%s", program_output, opevo_text_string(&all));
    for (int i = 0; i < class_waiting_count; i++)
        class_run_members(i, handle);
    for (int i = 0; i < class_waiting_count; i++) {
        opevo_kernel_free(&class_waiting[i].kernel);
        opevo_text_free(&class_waiting[i].steps);
    }
    class_waiting_count = 0;
    dlclose(handle);
    opevo_text_free(&all);
}

/* Take the kernel of a pipeline with free extents, to be run with others; false, with the reason in
 * `why`, where it cannot be lowered. */
static inline bool class_take(const char *of, const opevo_pipeline *pipeline,
                              opevo_kernel_dialect dialect, opevo_text *why)
{
    class_kernel *one = NULL;
    opevo_limits limits = opevo_limits_default(dialect);
    bool fits = false;

    if (class_waiting_count == CLASS_WAITING)
        class_run();
    one = &class_waiting[class_waiting_count];
    *one = (class_kernel){.of = of};
    CHECK_OK(opevo_pipeline_emit(pipeline, dialect, &limits, &one->kernel, &fits, why, &err));
    if (!fits)
        return false;
    assert_true(one->kernel.arguments > 0);
    opevo_pipeline_print(pipeline, &one->steps);
    class_waiting_count++;
    return true;
}

#endif
