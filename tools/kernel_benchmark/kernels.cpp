#include "tools/kernel_benchmark/kernels.hpp"

#include <memory>
#include <utility>

#include "core/search/spatial/spatial_generator.hpp"

#include "tools/kernel_benchmark/best_order.hpp"
#include "tools/kernel_benchmark/every_order.hpp"

namespace zz::tools {
namespace {

constexpr int every_order_factors = 6;  // loma_lpf_limit
constexpr int best_order_factors = 8;

std::int64_t generate_unrollings(const KernelCase& entry) {
  core::Layer layer = *entry.layer;
  layer.mapping.spatial_mapping = {};
  core::generate_spatial_mappings(layer, *entry.accelerator, {.mixed = true, .count = 3});
  return 1;
}

}  // namespace

std::vector<Kernel> kernels(Inputs inputs) {
  const auto cases = std::make_shared<const std::vector<KernelCase>>(kernel_cases(inputs));
  const std::pair<const char*, std::vector<core::Objective>> searches[] = {
      {"energy", {core::Objective::energy, core::Objective::latency}},
      {"latency", {core::Objective::latency, core::Objective::energy}},
      {"edp", {core::Objective::edp}}};
  std::vector<Kernel> all;
  for (const KernelCase& entry : *cases) {
    all.push_back({"every-order/" + entry.name, [cases, &entry] {
                     return evaluate_every_order(entry, every_order_factors).evaluations;
                   }});
  }
  for (const KernelCase& entry : *cases) {
    for (const auto& search : searches) {
      const auto metrics = search.second;
      all.push_back(
          {std::string("best-order/") + search.first + "/" + entry.name,
           [cases, &entry, metrics] { return find_best_order(entry, best_order_factors, metrics); }});
    }
  }
  for (const KernelCase& entry : *cases)
    all.push_back({"spatial/" + entry.name, [cases, &entry] { return generate_unrollings(entry); }});
  return all;
}

[[gnu::noinline]] std::int64_t run_measured(const Kernel& kernel) { return kernel.run(); }

}  // namespace zz::tools
