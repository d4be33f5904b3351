/* SPDX-License-Identifier: GPL-3.0-or-later */

/* How many trials each tuner of the table has pending at a time, as its settings say: what keeps
 * workers busy. */

#include "contract_fixture.h"

enum {
    ROUNDS = 6,
    INITIAL_MOST = 120, /* trials after which every tuner has left its initial points */
    ASK_MOST = 4096,
    WORKERS = 7
};

typedef struct rounds {
    size_t count, least, most;
    double mean;
} rounds;

/* Ask until the tuner waits, then tell all. */
static size_t one_round(opevo_tuner *tuner, formula *objective, opevo_trial *trials)
{
    static opevo_proposal asked[ASK_MOST];
    size_t total = 0, count = 0;

    do {
        CHECK_OK(opevo_tuner_ask(tuner, asked, ASK_MOST, &count, &err));
        for (size_t i = 0; i < count; i++)
            trials[total++] = (opevo_trial){.proposal = asked[i],
                                            .outcome = formula_outcome(objective, asked[i].point)};
    } while (count && total < INITIAL_MOST);
    CHECK_OK(opevo_tuner_tell(tuner, trials, total, &err));
    return total;
}

static rounds play(const opevo_tuner_ops *ops, const opevo_space *space,
                   const opevo_setting_value *values)
{
    static opevo_trial trials[ASK_MOST + INITIAL_MOST];
    formula objective = formula_on(space, 3, 0);
    rounds out = {.least = SIZE_MAX};
    opevo_tuner *tuner = NULL;
    size_t told = 0;

    CHECK_OK(opevo_tuner_create(ops, space, values, 1, &tuner, &err));
    while (told < INITIAL_MOST)
        told += one_round(tuner, &objective, trials);
    while (out.count < ROUNDS) {
        size_t made = one_round(tuner, &objective, trials);

        out.least = made < out.least ? made : out.least;
        out.most = made > out.most ? made : out.most;
        out.mean += (double)made;
        out.count++;
    }
    out.mean /= (double)out.count;
    opevo_tuner_destroy(tuner);
    return out;
}

/* Whether its batch is that of workers. A tuner has one batch at most, and it is a number. */
static bool is_of_workers(const opevo_tuner_ops *ops)
{
    const opevo_setting *row = opevo_settings_batch_row(ops);
    size_t batches = 0;

    for (size_t i = 0; i < ops->setting_count; i++)
        batches += ops->settings[i].batch != OPEVO_BATCH_NO;
    assert_true(batches == (row ? 1 : 0) && !(row && ops->any_batch));
    assert_true(!row || row->kind == OPEVO_SETTING_COUNT);
    return row && row->batch == OPEVO_BATCH_OF_WORKERS;
}

CHECK_TEST(test_rounds_are_as_declared)
{
    opevo_space *space = formula_space(large_space);
    size_t widened = 0;

    for (size_t t = 0; t < opevo_tuner_count(); t++) {
        const opevo_tuner_ops *ops = opevo_tuner_get(t);
        opevo_setting_value values[FORMULA_SETTINGS_MOST];
        bool of_workers = is_of_workers(ops), at_most = false;
        size_t batch = 0;
        rounds met;

        formula_settings(ops, cheaper_settings(ops), values);
        opevo_settings_widen(ops, WORKERS, values);
        batch = opevo_settings_batch(ops, values, &at_most);
        if (batch == SIZE_MAX) {
            assert_true(play(ops, space, values).least >= INITIAL_MOST);
            continue;
        }
        met = play(ops, space, values);
        if (of_workers) { /* climb restarts with one sample */
            assert_true(batch >= WORKERS && met.most == batch && met.mean > 0.7 * (double)batch);
            widened++;
        } else if (at_most) {
            assert_true(met.most <= batch && met.mean > 1);
        } else {
            assert_true(batch == 1 ? met.most == 1 : met.mean >= (double)batch);
        }
    }
    assert_true(widened >= 4);
    opevo_space_destroy(space);
}
