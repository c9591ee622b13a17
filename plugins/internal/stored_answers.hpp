#pragma once
#include <filesystem>
#include <string>
#include <system_error>

#include "core/answers/answers_by_store.hpp"
#include "plugins/internal/objects.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// Those of the run, or of the session that it belongs to.
inline core::AnswersByStore& answers_of_run() {
  return *static_cast<core::AnswersByStore*>(internal_tier().answers());
}

/// For stages that find again what an earlier run found.
struct StoreSetting {
  std::string store;
  static constexpr auto store_setting = param<&StoreSetting::store>(
      "store",
      "the file or the URL of the server that keeps what was computed, for this run and later ones; empty: "
      "nothing is kept after the run");

  core::AnswersByStore::Place& answers() const { return answers_of_run().at(store); }
  /// Throws StoreError for a file that is there and no store.
  void check_store() const {
    std::error_code none;
    if (!store.empty() && !core::ResultStore::is_on_server(store) && std::filesystem::exists(store, none))
      core::ResultStore(store, core::ResultStore::Access::read);
  }
};

}  // namespace zz::plugins
