#pragma once
#include <memory>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/input/yaml/node.hpp"
#include "core/search/fused/fused_mapping.hpp"
#include "core/search/fused/fused_network.hpp"
#include "core/search/fused/fused_search.hpp"
#include "core/workload/workload.hpp"

namespace zz::plugins {

/// The mapping of a network, with what is known of it.
struct FusedResult {
  core::FusedOptimum optimum;
  core::Objective objective = core::Objective::energy;  ///< of the search
  /// Where it is read from a file: the layers take what it says, so that what it says of the bound is of
  /// this network on this accelerator.
  bool as_written = false;
};

/// The text of `fused_groups.yaml` (core/schema/fused_groups.hpp), with `heading` as a comment.
std::string fused_groups_yaml(const FusedResult& found, const std::string& heading);

/// A layer of the network, with what a file does not say of it: where it runs, and the rest as in
/// NetworkLayer.
struct GivenLayer {
  std::shared_ptr<const core::Layer> layer;
  std::shared_ptr<const core::Accelerator> accelerator;
  int set = 0;
  std::vector<int> in_common = {};
};

/// Reads such a file for the layers of a workload, in their order. Throws InputError for what is wrong:
/// other layers, unrollings, loops, shared loops or places than can be, and data that do not fit into a
/// memory. Adds warnings to `diagnostics`.
FusedResult read_fused_groups(const core::yaml::Node& file, const core::Workload& workload,
                              const std::vector<GivenLayer>& layers, const core::CostModelOptions& options,
                              core::Diagnostics& diagnostics);

}  // namespace zz::plugins
