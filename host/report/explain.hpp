#pragma once
#include <string>

#include "host/chain/resolved_pipeline.hpp"

namespace zz::host {

/// The chain as it would run, with the origin of each setting: for people.
std::string explain_as_text(const ResolvedPipeline& chain);

/// The same for programs.
std::string explain_as_json(const ResolvedPipeline& chain);

/// "default", or the place where it was written.
std::string origin_text(Origin origin, const core::SourceMark& mark);

}  // namespace zz::host
