#pragma once
#include <cstddef>
#include <cstdint>

#include "zz/stage_abi.h"

/// The released part of the boundary. From the first released minor on a version only appends, so a plugin
/// built against any of them loads. Tables of such a plugin may be shorter than this host's; members that
/// came later are read through ZZ_HAS. A copy of every released header is kept in tests/abi/released.
namespace zz::host {

constexpr std::uint16_t first_released_minor = 1;

/// The sizes of the tables that a plugin fills in, in that minor.
constexpr std::size_t released_plugin_size = 88;
constexpr std::size_t released_stage_size = 128;

static_assert(ZZ_ABI_MAJOR == 0 && sizeof(zz_plugin) >= released_plugin_size &&
              sizeof(zz_stage_desc) >= released_stage_size);

/// True when a plugin that asks for this version loads in this host.
constexpr bool loads(std::uint16_t major, std::uint16_t minor) {
  return major == ZZ_ABI_MAJOR && minor >= first_released_minor && minor <= ZZ_ABI_MINOR;
}

}  // namespace zz::host
