#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "core/input/yaml/document.hpp"
#include "core/input/yaml/event_parser.hpp"

namespace zz::core::yaml {

/// Makes a Node tree from the events of one document, those between its start and its end.
class NodeBuilder {
 public:
  NodeBuilder(std::string file, Diagnostics& diagnostics)
      : file_(std::move(file)), diagnostics_(diagnostics) {}

  void take(const Event& event);
  Node take_root() { return std::move(root_); }

 private:
  struct Anchored {
    Node node;
    std::size_t nodes = 0;
  };
  /// A list or map that is not complete yet; the items of a map are keys and values by turns.
  struct Frame {
    Node node;
    std::string anchor;
    std::vector<Node> parts;
    std::size_t nodes_before = 0;
  };

  SourceMark source_mark(const Event& event) const;
  [[noreturn]] void fail(const SourceMark& mark, const std::string& message,
                         const std::string& hint = "") const;
  void count_nodes(const SourceMark& mark, std::size_t count);
  void take_alias(const Event& event);
  void take_scalar(const Event& event);
  void open(const Event& event, Node::Kind kind, const yaml_char_t* anchor, const yaml_char_t* tag);
  void close_list();
  void close_map();
  void close(Node node, const std::string& anchor, std::size_t nodes_before);
  void add(Node node);
  Node make_map(Frame frame);
  void merge(Node& map, const Node& value, const SourceMark& mark);

  std::string file_;
  Diagnostics& diagnostics_;
  Node root_;
  std::vector<Frame> frames_;
  std::map<std::string, Anchored> anchors_;
  std::size_t nodes_ = 0;
};

}  // namespace zz::core::yaml
