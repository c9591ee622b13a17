#pragma once
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/input/yaml/node.hpp"

namespace zz::core {

/// A YAML document whose maps may have tags ("!Container"), as those of Timeloop and AccelForge have. zz's
/// own files have none.
class TaggedYaml {
 public:
  /// Throws InputError as yaml::load_file() does, and for templates: `tool` expands them, zz does not.
  TaggedYaml(const std::string& path, const std::string& tool, Diagnostics& diagnostics,
             const Files& files = Files::on_disk());

  const yaml::Node& root() const { return root_; }
  /// "Container", or "" when the map has no tag.
  std::string tag_of(const yaml::Node& map) const;

 private:
  struct Tag {
    std::string name;
    SourceMark mark, behind;  ///< where the tag begins, and the next letter that is no space
  };

  std::string without_tags(const std::string& text, const std::string& path);

  std::vector<Tag> tags_;
  yaml::Node root_;
};

}  // namespace zz::core
