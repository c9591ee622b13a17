#pragma once
#include <string>
#include <utility>
#include <vector>

namespace zz::host {

/// Which file of the built-in plugins holds which stage, written when zz is built. It makes it possible
/// to say what is wrong when such a file is missing or does not load; it is never needed otherwise.
class BuiltinIndex {
 public:
  /// Reads the index beside the plugins of `folder`; empty when there is none.
  static BuiltinIndex read(const std::string& folder);
  /// The index for all plugins that load from `folder`, as the text of such a file.
  static std::string text_for(const std::string& folder);
  /// Its name in the folder.
  static constexpr const char* file_name = "stages.index";

  /// The name of the plugin file (without folder) that should hold the stage, or "".
  std::string file_of(const std::string& stage) const;
  std::vector<std::string> stages() const;

 private:
  std::vector<std::pair<std::string, std::string>> entries_;  ///< name of a stage, name of a file
};

}  // namespace zz::host
