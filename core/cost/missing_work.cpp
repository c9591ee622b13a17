#include "core/cost/missing_work.hpp"

#include <fmt/format.h>

namespace zz::core {

MissingWork missing_work(const Workload& workload) {
  return {static_cast<double>(workload.uncosted.size()), workload.missing_mac_share()};
}

MissingWork missing_work(const Evaluation& evaluation) {
  MissingWork missing;
  for (const auto& [name, figure] : evaluation.metrics) {
    if (name == MissingWork::nodes_metric) missing.nodes = figure;
    if (name == MissingWork::share_metric) missing.share = figure;
  }
  return missing;
}

std::string share_words(const std::optional<double>& share) {
  return share ? fmt::format("{:.2f} %", 100 * *share) : "an unknown share";
}

std::string missing_work_words(const MissingWork& missing) {
  if (missing.nodes == 0) return "";
  const bool one = missing.nodes == 1;
  return fmt::format(
      "{:.0f} {} a cost, {} of the multiply-accumulates", missing.nodes,
      one ? "operator that multiplies, or may do so, lacks" : "operators that multiply, or may do so, lack",
      share_words(missing.share));
}

std::string missing_work_note(const MissingWork& missing) {
  const std::string words = missing_work_words(missing);
  return words.empty() ? "" : "These figures are not of the whole network: " + words + ".";
}

}  // namespace zz::core
