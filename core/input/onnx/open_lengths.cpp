#include "core/input/onnx/open_lengths.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/nearest_name.hpp"

namespace zz::core::onnx_import {

std::int64_t OpenLengths::given(const std::string& name) {
  known_.insert(name);
  const auto found = dimensions_.find(name);
  if (found == dimensions_.end()) return unknown_length;
  used_.insert(name);
  return found->second;
}

void OpenLengths::report_unused(const SourceMark& mark, Diagnostics& diagnostics) const {
  const std::vector<std::string> known(known_.begin(), known_.end());
  for (const auto& [name, length] : dimensions_)
    if (used_.count(name) == 0)
      diagnostics.error(mark, fmt::format("the network leaves no length '{}' open", name),
                        suggestion(name, known));
}

void OpenLengths::report(const SourceMark& mark, Diagnostics& diagnostics) const {
  if (inputs_.empty()) return;
  std::vector<std::string> lengths, settings;
  for (const auto& [name, inputs] : inputs_) {
    constexpr std::size_t most_named = 3;
    const std::size_t named = std::min(most_named, inputs.size());
    const auto end = inputs.begin() + static_cast<std::ptrdiff_t>(named);
    const std::size_t others = inputs.size() - named;
    lengths.push_back(fmt::format("'{}' ({}{})", name, fmt::join(inputs.begin(), end, ", "),
                                  others > 0 ? fmt::format(" and {} more", others) : ""));
    settings.push_back(fmt::format("\"{}\": LENGTH", name));
  }
  diagnostics.error(mark, fmt::format("the network leaves lengths open: {}", fmt::join(lengths, "; ")),
                    fmt::format("write `dimensions: {{{}}}`", fmt::join(settings, ", ")));
}

}  // namespace zz::core::onnx_import
