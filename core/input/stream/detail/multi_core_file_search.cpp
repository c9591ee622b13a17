#include "core/input/stream/detail/multi_core_file_search.hpp"

#include <algorithm>
#include <system_error>

namespace zz::core {
namespace {

namespace fs = std::filesystem;

constexpr int folders_up = 4;
constexpr int folders_down = 2;   ///< before one called `hardware` or `cores`
constexpr int folders_below = 3;  ///< inside such a folder
constexpr int most_folders = 4096;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

/// Walks folders in alphabetical order, so that the result does not depend on the file system.
class FolderWalk {
 public:
  explicit FolderWalk(const std::string& name) : name_(name) {}

  std::vector<fs::path> files_below(const fs::path& top) {
    visit(top, false, folders_down);
    return std::move(found_);
  }

 private:
  void visit(const fs::path& folder, bool inside, int depth) {
    if (++visited_ > most_folders) return;
    const std::string own_name = folder.filename().string();
    if (!inside && (own_name == "hardware" || own_name == "cores")) {
      inside = true;
      depth = folders_below;
    }
    if (inside && is_file(folder / name_)) found_.push_back(folder / name_);
    if (depth < 0) return;
    std::vector<fs::path> below;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
      std::error_code unreadable;
      const std::string entry_name = entry->path().filename().string();
      if (!entry_name.starts_with('.') && entry->is_directory(unreadable) && !entry->is_symlink(unreadable))
        below.push_back(entry->path());
    }
    std::sort(below.begin(), below.end());
    for (const fs::path& next : below) visit(next, inside, depth - 1);
  }

  const std::string& name_;
  std::vector<fs::path> found_;
  int visited_ = 0;
};

/// The folder of the accelerator file and those above it, the nearest one first, without the root.
std::vector<fs::path> folders_above(const fs::path& file) {
  std::error_code error;
  fs::path folder = fs::weakly_canonical(fs::absolute(file, error), error).parent_path();
  std::vector<fs::path> folders;
  while (folder.has_relative_path()) {
    folders.push_back(folder);
    folder = folder.parent_path();
  }
  return folders;
}

void find_by_path(const fs::path& name, const fs::path& beside, const fs::path& accelerator_file,
                  FoundFile& found) {
  std::vector<fs::path> folders = {beside, fs::path()};
  for (const fs::path& folder : folders_above(accelerator_file)) folders.push_back(folder);
  fs::path rest = name.lexically_normal();
  for (bool first = true; first || rest.has_parent_path(); first = false) {
    for (const fs::path& folder : folders) {
      if (!is_file(folder / rest)) continue;
      found.path = folder / rest;
      found.shortened = !first;
      return;
    }
    fs::path shorter;
    for (auto part = std::next(rest.begin()); part != rest.end(); ++part) shorter /= *part;
    rest = shorter;
  }
  found.looked.push_back((beside / name).lexically_normal().string());
  found.looked.push_back(name.string() +
                         " in the working directory and in the folders above the accelerator file");
}

void find_by_name(const std::string& name, const fs::path& beside, const fs::path& accelerator_file,
                  FoundFile& found) {
  for (const fs::path& folder : {beside, beside / "cores"}) {
    found.looked.push_back((folder / name).string());
    if (!is_file(folder / name)) continue;
    found.path = folder / name;
    return;
  }
  std::vector<fs::path> folders = folders_above(accelerator_file);
  if (folders.size() > folders_up + 1) folders.resize(folders_up + 1);
  for (const fs::path& folder : folders) {
    std::vector<fs::path> all = FolderWalk(name).files_below(folder);
    if (all.empty()) continue;
    found.path = all.front();
    found.others.assign(all.begin() + 1, all.end());
    return;
  }
  if (!folders.empty())
    found.looked.push_back("the folders called 'hardware' or 'cores' below " + folders.back().string());
}

}  // namespace

FoundFile find_core_file(const std::string& name, const fs::path& accelerator_file) {
  FoundFile found;
  const fs::path beside = accelerator_file.parent_path();
  if (name.empty()) return found;
  if (fs::path(name).is_absolute()) {
    found.looked.push_back(name);
    if (is_file(name)) found.path = name;
  } else if (fs::path(name).has_parent_path()) {
    find_by_path(name, beside, accelerator_file, found);
  } else {
    find_by_name(name, beside, accelerator_file, found);
  }
  return found;
}

}  // namespace zz::core
