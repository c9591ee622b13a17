#include "core/input/yaml/node_builder.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

#include "core/input/yaml/scalar.hpp"

namespace zz::core::yaml {
namespace {

/// More is not an input file but a few aliases that multiply each other.
constexpr std::size_t most_nodes = 4'000'000;

constexpr const char* standard_tag = "tag:yaml.org,2002:";

std::string text_of(const yaml_char_t* text) {
  return text != nullptr ? reinterpret_cast<const char*>(text) : "";
}

/// How the tag of a scalar bears on its reading.
enum class ScalarTag { none, plain, text, null, unsupported };

ScalarTag scalar_tag(const std::string& tag) {
  if (tag.empty()) return ScalarTag::none;
  if (tag == "!") return ScalarTag::text;
  if (!tag.starts_with(standard_tag)) return ScalarTag::unsupported;
  const std::string name = tag.substr(std::string(standard_tag).size());
  if (name == "str") return ScalarTag::text;
  if (name == "null") return ScalarTag::null;
  if (name == "int" || name == "float" || name == "bool") return ScalarTag::plain;
  return ScalarTag::unsupported;
}

}  // namespace

void NodeBuilder::take(const Event& event) {
  switch (event.type()) {
    case YAML_ALIAS_EVENT:
      return take_alias(event);
    case YAML_SCALAR_EVENT:
      return take_scalar(event);
    case YAML_SEQUENCE_START_EVENT:
      return open(event, Node::Kind::list, event.get().data.sequence_start.anchor,
                  event.get().data.sequence_start.tag);
    case YAML_MAPPING_START_EVENT:
      return open(event, Node::Kind::map, event.get().data.mapping_start.anchor,
                  event.get().data.mapping_start.tag);
    case YAML_SEQUENCE_END_EVENT:
      return close_list();
    case YAML_MAPPING_END_EVENT:
      return close_map();
    default:
      return;
  }
}

SourceMark NodeBuilder::source_mark(const Event& event) const {
  const yaml_mark_t& mark = event.get().start_mark;
  return {file_, static_cast<int>(mark.line) + 1, static_cast<int>(mark.column) + 1};
}

void NodeBuilder::fail(const SourceMark& mark, const std::string& message, const std::string& hint) const {
  throw InputError(std::vector<Diagnostic>{{Severity::error, mark, message, hint}});
}

void NodeBuilder::count_nodes(const SourceMark& mark, std::size_t count) {
  nodes_ += count;
  if (nodes_ > most_nodes) fail(mark, "the aliases of this document expand to too much data");
}

void NodeBuilder::take_alias(const Event& event) {
  const SourceMark place = source_mark(event);
  const std::string name = text_of(event.get().data.alias.anchor);
  for (const Frame& frame : frames_) {
    if (frame.anchor == name) fail(place, "this alias stands within what it refers to");
  }
  const auto found = anchors_.find(name);
  if (found == anchors_.end())
    fail(place, "YAML syntax: this alias names an anchor that is not defined before it",
         "text that begins with '*' must stand in quotes");
  count_nodes(place, found->second.nodes);
  // The parts keep the places where they are written: that is where a mistake in them must be mended.
  add(found->second.node);
}

void NodeBuilder::take_scalar(const Event& event) {
  const auto& scalar = event.get().data.scalar;
  Node node;
  node.mark = source_mark(event);
  const std::string tag = text_of(scalar.tag);
  const ScalarTag meaning = scalar_tag(tag);
  if (meaning == ScalarTag::unsupported) fail(node.mark, "the tag '" + tag + "' has no meaning here");
  if (meaning != ScalarTag::null) {
    node.kind = Node::Kind::scalar;
    node.text.assign(reinterpret_cast<const char*>(scalar.value), scalar.length);
    node.quoted = meaning == ScalarTag::text ||
                  (meaning == ScalarTag::none && scalar.style != YAML_PLAIN_SCALAR_STYLE);
    if (!node.quoted && is_null_text(node.text)) {
      node.kind = Node::Kind::null;
    }
  }
  close(std::move(node), text_of(scalar.anchor), nodes_);
}

void NodeBuilder::open(const Event& event, Node::Kind kind, const yaml_char_t* anchor,
                       const yaml_char_t* tag) {
  Frame frame;
  frame.node.kind = kind;
  frame.node.mark = source_mark(event);
  frame.anchor = text_of(anchor);
  frame.nodes_before = nodes_;
  frame.parts.reserve(8);
  const std::string written = text_of(tag);
  const char* plain = kind == Node::Kind::map ? "map" : "seq";
  if (!written.empty() && written != "!" && written != standard_tag + std::string(plain)) {
    fail(frame.node.mark, "the tag '" + written + "' has no meaning here");
  }
  frames_.push_back(std::move(frame));
}

void NodeBuilder::close_list() {
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  frame.node.items = std::move(frame.parts);
  close(std::move(frame.node), frame.anchor, frame.nodes_before);
}

void NodeBuilder::close_map() {
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  const std::string anchor = frame.anchor;
  const std::size_t nodes_before = frame.nodes_before;
  close(make_map(std::move(frame)), anchor, nodes_before);
}

void NodeBuilder::close(Node node, const std::string& anchor, std::size_t nodes_before) {
  count_nodes(node.mark, 1);
  if (!anchor.empty()) anchors_[anchor] = {node, nodes_ - nodes_before};
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
  map.entries.reserve(merged + frame.parts.size() / 2);
  map.key_marks.reserve(merged + frame.parts.size() / 2);
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < merged; ++i) index[map.entries[i].first] = i;
  std::vector<bool> own(merged, false);

  for (std::size_t i = 0; i + 1 < frame.parts.size(); i += 2) {
    const Node& key = frame.parts[i];
    if (key.is_list() || key.is_map()) fail(key.mark, "a key must be text, but found " + key.describe());
    if (key.is_scalar() && !key.quoted && key.text == "<<") continue;
    const std::string name = key.is_null() ? "null" : key.text;
    // An empty value has no place of its own.
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
