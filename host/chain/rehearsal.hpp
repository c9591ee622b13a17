#pragma once
#include "host/chain/place.hpp"
#include "zz/stage_abi.h"

/// A rehearsal finds what a run would refuse before its first search. Of the chain the built-in stages at
/// its top that read files and hand down what is in them are opened as in a run. Those below are asked what
/// they find wrong in their context (the ability "zz.stage.check/0"), and what they would hand down.
/// Without an answer it is the same context, and a stage that hands down objects or varies settings ends
/// the rehearsal, as if the chain below had no results. Nothing is searched or written.
namespace zz::host {

/// True for a stage that hands down objects that it reads from files, whatever comes from above.
bool reads_files(const zz_place& place);

/// In place of opening the stage, which does not read files. [any]
zz_status rehearse(const Instance& instance, zz_value* context, zz_stream* out, zz_error* error) noexcept;

}  // namespace zz::host
