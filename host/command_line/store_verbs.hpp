#pragma once
#include "host/command_line/options.hpp"

namespace zz::host {

/// `zz-host why STORE POINT`: what became of a point of a design space.
int why_point(const Options& options);

}  // namespace zz::host
