#pragma once
#include <span>
#include <string>
#include <string_view>

namespace zz::core {

/// The candidate with the smallest edit distance to `name` (case does not count), or "" when more than a
/// third of the letters differ. Long names and late candidates are not compared (docs/limits.md).
std::string nearest_name(std::string_view name, std::span<const std::string> candidates);

/// "did you mean 'x'?" or, when nothing is near, "known: a, b, c" (at most eight are listed).
std::string suggestion(std::string_view name, std::span<const std::string> candidates);

/// "did you mean 'configs/small_cnn.yaml'?" of a path where nothing is: each part that is not there becomes
/// the nearest name in its folder. "" when nothing is near.
std::string suggestion_of_path(const std::string& path);

}  // namespace zz::core
