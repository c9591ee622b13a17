#pragma once
#include <map>
#include <string>

namespace zz::core {

/// Files that the program around a run brought along instead of paths, by name: "<accelerator.yaml>". Every
/// reader finds them before it looks at the file system.
using MemoryFiles = std::map<std::string, std::string, std::less<>>;

/// Those of the run that this thread works for; nullptr when it has none. The host sets it.
extern constinit thread_local const MemoryFiles* memory_files;

/// The bytes of such a file, which live as long as the run, or nullptr.
const std::string* memory_file(const std::string& path);

}  // namespace zz::core
