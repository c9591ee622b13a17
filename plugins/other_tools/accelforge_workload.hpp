#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/workload/workload.hpp"
#include "plugins/other_tools/einsum_layer.hpp"
#include "plugins/other_tools/named_sets.hpp"
#include "plugins/other_tools/yaml_template.hpp"

namespace zz::plugins {

/// An Einsum of two tensors, with the names that expressions of an architecture may use.
struct AccelForgeProduct {
  Einsum einsum;
  NamedSets tensors;                            ///< bits: input 1, weight 2, output 4
  NamedSets loops;                              ///< a bit for each of einsum.loops
  std::map<std::string, std::int64_t> bits;     ///< of a value, by names of single tensors
  std::vector<core::UnrollingHint> hints = {};  ///< an architecture's words on its loops
};

inline constexpr NamedSets::Set input_bit = 1, weight_bit = 2, output_bit = 4;

struct AccelForgeWorkload {
  std::vector<AccelForgeProduct> products;
  std::vector<core::PassThroughNode> others;  ///< copies, and what works on the elements of one tensor
  std::vector<std::int64_t> order;            ///< ids of both
};

/// Reads workload and renames of AccelForge. Einsums of two inputs are products, those of one pass through.
///
/// Throws InputError with every problem of the file; doubts are warnings in `diagnostics`.
AccelForgeWorkload read_accelforge_workload(const std::string& path, const TemplateValues& values,
                                            core::Diagnostics& diagnostics,
                                            const core::Files& files = core::Files::on_disk());

/// A network of the layers of the products, in the order of the file.
core::Workload workload_of(const AccelForgeWorkload& read, const std::string& name,
                           core::Diagnostics& diagnostics);

}  // namespace zz::plugins
