#pragma once
#include <string>

namespace zz::host {

/// While a library of a plugin folder is loaded, a failure that ends the process leaves a file in the
/// user's cache (`zz/crashed-*` of ${XDG_CACHE_HOME:-~/.cache}) that names it, so that the next process
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
  std::string folder_, file_, state_;
  std::string reason_;
};

}  // namespace zz::host
