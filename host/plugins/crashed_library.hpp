#pragma once
#include <string>

namespace zz::host {

/// While a library of a plugin folder is loaded, a file in the user's cache (`zz/loading-*` of
/// ${XDG_CACHE_HOME:-~/.cache}) names it. It stays when loading ends the process, so that the next one
/// passes the library over until it changes.
class LoadingMark {
 public:
  explicit LoadingMark(const std::string& library);
  ~LoadingMark();
  LoadingMark(const LoadingMark&) = delete;
  LoadingMark& operator=(const LoadingMark&) = delete;

  /// Why the library is not to be loaded; "": it is.
  const std::string& reason() const { return reason_; }

 private:
  std::string file_;  ///< "": there is no cache
  std::string reason_;
};

}  // namespace zz::host
