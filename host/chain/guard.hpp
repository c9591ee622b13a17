#pragma once
#include "host/chain/place.hpp"
#include "zz/stage_abi.h"

/// The guard: a stream of the host's around every stream of a stage. It keeps the contract on both sides,
/// so that what one stage does wrong is never another one's crash, and knows who is to be named.
namespace zz::host {

/// zz_host.open: starts the stage below `at`, wrapped in the guard.
zz_status open_below(zz_place* at, zz_value* context, zz_stream* out, zz_error* error) noexcept;
/// The same for a given place: how the host opens the first stage.
zz_status open_place(zz_place& place, zz_value* context, zz_stream* out, zz_error* error) noexcept;

}  // namespace zz::host
