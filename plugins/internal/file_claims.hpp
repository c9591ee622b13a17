#pragma once
#include <map>
#include <mutex>
#include <string>

#include "zz/stage.hpp"

namespace zz::plugins {

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
