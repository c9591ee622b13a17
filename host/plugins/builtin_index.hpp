#pragma once
#include <string>
#include <utility>
#include <vector>

namespace zz::host {

/// Which file of the built-in plugins holds which stage, written when zz is built. With it a run loads only
/// the plugins that it uses, and can say what is wrong when such a file is missing or does not load.
/// Without it all are loaded.
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
  /// True when it says what the plugin file (without folder) holds.
  bool lists(const std::string& file) const;
  /// True when it says that the stage is in the plugin file.
  bool lists(const std::string& file, const std::string& stage) const;

 private:
  std::vector<std::pair<std::string, std::string>> entries_;  ///< name of a stage, name of a file
};

}  // namespace zz::host
