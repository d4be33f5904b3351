/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Tune a loop of one's own: the tuner proposes tile and unroll, the program says how long that took. */

#include <opevo/opevo.h>

#include <cmath>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <vector>

struct deleter {
    void operator()(opevo_space *space) const
    {
        opevo_space_destroy(space);
    }
    void operator()(opevo_tuner *tuner) const
    {
        opevo_tuner_destroy(tuner);
    }
};

/* A failed call as an exception: check([&](auto *err) { return opevo_...(..., err); }) */
template <typename call> static void check(call &&function)
{
    opevo_error err{};

    if (function(&err) != OPEVO_OK)
        throw std::runtime_error(err.message);
}

static std::unique_ptr<opevo_space, deleter> parse(const char *json)
{
    opevo_space *space = nullptr;

    check([&](auto *err) { return opevo_space_parse(json, "space", nullptr, &space, err); });
    return std::unique_ptr<opevo_space, deleter>(space);
}

static std::unique_ptr<opevo_tuner, deleter> create(const char *name, const opevo_space *space)
{
    const opevo_tuner_ops *ops = nullptr;
    opevo_tuner *tuner = nullptr;

    check([&](auto *err) { return opevo_tuner_find(name, &ops, err); });
    std::vector<opevo_setting_value> settings(ops->setting_count);
    opevo_settings_default(ops, settings.data());
    check(
        [&](auto *err) { return opevo_tuner_create(ops, space, settings.data(), 1, &tuner, err); });
    return std::unique_ptr<opevo_tuner, deleter>(tuner);
}

/* Milliseconds of a configuration: here a formula, otherwise a measurement. */
static double run(const opevo_space *space, opevo_index point)
{
    opevo_index vertices[2];
    opevo_value tile[2], unroll;

    opevo_space_decode(space, point, vertices);
    opevo_parameter_value(opevo_space_parameter(space, 0), vertices[0], tile);
    opevo_parameter_value(opevo_space_parameter(space, 1), vertices[1], &unroll);
    return 1 + std::fabs(opevo_value_number(tile[0]) - 16) / 4 + 8 / opevo_value_number(unroll);
}

int main()
try {
    auto space = parse(R"({"TILE": {"_type": "factor", "_value": [256, 2]},
                           "UNROLL": {"_type": "discrete", "_value": [1, 2, 4, 8]}})");
    auto tuner = create("opevo", space.get());

    for (opevo_trial trial{}; trial.number < 30;) {
        size_t count = 0;
        opevo_text text{};

        check([&](auto *err) {
            return opevo_tuner_ask(tuner.get(), &trial.proposal, 1, &count, err);
        });
        if (count == 0)
            break;
        double time_ms = run(space.get(), trial.proposal.point);

        trial.number++;
        trial.outcome = opevo_outcome_failed(OPEVO_OUTCOME_OK);
        trial.outcome.time_s = time_ms / 1000;
        trial.outcome.fitness = opevo_unit_fitness("ms", time_ms);
        check([&](auto *err) { return opevo_tuner_tell(tuner.get(), &trial, 1, err); });
        opevo_space_print(space.get(), trial.proposal.point, &text);
        std::cout << trial.number << ' ' << opevo_text_string(&text) << ' ' << time_ms << " ms\n";
        opevo_text_free(&text);
    }
    return 0;
} catch (const std::exception &problem) {
    std::cerr << "ask_tell: " << problem.what() << '\n';
    return 1;
}
