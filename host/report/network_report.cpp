#include "host/report/network_report.hpp"

#include <limits>
#include <utility>

#include "core/input/onnx/network_report.hpp"

namespace zz::host {
namespace {

void add_up(std::int64_t& sum, std::int64_t number) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  sum = number > largest - sum ? largest : sum + number;
}

}  // namespace

double NetworkReport::missing_share() const {
  if (missing_macs == 0) return 0;
  return static_cast<double>(missing_macs) /
         (static_cast<double>(macs) + static_cast<double>(missing_macs));
}

NetworkReport report_network(const std::string& file, const core::onnx_import::Dimensions& dimensions,
                             core::Diagnostics& diagnostics) {
  NetworkReport report;
  report.file = file;
  report.network = core::onnx_import::read_network(file, dimensions, diagnostics);
  for (const core::Diagnostic& each : diagnostics.all()) report.warnings.push_back(each.message);
  report.costs = core::onnx_import::node_costs(report.network);
  report.parameters = core::onnx_import::parameter_count(report.network);
  report.cache = core::onnx_import::kv_cache(report.network);
  for (const auto& cost : report.costs)
    add_up(cost.problem.empty() ? report.macs : report.missing_macs, cost.macs);
  return report;
}

std::string work_of(const core::onnx_import::NetworkNode& node) {
  return node.known == nullptr ? "unknown" : std::string(word_for(node.known->work));
}

}  // namespace zz::host
