#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "core/store/result_store.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// Work that is cut into places, for all programs that run the same pipeline over one store on a server.
struct SharedWork {
  const Stage& stage;
  core::ResultStore& results;
  std::string place;  ///< of the store
  std::string job;    ///< everything that decides what the places mean

  /// True when others may take part.
  bool shared() const { return core::ResultStore::is_on_server(place); }

  /// Calls `work` for ranges of places, the end not included: with a server for those that this program
  /// takes, until all are done by whomever; else once for all. `begin` is called by who begins the list;
  /// `again` before a range of which a lost program may have done a part. Throws Error(ZZ_E_CANCELLED) when
  /// interrupted.
  using OnRange = std::function<void(std::uint64_t first, std::uint64_t end)>;
  void run(std::uint64_t places, const std::function<void()>& begin, const OnRange& again,
           const OnRange& work) const;
};

}  // namespace zz::plugins
