#include "core/answers/optima.hpp"

#include <doctest/doctest.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/answers/answers_by_store.hpp"
#include "core/answers/known_mapping.hpp"
#include "core/answers/question.hpp"
#include "core/base/diagnostics.hpp"
#include "core/search/optimal/searched_space.hpp"
#include "tests/unit/worlds/random_problems.hpp"
#include "tests/unit/worlds/texts.hpp"
#include "tests/unit/worlds/thorough.hpp"

using namespace zz::core;
using zz::test::daily;
using zz::test::RandomProblems;

namespace {

struct FreeStore {
  zz::test::Folder folder;
  std::string path = (folder.path() / "store.sqlite").string();
};

/// The first problem with a mapping.
struct Problem {
  Layer layer;
  std::shared_ptr<const Accelerator> accelerator;
  JointOptions options;

  explicit Problem(RandomProblems& random) {
    for (;;) try {
        layer = random.layer();
        accelerator = std::make_shared<const Accelerator>(random.accelerator());
        find_joint_optimum(layer, accelerator, options);
        return;
      } catch (const NoResult&) {
      }
  }
};

Layer renamed(Layer layer) {
  layer.id = 7;
  layer.name = "another";
  return layer;
}

}  // namespace

TEST_CASE("optima: the same question needs no search, others start from the nearest") {
  RandomProblems random;
  const Problem problem(random);
  const JointOptions& options = problem.options;
  Answers answers;
  Optima optima(answers, true);
  const auto from = [&](const Layer& layer, const Accelerator& accelerator, const JointOptions& by) {
    return optima.of(layer, std::make_shared<const Accelerator>(accelerator), by).source;
  };
  CHECK(optima.of(problem.layer, problem.accelerator, options).source == Optima::Source::search);
  CHECK(from(renamed(problem.layer), *problem.accelerator, options) == Optima::Source::this_run);
  answers.begin_count();
  CHECK(from(renamed(problem.layer), *problem.accelerator, options) == Optima::Source::earlier_run);
  Accelerator other = *problem.accelerator;
  other.name = "renamed";
  other.memories.front().area = 3;
  CHECK(from(problem.layer, other, options) == Optima::Source::this_run);
  Accelerator dearer = *problem.accelerator;
  dearer.memories.front().write_cost += 1;
  CHECK(from(problem.layer, dearer, options) == Optima::Source::earlier_optimum);
  Accelerator smaller = *problem.accelerator;
  smaller.memories.front().ports.front().bandwidth_max *= 2;
  CHECK(from(problem.layer, smaller, options) == Optima::Source::search);
  JointOptions others = options;
  others.objective = Objective::latency;
  CHECK(from(problem.layer, *problem.accelerator, others) == Optima::Source::search);
  others = options;
  others.within = 0.1;
  CHECK(from(problem.layer, *problem.accelerator, others) == Optima::Source::earlier_optimum);
  others = options;
  others.model.rules.faster_than_ports = !others.model.rules.faster_than_ports;
  CHECK(from(problem.layer, *problem.accelerator, others) == Optima::Source::search);
  Layer larger = problem.layer;
  larger.loops.front().size += 1;
  CHECK(from(larger, *problem.accelerator, options) == Optima::Source::search);
}

TEST_CASE("optima: a store gives another process the same pair, proof and counts") {
  RandomProblems random;
  const int trials = daily(4, 12);
  int compared = 0;
  for (int trial = 0; trial < trials; ++trial) {
    Problem problem(random);
    for (const Objective objective : {Objective::energy, Objective::latency, Objective::edp})
      for (const bool within : {false, true}) {
        JointOptions options = problem.options;
        options.objective = objective;
        if (within) options.within = 0.05;
        const FreeStore store;
        std::shared_ptr<const JointOptimum> first;
        {
          AnswersByStore answers(false);
          first = answers.at(store.path).optima.of(problem.layer, problem.accelerator, options).optimum;
          answers.write();
        }
        AnswersByStore again(false);
        const Optima::Found found =
            again.at(store.path).optima.of(renamed(problem.layer), problem.accelerator, options);
        CHECK(found.source == Optima::Source::earlier_run);
        const auto same = [](const JointOptimum& a, const JointOptimum& b) {
          CHECK(a.unrolling == b.unrolling);
          CHECK(stored_answer(a, {}).mapping == stored_answer(b, {}).mapping);
          CHECK(a.certificate.value == b.certificate.value);
          CHECK(a.certificate.lower_bound == b.certificate.lower_bound);
          CHECK(a.energy == b.energy);
          CHECK(a.latency == b.latency);
          CHECK(a.searched == b.searched);
        };
        same(*found.optimum, *first);
        REQUIRE((found.optimum->second == nullptr) == (first->second == nullptr));
        if (first->second != nullptr) same(*found.optimum->second, *first->second);
        CHECK(again.counted().asked == 1);
        CHECK(again.counted().found == 1);
        ++compared;
      }
  }
  CHECK(compared == 6 * trials);
}

