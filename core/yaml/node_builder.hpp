#pragma once
#include <cstddef>
#include <map>
#include <string>
#include <vector>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include "core/yaml/document.hpp"

namespace zz::core::yaml {

/// Makes a Node tree from the events of yaml-cpp's parser.
class NodeBuilder : public YAML::EventHandler {
 public:
  /// A comment that must follow the last line of the text, so that an open quote is noticed.
  static constexpr const char* end_of_text = "#zz:end-of-text";

  NodeBuilder(std::string file, Diagnostics& diagnostics)
      : file_(std::move(file)), diagnostics_(diagnostics) {}

  Node take_root() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override;
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override;

 private:
  struct Anchored {
    Node node;
    std::size_t nodes = 0;
  };
  /// A list or map that is not complete yet; the items of a map are keys and values by turns.
  struct Frame {
    Node node;
    YAML::anchor_t anchor = 0;
    std::vector<Node> parts;
    std::size_t nodes_before = 0;
  };

  SourceMark source_mark(const YAML::Mark& mark) const;
  [[noreturn]] void fail(const SourceMark& mark, const std::string& message,
                         const std::string& hint = "") const;
  void count_nodes(const SourceMark& mark, std::size_t count);
  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor);
  void close(Node node, YAML::anchor_t anchor, std::size_t nodes_before);
  void add(Node node);
  Node make_map(Frame frame);
  void merge(Node& map, const Node& value, const SourceMark& mark);

  std::string file_;
  Diagnostics& diagnostics_;
  Node root_;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, Anchored> anchors_;
  std::size_t nodes_ = 0;
};

}  // namespace zz::core::yaml
