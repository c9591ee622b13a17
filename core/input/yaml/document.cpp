#include "core/input/yaml/document.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include "core/base/interruption.hpp"
#include "core/base/python_module.hpp"
#include "core/input/yaml/detail/syntax_message.hpp"
#include "core/input/yaml/node.hpp"

namespace zz::core::yaml {
namespace {

// docs/limits.md names these limits.
constexpr std::size_t most_bytes = 64'000'000;
/// More values are only possible with aliases of aliases.
constexpr std::size_t most_nodes = 4'000'000;
/// yaml-cpp has a limit of 500 levels, but only checks it after parsing all of them.
constexpr std::size_t most_levels = 400;

constexpr std::string_view standard_tag = "tag:yaml.org,2002:";

[[noreturn]] void fail(Diagnostic diagnostic) { throw InputError(std::vector{std::move(diagnostic)}); }

[[noreturn]] void fail(SourceMark mark, std::string message, std::string hint = "") {
  fail({Severity::error, std::move(mark), std::move(message), std::move(hint)});
}

bool is_merge_key(const Node& key) { return key.is_scalar() && !key.quoted && key.text == "<<"; }

/// Makes a Node from what yaml-cpp reports while it reads a document.
class NodeBuilder final : public YAML::EventHandler {
 public:
  NodeBuilder(std::string_view text, const std::string& file, Diagnostics& diagnostics, OwnTags own_tags)
      : text_(text),
        file_(file),
        diagnostics_(diagnostics),
        keeps_tags_(own_tags == OwnTags::kept),
        has_tabs_(text.find('\t') != text.npos) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    document_begin_ = static_cast<std::size_t>(mark.pos);
    ++documents_;
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override {
    open(mark, Node::Kind::list, tag, anchor, style);
  }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override {
    open(mark, Node::Kind::map, tag, anchor, style);
  }
  void OnSequenceEnd() override;
  void OnMapEnd() override;

  Node take_root() { return std::move(root_); }
  ParsedSoFar parsed() const;

 private:
  struct Anchored {
    Node node;
    std::size_t nodes = 0;
  };
  using EntryOf = std::map<std::string, std::size_t>;  // index by name
  /// An incomplete list or map. The items of a map are keys and values in turn.
  struct Frame {
    Node node;
    YAML::anchor_t anchor = YAML::NullAnchor;
    bool in_brackets = false;
    std::vector<Node> parts;
    std::size_t begin = 0;   ///< byte
    std::size_t column = 0;  ///< from 0
    std::size_t nodes_before = 0;
  };

  SourceMark place_of(const YAML::Mark& mark);
  SourceMark begin_part(const YAML::Mark& mark);
  void count_nodes(const SourceMark& mark, std::size_t count);
  static void check_count(const SourceMark& mark, std::size_t count) {
    if (count > most_nodes)
      fail(mark,
           fmt::format("the document has more than {} values up to here, aliases expanded", most_nodes));
  }
  void open(const YAML::Mark& mark, Node::Kind kind, const std::string& tag, YAML::anchor_t anchor,
            YAML::EmitterStyle::value style);
  Frame close();
  /// "Container" of "!Container", where such tags are kept; else "".
  std::string own_tag(const std::string& tag) const {
    const bool kept = keeps_tags_ && tag.size() > 1 && tag.front() == '!' && !tag.starts_with("!!");
    return kept ? tag.substr(1) : "";
  }
  void add_new(Node node, YAML::anchor_t anchor, std::size_t nodes_before);
  void add(Node node);
  static void merge(Node& value, const SourceMark& mark, EntryOf& entry_of, std::vector<Node>& merged);

