/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tune a loop of one's own: opevo proposes tile and unroll factor,
 * the program says how long it took. */

#include <opevo/opevo.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <stdexcept>

/* A failed call as an exception: must([&](auto *err) { return opevo_...(..., err); }); */
template <typename call_type> static void must(call_type call)
{
    opevo_error err{};

    if (call(&err) != OPEVO_OK)
        throw std::runtime_error(err.message);
}

struct release {
    void operator()(opevo_objective *objective) const
    {
        opevo_objective_destroy(objective);
    }
    void operator()(opevo_session *session) const
    {
        opevo_session_end(session, nullptr, nullptr);
    }
};

/* Milliseconds of a configuration: here a formula, otherwise a measurement. */
static double run(const opevo_space *space, opevo_index point)
{
    opevo_index vertices[2];
    opevo_value tile[2], unroll;

    opevo_space_decode(space, point, vertices);
    opevo_parameter_value(opevo_space_parameter(space, 0), vertices[0], tile);
    opevo_parameter_value(opevo_space_parameter(space, 1), vertices[1], &unroll);
    return 1 + double(std::llabs(tile[0].as.integer - 16)) / 4 + 8 / opevo_value_number(unroll);
}

static void tune()
{
    const char *space = R"({"TILE": {"_type": "factor", "_value": [256, 2]},
                            "UNROLL": {"_type": "discrete", "_value": [1, 2, 4, 8]}})";
    opevo_external_options loop{};
    opevo_run_options options{};
    opevo_objective *external = nullptr;
    opevo_session *created = nullptr;
    opevo_trial trial;
    size_t count = 0;

    loop.name = "my loop";
    loop.unit = "ms";
    options.seed = 1;
    options.budget.trials = 30;
    must(
        [&](auto *err) { return opevo_space_parse(space, "my space", nullptr, &loop.space, err); });
    must([&](auto *err) { return opevo_external_create(&loop, &external, err); });
    std::unique_ptr<opevo_objective, release> objective(external); /* with its space */
    must([&](auto *err) { return opevo_tuner_find("opevo", &options.tuner, err); });
    must([&](auto *err) { return opevo_session_create(external, &options, &created, err); });
    std::unique_ptr<opevo_session, release> session(created);
    for (;;) {
        opevo_text text{};

        must([&](auto *err) { return opevo_session_ask(created, &trial, 1, &count, err); });
        if (count == 0)
            return;
        double time_ms = run(external->space, trial.proposal.point);

        trial.outcome = opevo_outcome_of_time(time_ms / 1000);
        must([&](auto *err) { return opevo_session_tell(created, &trial, 1, err); });
        opevo_space_print(external->space, trial.proposal.point, &text);
        std::cout << trial.number << ' ' << opevo_text_string(&text) << ' ' << time_ms << " ms\n";
        opevo_text_free(&text);
    }
}

int main()
{
    try {
        tune();
        return 0;
    } catch (const std::exception &problem) {
        std::cerr << "ask_tell: " << problem.what() << '\n';
        return 1;
    }
}
