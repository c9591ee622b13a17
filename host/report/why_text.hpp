#pragma once
#include <string>

#include "host/report/why.hpp"

namespace zz::host {

/// The answers of why_of() in words. One layer in full; a network as a table of its layers, and in full as
/// a whole.
std::string why_text(const WhyOfResult& why, const WhyQuestion& question);

}  // namespace zz::host
