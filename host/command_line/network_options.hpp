#pragma once
#include <string>
#include <vector>

#include "host/chain/failure.hpp"
#include "host/command_line/options.hpp"

namespace zz::host {

/// --set, --dimensions, --values, --clock and --batch as assignments: "batch=4,sequence=128" becomes
/// "dimensions.batch=4" and "dimensions.sequence=128"; commas within brackets are part of a value.
std::vector<std::string> assignments_of(const Options& options);

/// Hints for pipelines as hints for whoever typed options: "`dimensions: {\"x:0\": LENGTH}`" is
/// "`--dimensions x:0=LENGTH`". All of them in the text, or in the failure and its causes.
std::string in_words_of_options(std::string text);
FailurePointer in_words_of_options(const Failure& failure);

}  // namespace zz::host
