#pragma once
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/input/yaml/node.hpp"
#include "plugins/other_tools/yaml_template.hpp"

namespace zz::plugins {

/// A YAML document whose maps may have tags ("!Container"), as those of Timeloop and AccelForge. Throws
/// InputError as yaml::load_file() does, and for templates: `tool` expands them, zz does not. Dashes in
/// keys become underlines: both are spellings of Timeloop.
core::yaml::Node read_tagged_yaml(const std::string& path, const std::string& tool,
                                  core::Diagnostics& diagnostics,
                                  const core::Files& files = core::Files::on_disk());

/// The same for a document whose templates are expanded first, as far as expanded_template() does.
core::yaml::Node read_tagged_template(const std::string& path, const TemplateValues& values,
                                      core::Diagnostics& diagnostics,
                                      const core::Files& files = core::Files::on_disk());

}  // namespace zz::plugins
