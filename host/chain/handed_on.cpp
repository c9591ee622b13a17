#include "host/chain/handed_on.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

#include "core/cost/audit.hpp"
#include "core/schema/types.hpp"
#include "core/value/read.hpp"
#include "host/chain/handed_down.hpp"

namespace zz::host {
namespace {

/// Figures that are 0 only when they were not given.
constexpr std::array<std::string_view, 8> never_zero = {
    "ideal_cycle",      "ideal_temporal_cycle", "latency_total0",   "latency_total1",
    "mac_utilization0", "mac_utilization1",     "mac_utilization2", "mac_spatial_utilization"};

std::string layer_named(const core::Evaluation& evaluation, const core::Value& context) {
  const core::Layer* layer = evaluation.layer.get();
  if (layer == nullptr) layer = object_in_context<core::Layer>(context, "layer");
  return layer == nullptr ? "" : fmt::format(" of layer '{}'", layer->name);
}

/// The figure by which a stage above compares results and which the evaluation does not give, or "".
std::string_view missing_figure(const std::vector<zz_name>& compared, core::Ref evaluation) {
  for (const zz_name name : compared) {
    const std::string_view text = core::text_of(name);
    if (std::find(never_zero.begin(), never_zero.end(), text) == never_zero.end()) continue;
    double figure = 0;
    if (!core::read_f64(core::part(evaluation, name), figure) || !(figure > 0)) return text;
  }
  return "";
}

FailurePointer check_one(const zz_place& at, const core::Value& context, core::Ref ref) {
  ref = core::look_through(ref);
  if (ref.type != core::type_of<core::Evaluation>()) return nullptr;
  const core::Evaluation& evaluation = *core::object_in<core::Evaluation>(ref);
  const auto broken = [&](const std::string& what) {
    return make_rule_failure(
        fmt::format("handed on an evaluation{} {}", layer_named(evaluation, context), what), "S10",
        at.label);
  };
  if (const auto found = core::audit(evaluation, core::AuditScope::given); !found.empty())
    return broken(fmt::format("that breaks the rule of {}", found.front()));
  if (const std::string_view name = missing_figure(at.compared, ref); !name.empty())
    return broken(fmt::format("without '{}', by which a stage above compares", name));
  return nullptr;
}

}  // namespace

bool audits(const zz_place& at) { return at.below == nullptr && is_third_party(at); }

FailurePointer check_handed_on(const zz_place& at, const core::Value& context,
                               const core::Value& evaluation) {
  if (core::kind_of(evaluation.ref()) != core::Kind::list) return check_one(at, context, evaluation.ref());
  for (std::uint32_t i = 0; i < core::count_of(evaluation.ref()); ++i) {
    if (FailurePointer failure = check_one(at, context, core::part_at(evaluation.ref(), i));
        failure != nullptr)
      return failure;
  }
  return nullptr;
}

}  // namespace zz::host
