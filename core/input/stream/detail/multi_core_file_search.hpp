#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace zz::core {

/// The result of the search for a core file.
struct FoundFile {
  std::filesystem::path path;       ///< empty: not found
  std::vector<std::string> looked;  ///< the folders that were searched, for messages
  /// Other files of that name; the first in alphabetical order was taken.
  std::vector<std::filesystem::path> others;
  bool shortened = false;  ///< leading folders of the name were left out
};

/// Finds the core file that an accelerator file names.
///
/// A name with folders is taken relative to the folder of the accelerator file, then to the working
/// directory, then to each folder above the accelerator file; if there is nothing, the same without its
/// first folder, and so on down to one folder. A name without folders is looked for beside the accelerator
/// file, in the folder `cores` there, and in folders called `hardware` or `cores` (and below them) near it:
/// up to two folders below one of the four nearest folders above the accelerator file, the nearest one
/// first.
FoundFile find_core_file(const std::string& name, const std::filesystem::path& accelerator_file);

}  // namespace zz::core
