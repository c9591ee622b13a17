#pragma once
#include <optional>
#include <string_view>

#include "core/value/value.hpp"

/// The small example over which stages are run: one matrix product of 4 x 8 by 8 x 6 on four units below
/// two memories, unrolled and ordered in one legal way.
namespace zz::host {

/// The object of that type in the example; empty when it has none.
std::optional<core::Value> sample_object(std::string_view type);

/// The n-th result of a made-up chain: an evaluation of the example whose figures depend on n, and do not
/// grow with it.
core::Value sample_evaluation(int n);

/// The same object under another name and id, where it has them: a layer that differs in nothing else.
core::Value renamed_layer(const core::Value& layer);

}  // namespace zz::host
