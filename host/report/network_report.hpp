#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/input/onnx/network.hpp"
#include "core/input/onnx/network_report.hpp"

namespace zz::host {

/// An ONNX file as zz understands it, for people and for programs.
struct NetworkReport {
  std::string file;
  core::onnx_import::Network network;
  std::vector<core::onnx_import::NodeCost> costs;  ///< of each node of the network
  std::vector<std::string> warnings;
  std::int64_t parameters = 0;
  std::int64_t parameter_bytes = 0;
  std::int64_t activation_bytes = 0;
  std::optional<core::onnx_import::KvCache> cache;
  std::int64_t macs = 0;          ///< of all nodes that have a cost
  std::int64_t missing_macs = 0;  ///< of those that have none; only what is known of them

  /// All nodes of one operator.
  struct OfOperator {
    std::string name;
    std::int64_t nodes = 0;
    std::int64_t macs = 0;  ///< as far as they are known
  };
  /// Those with most multiply-accumulates first, then those with most nodes.
  std::vector<OfOperator> by_operator() const;
  /// The nodes with most multiply-accumulates, the largest first, at most `count`; of the iterations of a
  /// loop the largest.
  std::vector<const core::onnx_import::NetworkNode*> largest(std::size_t count) const;

  /// Share of the multiply-accumulates without a cost, from 0 to 1; none when those of a node are unknown.
  std::optional<double> missing_share() const;
};

/// Reads the file with what is given of its inputs. Throws InputError.
NetworkReport report_network(const std::string& file, const core::onnx_import::GivenInputs& given,
                             core::Diagnostics& diagnostics);

/// "products", "vector", "rearrangement", "none", or "unknown" for an operator that zz does not know.
std::string work_of(const core::onnx_import::NetworkNode& node);

/// Tables of the inputs and weights, of all nodes with their results, of the operators and of the largest
/// nodes, and the sums. Iterations of a loop that are equal are one row.
std::string network_as_table(const NetworkReport& report);

/// The document of `zz-host network --format=json`; docs/networks.md explains its keys.
std::string network_as_json(const NetworkReport& report);

}  // namespace zz::host
