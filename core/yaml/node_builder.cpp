#include "core/yaml/node_builder.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "core/yaml/scalar.hpp"

namespace zz::core::yaml {
namespace {

/// More is not an input file but a few aliases that multiply each other.
constexpr std::size_t most_nodes = 20'000'000;

constexpr const char* standard_tag = "tag:yaml.org,2002:";

/// How the tag of a scalar bears on its reading.
enum class ScalarTag { plain, text, null, unsupported };

ScalarTag scalar_tag(const std::string& tag) {
  if (tag.empty() || tag == "?") return ScalarTag::plain;
  if (tag == "!") return ScalarTag::text;
  if (!tag.starts_with(standard_tag)) return ScalarTag::unsupported;
  const std::string name = tag.substr(std::string(standard_tag).size());
  if (name == "str") return ScalarTag::text;
  if (name == "null") return ScalarTag::null;
  if (name == "int" || name == "float" || name == "bool") return ScalarTag::plain;
  return ScalarTag::unsupported;
}

}  // namespace

SourceMark NodeBuilder::source_mark(const YAML::Mark& mark) const {
  if (mark.is_null()) return {file_, 0, 0};
  return {file_, mark.line + 1, mark.column + 1};
}

void NodeBuilder::fail(const SourceMark& mark, const std::string& message, const std::string& hint) const {
  throw InputError(std::vector<Diagnostic>{{Severity::error, mark, message, hint}});
}

void NodeBuilder::count_nodes(const SourceMark& mark, std::size_t count) {
  nodes_ += count;
  if (nodes_ > most_nodes) fail(mark, "the aliases of this document expand to too much data");
}

void NodeBuilder::OnDocumentStart(const YAML::Mark&) {
  root_ = {};
  root_.mark = {file_, 1, 1};
  frames_.clear();
  anchors_.clear();
}

void NodeBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  Node node;
  node.mark = source_mark(mark);
  close(std::move(node), anchor, nodes_);
}

void NodeBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& value) {
  Node node;
  node.mark = source_mark(mark);
  if (value.find(end_of_text) != std::string::npos) {
    fail(node.mark, "YAML syntax: the text that begins here runs to the end of the file",
         "is a closing quote missing?");
  }
  switch (scalar_tag(tag)) {
    case ScalarTag::unsupported:
      fail(node.mark, "the tag '" + tag + "' has no meaning here");
      break;
    case ScalarTag::null:
      break;
    case ScalarTag::plain:
    case ScalarTag::text:
      node.kind = Node::Kind::scalar;
      node.text = value;
      node.quoted = scalar_tag(tag) == ScalarTag::text;
      if (!node.quoted && is_null_text(value)) node.kind = Node::Kind::null;
      break;
  }
  close(std::move(node), anchor, nodes_);
}

void NodeBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const SourceMark place = source_mark(mark);
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end()) fail(place, "this alias stands within what it refers to");
  count_nodes(place, found->second.nodes);
  // The parts keep the places where they are written: that is where a mistake in them must be mended.
  add(found->second.node);
}

void NodeBuilder::open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag,
                       YAML::anchor_t anchor) {
  Frame frame;
  frame.node.kind = kind;
  frame.node.mark = source_mark(mark);
  frame.anchor = anchor;
  frame.nodes_before = nodes_;
  const char* plain = kind == Node::Kind::map ? "map" : "seq";
  if (!tag.empty() && tag != "?" && tag != "!" && tag != standard_tag + std::string(plain)) {
    fail(frame.node.mark, "the tag '" + tag + "' has no meaning here");
  }
  frames_.push_back(std::move(frame));
}

void NodeBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                                  YAML::EmitterStyle::value) {
  open(Node::Kind::list, mark, tag, anchor);
}

void NodeBuilder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value) {
  open(Node::Kind::map, mark, tag, anchor);
}

void NodeBuilder::OnSequenceEnd() {
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  frame.node.items = std::move(frame.parts);
  close(std::move(frame.node), frame.anchor, frame.nodes_before);
}

void NodeBuilder::OnMapEnd() {
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  const YAML::anchor_t anchor = frame.anchor;
  const std::size_t nodes_before = frame.nodes_before;
  close(make_map(std::move(frame)), anchor, nodes_before);
}

void NodeBuilder::close(Node node, YAML::anchor_t anchor, std::size_t nodes_before) {
  count_nodes(node.mark, 1);
  if (anchor != 0) anchors_[anchor] = {node, nodes_ - nodes_before};
  add(std::move(node));
}

void NodeBuilder::add(Node node) {
  if (frames_.empty()) {
    root_ = std::move(node);
  } else {
    frames_.back().parts.push_back(std::move(node));
  }
}

void NodeBuilder::merge(Node& map, const Node& value, const SourceMark& mark) {
  if (value.is_list()) {
    // Earlier maps of the list win, so they are put in last.
    for (auto item = value.items.rbegin(); item != value.items.rend(); ++item) merge(map, *item, mark);
    return;
  }
  if (!value.is_map()) fail(mark, "'<<' merges maps, but found " + value.describe());
  for (std::size_t i = 0; i < value.entries.size(); ++i) {
    const auto& [key, entry] = value.entries[i];
    const auto present = std::find_if(map.entries.begin(), map.entries.end(),
                                      [&name = key](const auto& other) { return other.first == name; });
    if (present != map.entries.end()) {
      present->second = entry;
    } else {
      map.entries.emplace_back(key, entry);
      map.key_marks.push_back(value.key_marks[i]);
    }
  }
}

Node NodeBuilder::make_map(Frame frame) {
  Node map = std::move(frame.node);
  // Merged entries come first, and the map's own ones replace them, wherever "<<" is written.
  for (std::size_t i = 0; i + 1 < frame.parts.size(); i += 2) {
    const Node& key = frame.parts[i];
    if (key.is_scalar() && !key.quoted && key.text == "<<") merge(map, frame.parts[i + 1], key.mark);
  }
  const std::size_t merged = map.entries.size();
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < merged; ++i) index[map.entries[i].first] = i;
  std::vector<bool> own(merged, false);

  for (std::size_t i = 0; i + 1 < frame.parts.size(); i += 2) {
    const Node& key = frame.parts[i];
    if (key.is_list() || key.is_map()) fail(key.mark, "a key must be text, but found " + key.describe());
    if (key.is_scalar() && !key.quoted && key.text == "<<") continue;
    const std::string name = key.is_null() ? "null" : key.text;
    // yaml-cpp places an empty value where the next thing begins.
    if (frame.parts[i + 1].is_null()) frame.parts[i + 1].mark = key.mark;
    const auto [place, is_new] = index.emplace(name, map.entries.size());
    if (is_new) {
      map.entries.emplace_back(name, std::move(frame.parts[i + 1]));
      map.key_marks.push_back(key.mark);
      own.push_back(true);
      continue;
    }
    if (own[place->second]) {
      diagnostics_.warning(
          key.mark,
          fmt::format("the key '{}' stands twice in this map (first on line {}); the last one counts", name,
                      map.key_marks[place->second].line));
    }
    own[place->second] = true;
    map.entries[place->second].second = std::move(frame.parts[i + 1]);
    map.key_marks[place->second] = key.mark;
  }
  return map;
}

}  // namespace zz::core::yaml
