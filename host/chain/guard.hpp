#pragma once
#include "host/chain/place.hpp"
#include "zz/stage_abi.h"

/// The guard: the host wraps every stream of a stage in a stream of its own. The guard enforces the
/// contract on both sides, so that an error of one stage cannot crash another, and names the stage at
/// fault.
namespace zz::host {

/// zz_host.open: starts the stage below `at`, wrapped in the guard.
zz_status open_below(zz_place* at, zz_value* context, zz_stream* out, zz_error* error) noexcept;
/// Starts the stage at `place`. The host opens the first stage with it.
zz_status open_place(zz_place& place, zz_value* context, zz_stream* out, zz_error* error) noexcept;

}  // namespace zz::host
