#include "host/library/result_deviations.hpp"

#include <doctest/doctest.h>
#include <utility>
#include <vector>

#include "core/cost/evaluation.hpp"
#include "core/schema/types.hpp"

using namespace zz;

namespace {

using Found = std::vector<core::Deviation>;

core::Deviation of_latency(bool core::Rules::*member, double latency) {
  return {member, "a rule", "what it does", 0, latency};
}

core::Evaluation evaluation_of(std::int64_t id, const std::string& name, Found found) {
  core::Layer layer;
  layer.id = id;
  layer.name = name;
  core::Evaluation evaluation;
  evaluation.layer = std::make_shared<const core::Layer>(layer);
  if (!found.empty())
    evaluation.deviations = {
        std::make_shared<const core::LayerDeviations>(core::LayerDeviations{name, std::move(found)})};
  return evaluation;
}

core::Value value_of(const core::Evaluation& evaluation) {
  return core::Value::object(std::make_shared<const core::Evaluation>(evaluation));
}

std::string sentence_of(const std::vector<core::Evaluation>& evaluations) {
  host::ResultDeviations deviations;
  for (const core::Evaluation& evaluation : evaluations)
    deviations.add(value_of(evaluation), core::Value());
  return deviations.sentence();
}

const auto ports = of_latency(&core::Rules::faster_than_ports, 0.25);
const auto rounds = of_latency(&core::Rules::data_in_whole_units, -0.5);

}  // namespace

TEST_CASE("result deviations: one line counts the layers, in whatever order they come") {
  const core::Evaluation first = evaluation_of(1, "first", {ports, rounds});
  const core::Evaluation second = evaluation_of(2, "second", {ports}),
                         third = evaluation_of(3, "third", {});
  const std::string line =
      "figures of 2 of 3 layers differ from ZigZag's, by up to -50 % a rule; zz-host compare shows all "
      "(docs/deviations.md)";
  CHECK(line.size() <= 120);
  CHECK(sentence_of({first, second, third}) == line);
  CHECK(sentence_of({third, second, first, first}) == line);
  CHECK(sentence_of({core::add(core::add(first, second), third)}) == line);
}

TEST_CASE("result deviations: nothing is said where no figure differs") {
  CHECK(sentence_of({}).empty());
  CHECK(sentence_of({evaluation_of(1, "only", {})}).empty());
}

TEST_CASE("result deviations: a schedule has Stream's rules, a layer ZigZag's") {
  const core::Deviation early = of_latency(&core::Rules::starts_before_arrival, 0.1);
  core::Evaluation network = evaluation_of(1, "only", {early});
  CHECK(sentence_of({network}).empty());
  network.schedule = std::make_shared<const core::Schedule>();
  network.deviations = {
      std::make_shared<const core::LayerDeviations>(core::LayerDeviations{"network", {early}, true})};
  CHECK(sentence_of({network}) ==
        "figures of 1 schedule differ from Stream's, by up to +10 % a rule; zz-host compare shows all "
        "(docs/deviations.md)");
}
