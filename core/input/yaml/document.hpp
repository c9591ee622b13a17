#pragma once
#include <functional>
#include <string>

#include "core/base/diagnostics.hpp"
#include "core/base/files.hpp"
#include "core/input/yaml/node.hpp"

namespace zz::core::yaml {

/// Reads the one document of a YAML file, in linear time. [any] `edit`, if there is one, is applied to its
/// bytes first.
///
/// Places within a value (Files::add_value()) are paths, as "accelerator.memories.l1.size", without lines.
///
/// Throws InputError with the place when the file is missing, empty or no regular file, when it has a
/// syntax error or several documents, and when it passes a limit of docs/limits.md (bytes, nesting, values
/// with aliases expanded). Of two equal keys of a map the last one counts, as in Python; a warning in
/// `diagnostics` names both places.
Node load_file(const std::string& path, Diagnostics& diagnostics, const Files& files = Files::on_disk(),
               const std::function<std::string(std::string)>& edit = nullptr);
/// Tells if maps and lists may have tags of their own ("!Container"), as in files of other tools. A tag
/// without anything behind it is an empty map then.
enum class OwnTags { refused, kept };
/// The same for text; `name` stands for the file in messages.
/// `value` is as Files::value_name() gives it.
Node load_text(const std::string& text, const std::string& name, Diagnostics& diagnostics,
               const std::string& value = "", OwnTags own_tags = OwnTags::refused);

}  // namespace zz::core::yaml