TEST_CASE("optima: what limits cut off answers only who has the same limits") {
  RandomProblems random;
  for (int trial = 0; trial < 40; ++trial) {
    Problem problem(random);
    JointOptions options = problem.options;
    options.limits.states = 3;
    const FreeStore store;
    const auto from = [&](const JointOptions& by) {
      AnswersByStore answers(false);
      const Optima::Source found =
          answers.at(store.path).optima.of(problem.layer, problem.accelerator, by).source;
      answers.write();
      return found;
    };
    try {
      const JointOptimum cut_off = find_joint_optimum(problem.layer, problem.accelerator, options);
      if (cut_off.certificate.gap() == 0) continue;
      CHECK(from(options) == Optima::Source::search);
      CHECK(from(options) == Optima::Source::earlier_run);
      JointOptions loose = options;
      loose.limits.states = 4;
      loose.limits.gap = 2 * cut_off.certificate.gap();
      CHECK(from(loose) == Optima::Source::earlier_run);  // proven as far as it wants
      JointOptions other = options;
      other.limits.states = 4;
      CHECK(from(other) == Optima::Source::search);
      JointOptions whole = problem.options;
      CHECK(from(whole) == Optima::Source::search);
      CHECK(from(options) == Optima::Source::earlier_run);  // the proof serves everybody

      // A search that was to end at a gap may have ended there in part.
      JointOptions sooner = options;
      sooner.limits.gap = cut_off.certificate.gap() / 2;
      const FreeStore other_store;
      const auto from_other = [&](const JointOptions& by, AnswersByStore& answers) {
        return answers.at(other_store.path).optima.of(problem.layer, problem.accelerator, by).source;
      };
      {
        AnswersByStore answers(false);
        CHECK(from_other(sooner, answers) == Optima::Source::search);
        answers.write();
      }
      {
        AnswersByStore answers(false);
        CHECK(from_other(sooner, answers) == Optima::Source::earlier_run);
        CHECK(from_other(options, answers) == Optima::Source::search);
        answers.write();
      }
      AnswersByStore answers(false);
      CHECK(from_other(sooner, answers) == Optima::Source::earlier_run);  // of the search without a gap
      return;
    } catch (const NoResult&) {
      continue;
    }
  }
  FAIL("no search was cut off");
}

TEST_CASE("optima: a second pair of a store is held to what was asked for") {
  RandomProblems random;
  Problem problem(random);
  problem.options.within = 0.05;
  const JointOptimum right = find_joint_optimum(problem.layer, problem.accelerator, problem.options);
  const StoredAnswer whole = stored_answer(right, {});
  const auto read = [&](const StoredAnswer& answer) {
    return known_optimum(answer, problem.layer, problem.accelerator, problem.options);
  };
  CHECK(read(whole).second->certificate.value == right.second->certificate.value);
  StoredAnswer lacking = whole;
  JointOptimum alone = right;
  alone.second.reset();
  lacking.mapping = stored_answer(alone, {}).mapping;
  CHECK_THROWS_AS(read(lacking), InputError);
  JointOptimum other = right, claims = *right.second;
  claims.certificate.lower_bound = 2 * claims.certificate.value;
  other.second = std::make_shared<const JointOptimum>(claims);
  CHECK_THROWS_AS(read(stored_answer(other, {})), InputError);
  CHECK_THROWS_AS(read({0.5 * whole.value, 0.25 * whole.value, 0, whole.mapping}), InputError);
}

TEST_CASE("optima: a proof over one space is no answer to a question about another") {
  RandomProblems random;
  const Problem problem(random);
  const FreeStore store;
  AnswersByStore answers(false);
  const auto source = [&](const Layer& layer, const JointOptions& options) {
    return answers.at(store.path).optima.of(layer, problem.accelerator, options).source;
  };
  JointOptions any = problem.options, several = problem.options, within = problem.options;
  any.factors = UnrollingFactors::any;
  several.mixed = !several.mixed;
  within.allowed.most_energy = 1e300;
  CHECK(source(problem.layer, problem.options) == Optima::Source::search);
  for (const JointOptions& options : {any, several, within}) {
    CHECK(!(space_of(options) == space_of(problem.options)));
    CHECK(question_text(options) != question_text(problem.options));
    CHECK(source(problem.layer, options) == Optima::Source::search);
  }
  Layer hinted = problem.layer;
  const std::string dimension = problem.accelerator->array.dimensions.front().name;
  hinted.mapping.spatial_hints = {{dimension, {hinted.loops.front().name}}};
  CHECK(source(hinted, problem.options) == Optima::Source::search);
  CHECK(source(problem.layer, problem.options) == Optima::Source::this_run);
}

TEST_CASE("optima: a brief search answers no question without, but where even unrollings have none") {
  JointOptions options;
  options.within = 0.001;
  for (const UnrollingFactors factors : {UnrollingFactors::even, UnrollingFactors::any}) {
    options.factors = factors;
    options.brief = true;
    const std::string brief = question_text(options);
    options.brief = false;
    CHECK((question_text(options) == brief) == (factors == UnrollingFactors::even));
  }
}

