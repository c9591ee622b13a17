#include "core/calibration/calibrated_file.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/diagnostics.hpp"
#include "core/input/yaml/document.hpp"
#include "core/input/zigzag/accelerator_yaml.hpp"

namespace zz::core {
namespace {

using Kind = FittedKey::Kind;
using yaml::Node;

class Editor {
 public:
  Editor(const std::string& text, const std::string& path) : text_(text), path_(path) {
    Diagnostics told_before;
    root_ = yaml::load_text(text, path, told_before);
    line_begins_.push_back(0);
    for (std::size_t i = 0; i < text.size(); ++i)
      if (text[i] == '\n') line_begins_.push_back(i + 1);
  }

  void set(const FittedKey& key, const Accelerator& accelerator, double value) {
    if (key.memory < 0) return set_in(root_.find("operational_array"), "efficiency", key.name, value);
    const Memory& memory = accelerator.memories[static_cast<std::size_t>(key.memory)];
    const Node* const memories = root_.find("memories");
    const Node* const own = memories != nullptr ? memories->find(memory.name) : nullptr;
    if (key.kind == Kind::tile_interval) return set_in(own, "tile_interval", key.name, value);
    const Node* const ports = own != nullptr ? own->find("ports") : nullptr;
    if (ports == nullptr || !ports->is_list() || ports->items.size() != memory.ports.size())
      throw InputError(
          fmt::format("{}: memory '{}' does not write out its ports, so that there is no place for "
                      "{}; write them as `ports`",
                      path_, memory.name, key.name));
    for (std::size_t port = 0; port < ports->items.size(); ++port)
      if (key.port < 0 || key.port == static_cast<int>(port))
        set_in(&ports->items[port], key.kind == Kind::overlap ? "overlap" : "efficiency", key.name, value);
  }

  std::string text() {
    std::sort(edits_.begin(), edits_.end(), [](const Edit& a, const Edit& b) { return a.begin > b.begin; });
    std::string edited = text_;
    for (const Edit& edit : edits_) edited.replace(edit.begin, edit.length, edit.text);
    return edited;
  }

 private:
  struct Edit {
    std::size_t begin, length;
    std::string text;
  };

  std::size_t at(const SourceMark& mark) const {
    return line_begins_[static_cast<std::size_t>(mark.line - 1)] +
           static_cast<std::size_t>(mark.column - 1);
  }

  void set_in(const Node* map, const char* key, const std::string& name, double value) {
    if (map == nullptr || !map->is_map() || map->key_marks.empty() || map->key_marks[0].line < 1)
      throw InputError(fmt::format("{}: there is no place for {}", path_, name));
    const std::string number = fmt::format("{}", value);
    if (const Node* const known = map->find(key)) {
      edits_.push_back({at(known->mark), known->text.size(), number});
      return;
    }
    // In front of the first key, in the style of the map.
    const std::size_t begin = at(map->key_marks[0]);
    const std::size_t line =
        text_.rfind('\n', begin) == std::string::npos ? 0 : text_.rfind('\n', begin) + 1;
    const std::size_t open = text_.find_last_not_of(" \t\r\n", begin - 1);
    const bool flow = begin > 0 && open != std::string::npos && text_[open] == '{';
    edits_.push_back({begin, 0,
                      flow ? fmt::format("{}: {}, ", key, number)
                           : fmt::format("{}: {}\n{}", key, number, std::string(begin - line, ' '))});
  }

  const std::string& text_;
  const std::string& path_;
  Node root_;
  std::vector<std::size_t> line_begins_;
  std::vector<Edit> edits_;
};

}  // namespace

std::string with_constants(const std::string& text, const std::string& path,
                           const std::vector<FittedConstant>& constants) {
  Diagnostics told_before;
  Accelerator wanted = read_accelerator_text(text, path, told_before);
  Editor editor(text, path);
  for (const FittedConstant& one : constants) {
    if (!one.matters) continue;
    editor.set(one.key, wanted, one.after);
    one.key.set(wanted, one.after);
  }
  std::string edited = editor.text();
  Diagnostics none;
  if (!(read_accelerator_text(edited, path, none) == wanted))
    throw InputError(
        fmt::format("{}: the constants cannot be written into it, as parts of it stand for several; "
                    "write out what an alias (*) repeats",
                    path));
  return edited;
}

}  // namespace zz::core
