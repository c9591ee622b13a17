#pragma once
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <unistd.h>

#include "core/base/new_file.hpp"
#include "plugins/internal/objects.hpp"
#include "zz/stage.hpp"

namespace zz::plugins {

/// Says that `stage` will write the file with all of its results. Throws Error(ZZ_E_INVALID) when another
/// stage of the run has said so: one would take the place of the other.
inline void claim_file(const Stage& stage, const std::string& path) {
  const zz_status code =
      internal_tier().claim_file(stage.place(), {path.data(), path.size()}, detail::sink());
  if (code != ZZ_OK) detail::throw_last_failure<Error>(code, "another stage writes this file");
}

/// Throws what core::check_new_file() does, and makes no folder: for `check`, which leaves nothing behind.
inline void check_place_of_file(const std::string& path) {
  const std::filesystem::path own = std::filesystem::absolute(path).parent_path();
  std::filesystem::path there = own;
  std::error_code none;
  while (there.has_relative_path() && !std::filesystem::exists(there, none)) there = there.parent_path();
  const bool takes_folders =
      std::filesystem::is_directory(there, none) && ::access(there.c_str(), W_OK | X_OK) == 0;
  if (there == own || !takes_folders) core::check_new_file(path);
}

/// The results that each file of a stage belongs to: two of them never share a file unnoticed. [any]
class FileClaims {
 public:
  /// `owner` is words for what results are of: "layer 3 'conv'". Throws Error(ZZ_E_INVALID) when the file
  /// belongs to another one.
  void claim(const std::string& path, const std::string& owner) {
    const std::lock_guard lock(mutex_);
    claimed(path, owner);
  }

  /// The same for a further result of the owner; how many it now has, from 1.
  int next(const std::string& path, const std::string& owner) {
    const std::lock_guard lock(mutex_);
    return ++claimed(path, owner);
  }

 private:
  struct Claim {
    std::string owner;
    int results = 0;
  };

  int& claimed(const std::string& path, const std::string& owner) {
    const auto [known, fresh] = claims_.emplace(path, Claim{owner});
    if (!fresh && known->second.owner != owner)
      throw Error(ZZ_E_INVALID, known->second.owner + " and " + owner + " both go to the file '" + path +
                                    "'; rename one of the layers");
    return known->second.results;
  }

  std::mutex mutex_;
  std::map<std::string, Claim> claims_;  ///< by path
};

}  // namespace zz::plugins