  std::string_view text_;
  const std::string& file_;
  Diagnostics& diagnostics_;
  bool keeps_tags_ = false;
  bool has_tabs_ = false;
  int documents_ = 0;
  std::size_t document_begin_ = 0;
  std::size_t last_event_ = 0;
  Node root_;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::size_t nodes_ = 0, copied_ = 0;  // copied: for aliases to come
  /// Bytes of the line of the last place that were counted, and how many of them begin no character.
  struct {
    int line = 0;
    std::size_t bytes = 0;
    int continued = 0;
  } counted_;
};

SourceMark NodeBuilder::place_of(const YAML::Mark& mark) {
  // yaml-cpp counts bytes. A line may be as long as the file: no byte is counted twice.
  const auto column = static_cast<std::size_t>(mark.column);
  if (mark.line != counted_.line || column < counted_.bytes) counted_ = {mark.line, 0, 0};
  const std::size_t line = static_cast<std::size_t>(mark.pos) - column;
  const std::string_view further = text_.substr(line + counted_.bytes, column - counted_.bytes);
  const auto continues_character = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U; };
  counted_.continued +=
      static_cast<int>(std::count_if(further.begin(), further.end(), continues_character));
  counted_.bytes = column;
  return {file_, mark.line + 1, mark.column + 1 - counted_.continued};
}

/// Begins a part of the document and returns its place. Refuses tabs, and text that yaml-cpp takes for
/// another document.
SourceMark NodeBuilder::begin_part(const YAML::Mark& mark) {
  const SourceMark place = place_of(mark);
  last_event_ = static_cast<std::size_t>(mark.pos);
  if (documents_ > 1 && frames_.empty()) {
    if (text_.substr(document_begin_, 3) == "---")
      fail(place, "a second YAML document begins before this", "one file holds one document");
    // yaml-cpp takes a line that fits nowhere for the beginning of a document.
    if (root_.is_list()) throw YAML::ParserException(mark, YAML::ErrorMsg::END_OF_SEQ);
    fail(place, "YAML syntax: the document has ended before this",
         "is the line indented as its neighbours are?");
  }
  const bool in_brackets = !frames_.empty() && frames_.back().in_brackets;
  if (has_tabs_ && !in_brackets && is_indented_by_tab(text_, last_event_))
    throw YAML::ParserException(mark, YAML::ErrorMsg::TAB_IN_INDENTATION);
  return place;
}

void NodeBuilder::count_nodes(const SourceMark& mark, std::size_t count) {
  end_if_interrupted();
  nodes_ += count;
  check_count(mark, nodes_);
}

void NodeBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const std::size_t before = last_event_;
  Node node;
  node.mark = begin_part(mark);
  if (!frames_.empty() && !frames_.back().in_brackets) {
    // yaml-cpp accepts a key without ':', whose value is at the place of the key, and a ':' without a key.
    const Frame& frame = frames_.back();
    const bool is_key = frame.parts.size() % 2 == 0;
    if (frame.node.is_map() && (is_key ? text_.substr(last_event_, 1) == ":" : last_event_ == before))
      throw YAML::ParserException(mark, YAML::ErrorMsg::END_OF_MAP);
    // It places an empty item of a list where the next part begins, lines below its '-'.
    if (frame.node.is_list()) {
      const std::size_t dash = text_.rfind('-', last_event_ - 1);
      const std::string_view below = text_.substr(dash, last_event_ - dash);
      if (const auto lines = std::count(below.begin(), below.end(), '\n'); lines > 0) {
        node.mark.line -= static_cast<int>(lines);
        node.mark.column = static_cast<int>(dash + 1 - text_.rfind('\n', dash));
      }
    }
  }
  add_new(std::move(node), anchor, nodes_);
}

void NodeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const SourceMark place = begin_part(mark);
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end()) fail(place, "this alias stands within what it refers to");
  count_nodes(place, found->second.nodes);
  // The copies keep the places of the originals, where users correct errors.
  add(found->second.node);
}

void NodeBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& value) {
  Node node;
  node.mark = begin_part(mark);
  const std::string_view name =
      std::string_view(tag).substr(tag.starts_with(standard_tag) ? standard_tag.size() : 0);
  node.quoted = tag == "!" || name == "str";
  if (std::string own = own_tag(tag); !own.empty() && value.empty()) {
    node.kind = Node::Kind::map;
    node.text = std::move(own);
    return add_new(std::move(node), anchor, nodes_);
  }
  if (!node.quoted && name != "?" && name != "null" && name != "int" && name != "float" && name != "bool")
    fail(node.mark, "the tag '" + tag + "' has no meaning here");
  if (node.quoted || !(name == "null" || is_null_text(value))) {
    node.kind = Node::Kind::scalar;
    node.text = value;
  }
  add_new(std::move(node), anchor, nodes_);
}

void NodeBuilder::open(const YAML::Mark& mark, Node::Kind kind, const std::string& tag,
                       YAML::anchor_t anchor, YAML::EmitterStyle::value style) {
  Frame frame;
  frame.node.kind = kind;
  frame.node.mark = begin_part(mark);
  if (frames_.size() == most_levels) fail(too_deep(frame.node.mark, most_levels));
  frame.anchor = anchor;
  frame.in_brackets = style == YAML::EmitterStyle::Flow;
  frame.begin = last_event_;
  frame.column = static_cast<std::size_t>(mark.column);
  frame.nodes_before = nodes_;
  const std::string plain = std::string(standard_tag) + (kind == Node::Kind::map ? "map" : "seq");
  frame.node.text = own_tag(tag);
  if (tag != "?" && tag != "!" && tag != plain && frame.node.text.empty())
    fail(frame.node.mark, "the tag '" + tag + "' has no meaning here");
  frames_.push_back(std::move(frame));
}

NodeBuilder::Frame NodeBuilder::close() {
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  return frame;
}

void NodeBuilder::OnSequenceEnd() {
  Frame frame = close();
  frame.node.items = std::move(frame.parts);
  add_new(std::move(frame.node), frame.anchor, frame.nodes_before);
}

void NodeBuilder::OnMapEnd() {
  Frame frame = close();
  Node& map = frame.node;
  EntryOf entry_of;
  for (std::size_t i = 0; i + 1 < frame.parts.size(); i += 2) {
    const Node& key = frame.parts[i];
    Node& value = frame.parts[i + 1];
    if (key.is_list() || key.is_map()) fail(key.mark, "a key must be text, but found " + key.describe());
    if (is_merge_key(key)) continue;
    const std::string name = key.is_null() ? "null" : key.text;
    // yaml-cpp has no place for an empty value.
    if (value.is_null()) value.mark = key.mark;
    const auto [known, is_new] = entry_of.emplace(name, map.entries.size());
    if (is_new) {
      map.entries.emplace_back(name, std::move(value));
      map.key_marks.push_back(key.mark);
      continue;
    }
    SourceMark& mark = map.key_marks[known->second];
    diagnostics_.warning(
        key.mark,
        fmt::format("the key '{}' stands twice in this map (first on line {}); the last one counts", name,
                    mark.line));
    map.entries[known->second].second = std::move(value);
    mark = key.mark;
  }
  // Merged entries come before the map's own, later merges before earlier ones.
  std::vector<Node> merged;
  for (std::size_t i = 0; i + 1 < frame.parts.size(); i += 2) {
    if (is_merge_key(frame.parts[i])) merge(frame.parts[i + 1], frame.parts[i].mark, entry_of, merged);
  }
  if (!merged.empty()) {
    merged.insert(merged.begin(), std::move(map));
    Node all;
    for (auto part = merged.rbegin(); part != merged.rend(); ++part) {
      std::move(part->entries.begin(), part->entries.end(), std::back_inserter(all.entries));
      std::move(part->key_marks.begin(), part->key_marks.end(), std::back_inserter(all.key_marks));
    }
    map = std::move(merged.front());
    map.entries = std::move(all.entries);
    map.key_marks = std::move(all.key_marks);
  }
  add_new(std::move(map), frame.anchor, frame.nodes_before);
}

