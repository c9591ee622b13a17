#pragma once
#include <map>
#include <mutex>
#include <string>

#include "zz/stage.hpp"

namespace zz::plugins {

/// The result that each file of a stage belongs to: two results never share a file unnoticed. [any]
class FileClaims {
 public:
  /// `owner` is words for the result: "layer 3 'conv'". Throws Error(ZZ_E_INVALID) when the file belongs to
  /// another one.
  void claim(const std::string& path, const std::string& owner) {
    const std::lock_guard lock(mutex_);
    const auto [known, fresh] = owners_.emplace(path, owner);
    if (fresh || known->second == owner) return;
    throw Error(ZZ_E_INVALID, known->second + " and " + owner + " both go to the file '" + path +
                                  "'; rename one of the layers");
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> owners_;  ///< by path
};

}  // namespace zz::plugins
