#include "host/chain/input_in_place.hpp"

#include <fmt/format.h>

#include "core/input/yaml/document.hpp"
#include "host/base/run.hpp"
#include "host/values/setting_value.hpp"
#include "host/values/yaml_text.hpp"

namespace zz::host {

void keep_as_file(core::yaml::Node& node, const std::string& what) {
  const std::string place = core::to_string(node.mark);
  const std::string name = fmt::format("<{}{}{}>.yaml", what, place.empty() ? "" : " in ", place);
  current_run().files.add(name, yaml_text(value_of(node).ref()) + "\n");
  core::yaml::Node path;
  path.kind = core::yaml::Node::Kind::scalar;
  path.mark = node.mark;
  path.text = name;
  path.quoted = true;
  node = std::move(path);
}

std::optional<core::Value> input_in_place(const std::string& path) {
  const std::string* const text = current_run().files.in_memory(path);
  if (text == nullptr || !path.ends_with(".yaml")) return std::nullopt;
  core::Diagnostics told_by_the_reader;
  return value_of(core::yaml::load_text(*text, path, told_by_the_reader));
}

}  // namespace zz::host