TEST_CASE("searched space: hints, prescriptions and orders of the mapping file are told") {
  RandomProblems random;
  Problem problem(random);
  Layer& layer = problem.layer;
  layer.mapping.spatial_mapping = {};
  layer.mapping.spatial_hints = {};
  const JointOptions& options = problem.options;
  const auto space = [&] { return space_of(options, layer, *problem.accelerator); };
  ProofSpace wanted = space_of(options);
  CHECK(wanted.even);
  CHECK(wanted.dividing);
  CHECK(space() == wanted);
  const auto& arrays = problem.accelerator->array.dimensions;
  // A hint of a loop that the layer does not have is not used; one of all loops rules nothing out.
  layer.mapping.spatial_hints = {{arrays.front().name, {"NONE"}}};
  CHECK(space() == wanted);
  UnrollingHint all{arrays.front().name, {}};
  for (const LoopDimension& loop : layer.loops) all.dimensions.push_back(loop.name);
  layer.mapping.spatial_hints = {all};
  CHECK(space() == wanted);
  layer.mapping.temporal_ordering = {{layer.loops.front().name, 1}};
  wanted.ordered = true;
  CHECK(space() == wanted);
  // Chains of tiles do not compete in an order that is given.
  JointOptions chains = options;
  chains.tiles = Tiles::chains;
  CHECK(space_of(chains, layer, *problem.accelerator) == wanted);
  layer.mapping.cuts = {{"O", {}}};
  wanted.cut = true;
  CHECK(space() == wanted);
  CHECK(words_of(wanted).find(", with the loop order and the cuts that the mapping file gives") !=
        std::string::npos);
  CHECK(words_of(wanted).find("loop orders") == std::string::npos);
  CHECK(left_out(wanted).back() == "cuts that the mapping file rules out");
  layer.mapping.cuts.clear();
  const std::string loop = layer.loops.front().name;
  for (const ArrayDimension& array : arrays) {
    CHECK(!space().prescribed);
    layer.mapping.spatial_mapping.dimensions.push_back({array.name, {{loop, 1}}});
    CHECK((space().hinted || space().prescribed));
  }
  CHECK(space().prescribed);
  CHECK(!space().hinted);
  CHECK(!space().even);
}

TEST_CASE("optima: answers of a store that do not cost what they say are searched anew") {
  RandomProblems random;
  const Problem problem(random);
  const FreeStore store;
  {
    AnswersByStore answers(false);
    answers.at(store.path).optima.of(problem.layer, problem.accelerator, problem.options);
    answers.write();
  }
  const ContentKey key = question_key(question_text(problem.layer),
                                      question_text(*problem.accelerator, problem.options.objective),
                                      question_text(problem.options));
  const StoredAnswer right = ResultStore(store.path, ResultStore::Access::read).answer(key).value();
  const auto damaged = [&](double value, const std::string& mapping) {
    {
      ResultStore writer(store.path, ResultStore::Access::write);
      writer.add_answer(key, {value, right.bound, right.gap, mapping});
      writer.write();
    }
    AnswersByStore answers(false);
    const Optima::Found found =
        answers.at(store.path).optima.of(problem.layer, problem.accelerator, problem.options);
    CHECK(found.source == Optima::Source::search);
    CHECK(found.optimum->certificate.value == right.value);
    CHECK(answers.counted().found == 0);
  };
  damaged(2 * right.value, right.mapping);
  damaged(right.value, "{}");
  damaged(right.value, R"({"u": [], "l": [[99, 4]], "a": [[1]], "s": [[1]], "listed": 1})");
  damaged(right.value,
          R"({"u": [["D1", [["no", 4]]]], "l": [[-1, 4]], "a": [[90]], "s": [[-9]], "listed": 1})");
  damaged(right.value, "no JSON");
  // Each number of it by itself is another one.
  const nlohmann::json good = nlohmann::json::parse(right.mapping);
  for (const char* const part : {"l", "a", "s"})
    for (std::size_t i = 0; i < good[part].size(); ++i)
      for (std::size_t j = 0; j < good[part][i].size(); ++j)
        for (const int number : {-1, 0, 47, 99, 255}) {
          nlohmann::json bad = good;
          if (bad[part][i][j] == number) continue;
          bad[part][i][j] = number;
          try {
            known_optimum({right.value, right.bound, right.gap, bad.dump()}, problem.layer,
                          problem.accelerator, problem.options);
          } catch (const InputError&) {
          } catch (const NoResult&) {
          }
        }
  damaged(right.value, R"({"u": [], "l": [[0, 1]], "a": [], "s": [], "listed": 1})");
}

TEST_CASE("optima: a second search that ended by its own effort answers questions with other limits") {
  JointOptimum optimum;
  optimum.certificate.value = optimum.certificate.lower_bound = 10;
  JointOptimum second = optimum;
  second.certificate.lower_bound = 9;
  optimum.second = std::make_shared<const JointOptimum>(second);
  CHECK_FALSE(is_finished(optimum, 0));
  second.brief = true;
  optimum.second = std::make_shared<const JointOptimum>(second);
  CHECK(is_finished(optimum, 0));
  // The search for the objective is not brief.
  optimum.certificate.lower_bound = 9;
  CHECK_FALSE(is_finished(optimum, 0));
}
