#include "plugins/explore/layers_of_front.hpp"

#include <limits>
#include <memory>
#include <optional>

#include "plugins/internal/objects.hpp"

namespace zz::plugins {

void keep_layers_of_front(Exploration& exploration, const FiguresOfLayers& figures) {
  core::ResultStore& store = exploration.store();
  for (const auto& row : store.front().rows) {
    DesignPoint design;
    exploration.points().make(row.front().get<std::uint64_t>(), design);
    const auto accelerator = object_or_null<core::Accelerator>(design.accelerator);
    if (accelerator == nullptr) continue;
    const auto answers_of = [&](core::Objective objective) {
      const std::string text = core::question_text(*accelerator, objective);
      std::vector<core::StoredAnswer> answers;
      for (std::size_t i = 0; i < figures.questions().size(); ++i) {
        constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
        const std::optional<core::StoredAnswer> known = store.answer(figures.key(i, text, objective));
        answers.push_back(known.value_or(core::StoredAnswer{unknown, unknown, 0, ""}));
      }
      return answers;
    };
    const auto energies = answers_of(core::Objective::energy),
               latencies = answers_of(core::Objective::latency);
    std::vector<core::StoredLayer> layers;
    for (std::size_t i = 0; i < figures.question_of_layer().size(); ++i) {
      const std::size_t question = figures.question_of_layer()[i];
      layers.push_back({figures.placed().layers[i]->name, energies[question].value,
                        latencies[question].value, latencies[question].mapping});
    }
    store.add_layers(design.number, layers);
  }
}

}  // namespace zz::plugins
