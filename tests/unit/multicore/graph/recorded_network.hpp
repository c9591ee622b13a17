#pragma once
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/multicore/graph/computation_node_graph.hpp"

namespace zz::test {

/// A network, its accelerator as far as splitting looks at it, and the settings of a recorded run of Stream
/// 0.0.8, built from the case file alone.
struct RecordedNetwork {
  core::Workload workload;
  core::MultiCoreAccelerator accelerator;  ///< top memories only: no cores, no links
  core::SplitOptions options;              ///< by the rules of Stream
};

RecordedNetwork recorded_network(const nlohmann::ordered_json& recorded);

/// Folder of the recorded cases; empty when it is not beside the checkout.
std::filesystem::path recorded_cases();
/// Names of the cases in which a graph was recorded.
std::vector<std::string> cases_with_graph();
nlohmann::ordered_json recorded_case(const std::string& name);
/// The packed file with everything of a case.
nlohmann::ordered_json recorded_details(const std::string& name);

}  // namespace zz::test