/// Collects the entries of a map, or of each map of a list, whose names are not in `entry_of` yet; adds
/// their names.
void NodeBuilder::merge(Node& value, const SourceMark& mark, EntryOf& entry_of, std::vector<Node>& merged) {
  if (value.is_list()) {
    for (Node& item : value.items) merge(item, mark, entry_of, merged);
    return;
  }
  if (!value.is_map()) fail(mark, "'<<' merges maps, but found " + value.describe());
  Node& part = merged.emplace_back();
  for (std::size_t i = 0; i < value.entries.size(); ++i) {
    if (!entry_of.emplace(value.entries[i].first, 0).second) continue;
    part.entries.push_back(std::move(value.entries[i]));
    part.key_marks.push_back(std::move(value.key_marks[i]));
  }
}

void NodeBuilder::add_new(Node node, YAML::anchor_t anchor, std::size_t nodes_before) {
  count_nodes(node.mark, 1);
  if (anchor != YAML::NullAnchor) {
    const std::size_t count = nodes_ - nodes_before;
    copied_ += count;
    check_count(node.mark, copied_);
    anchors_[anchor] = {node, count};
  }
  add(std::move(node));
}

void NodeBuilder::add(Node node) {
  if (frames_.empty()) {
    root_ = std::move(node);
  } else {
    frames_.back().parts.push_back(std::move(node));
  }
}

ParsedSoFar NodeBuilder::parsed() const {
  ParsedSoFar parsed{last_event_, std::nullopt};
  const auto brackets =
      std::find_if(frames_.begin(), frames_.end(), [](const Frame& frame) { return frame.in_brackets; });
  if (brackets != frames_.end()) parsed.begin = brackets->begin;
  if (!frames_.empty() && frames_.back().node.is_map() && frames_.back().parts.size() % 2 == 0)
    parsed.key_column = frames_.back().column;
  return parsed;
}

/// Depth is limited, as that of the text was.
void mark_by_path(Node& node, const std::string& path) {
  node.mark = {path, 0, 0};
  for (std::size_t i = 0; i < node.items.size(); ++i)
    mark_by_path(node.items[i], path + "[" + std::to_string(i) + "]");
  for (std::size_t i = 0; i < node.entries.size(); ++i) {
    const std::string part = path + "." + node.entries[i].first;
    node.key_marks[i] = {part, 0, 0};
    mark_by_path(node.entries[i].second, part);
  }
}

}  // namespace

Node load_text(const std::string& text, const std::string& name, Diagnostics& diagnostics,
               const std::string& value, OwnTags own_tags) {
  if (text.find('\0') != std::string::npos)
    fail({name, 0, 0}, "this is not a text file", "a YAML file is expected here");
  std::string_view content = text;
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (content.starts_with(byte_order_mark)) content.remove_prefix(byte_order_mark.size());
  if (auto wrong = character_message(content, name)) fail(std::move(*wrong));
  if (is_python_module(content, name))
    fail({name, 0, 0}, "this is a module of Python, where a YAML file is expected", python_module_hint);
  // yaml-cpp parses a text in brackets to its end before it reports the first part.
  if (auto wrong = brackets_message(content, name, most_levels, most_nodes)) fail(std::move(*wrong));

  // yaml-cpp accepts a quotation without end at the end of a file, but not at the end of a document.
  const std::string document = std::string(content) + (content.ends_with('\n') ? "...\n" : "\n...\n");
  std::istringstream stream(document);
  NodeBuilder builder(document, name, diagnostics, own_tags);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    fail(syntax_message(content, name, error, builder.parsed()));
  }
  Node root = builder.take_root();
  if (root.is_null()) fail({name, 0, 0}, "the file is empty", "a YAML document is expected");
  if (!value.empty()) mark_by_path(root, value);
  return root;
}

Node load_file(const std::string& path, Diagnostics& diagnostics, const Files& files,
               const std::function<std::string(std::string)>& edit) {
  std::string text = files.read(path, most_bytes, "a YAML file");
  if (edit != nullptr) text = edit(std::move(text));
  return load_text(text, path, diagnostics, files.value_name(path));
}

}  // namespace zz::core::yaml
