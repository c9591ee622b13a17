#include "host/boundary/input.hpp"

#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "core/input/onnx/mapping_use.hpp"
#include "core/input/yaml/document.hpp"
#include "core/input/yaml/map_reader.hpp"
#include "core/input/zigzag/accelerator_yaml.hpp"
#include "core/input/zigzag/layer_mapping_selection.hpp"
#include "core/input/zigzag/mapping_yaml.hpp"
#include "core/input/zigzag/workload_yaml.hpp"
#include "core/schema/types.hpp"
#include "core/value/edit.hpp"
#include "core/value/read.hpp"
#include "host/base/log.hpp"
#include "host/base/run.hpp"
#include "host/boundary/messages.hpp"
#include "host/chain/third_party_checks.hpp"
#include "host/pipeline/pipeline_file.hpp"
#include "host/values/handles.hpp"
#include "host/values/setting_value.hpp"
#include "host/values/stage_table.hpp"

namespace zz::host {
namespace {

using core::Value;
using Json = nlohmann::ordered_json;

// Text that nests deeper would exhaust the stack where it is walked. docs/limits.md names both limits.
constexpr int deepest_json = 500;
constexpr std::uintmax_t most_json_bytes = std::uintmax_t{256} << 20;
// Limits of files that stages read whole; docs/limits.md names both.
constexpr std::uintmax_t most_text_bytes = std::uintmax_t{256} << 20;
constexpr std::uintmax_t most_whole_bytes = std::uintmax_t{2} << 30;

/// Whole numbers from 2^63 on become doubles.
bool beyond_integers(const Json& json) {
  return json.is_number_unsigned() &&
         json.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
}

Value value_of_json(const Json& json) {
  if (json.is_boolean()) return Value::boolean(json.get<bool>());
  if (json.is_number_integer() && !beyond_integers(json)) return Value::integer(json.get<std::int64_t>());
  if (json.is_number()) return Value::number(json.get<double>());
  if (json.is_string()) return Value::text(json.get<std::string>());
  if (json.is_array()) {
    std::vector<Value> items;
    for (const Json& item : json) items.push_back(value_of_json(item));
    return Value::list(std::move(items));
  }
  if (!json.is_object()) return {};
  std::vector<std::pair<std::string, Value>> entries;
  for (const auto& [key, item] : json.items()) entries.emplace_back(key, value_of_json(item));
  return Value::map(std::move(entries));
}

Value read_json(const std::string& text, const std::string& name) {
  bool too_deep = false;
  const Json::parser_callback_t watch = [&](int depth, Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > deepest_json;
    return !too_deep;
  };
  try {
    const Json json = Json::parse(text, watch);
    if (too_deep)
      throw core::InputError(fmt::format("{}: nests deeper than {} levels", name, deepest_json));
    return value_of_json(json);
  } catch (const Json::exception& error) {
    throw core::InputError(fmt::format("{}: is no JSON: {}", name, error.what()));
  }
}

template <class T>
Value shared(T object) {
  return Value::object(std::make_shared<const T>(std::move(object)));
}

[[noreturn]] void refuse(std::string_view type) {
  const std::vector<std::string> known = {"accelerator", "mapping_file", "workload", "yaml", "json"};
  throw core::InputError(fmt::format("a text or file cannot be read as '{}'; {}", type,
                                     core::suggestion(std::string(type), known)));
}

/// Stand-in for a mapping file until one is chosen: nothing is said of any layer.
core::MappingFile empty_mapping() {
  core::MappingFile mapping;
  mapping.entries.emplace_back().name = "default";
  return mapping;
}

}  // namespace

Value parse_value(std::string_view type, const std::string& text, const std::string& name,
                  const core::Rules& rules, core::Diagnostics& diagnostics) {
  if (type == "accelerator") return shared(core::read_accelerator_text(text, name, diagnostics));
  if (type == "mapping_file") return shared(core::read_mapping_text(text, name, diagnostics));
  if (type == "workload")
    return shared(core::read_workload_text(text, name, empty_mapping(), rules, diagnostics));
  if (type == "yaml") return value_of(core::yaml::load_text(text, name, diagnostics));
  if (type == "json") return read_json(text, name);
  refuse(type);
}

Value value_of_json_text(const std::string& text, const std::string& name) { return read_json(text, name); }

Value load_value(std::string_view type, const std::string& path, const core::Files& files,
                 const core::Rules& rules, core::Diagnostics& diagnostics) {
  if (type == "accelerator") return shared(core::read_accelerator(path, diagnostics, files));
  if (type == "mapping_file") return shared(core::read_mapping(path, diagnostics, files));
  if (type == "workload")
    return shared(core::read_workload(path, empty_mapping(), rules, diagnostics, files));
  if (type == "yaml") return value_of(core::yaml::load_file(path, diagnostics, files));
  if (type == "json") return read_json(files.read(path, most_json_bytes, "a JSON file"), path);
  refuse(type);
}

namespace {

/// The object that `part` is, or nullptr when it is another one.
template <class T>
const T* object_of(core::Ref part) {
  part = core::look_through(part);
  return part.type == core::type_of<T>() ? core::object_in<T>(part) : nullptr;
}

[[noreturn]] void expected(const char* what, core::Ref found) {
  throw core::ValueError(core::ValueError::Problem::wrong_type,
                         fmt::format("expected {}, found {}", what, core::describe(found)));
}

}  // namespace

Value choose_entries(core::Ref network, core::Ref mapping_file, const core::Rules& rules,
                     core::Diagnostics& diagnostics) {
  const auto* const file = object_of<core::MappingFile>(mapping_file);
  if (file == nullptr) expected("a mapping_file", mapping_file);
  const core::MappingSelection entries(*file);
  const auto with_entry = [&](core::Layer layer) {
    core::select_mapping(layer, entries, rules, {}, diagnostics);
    return layer;
  };
  Value chosen;
  if (const auto* const layer = object_of<core::Layer>(network)) {
    chosen = shared(with_entry(*layer));
  } else if (const auto* const workload = object_of<core::Workload>(network)) {
    core::Workload copy = *workload;
    for (auto& layer_of_copy : copy.layers)
      layer_of_copy = std::make_shared<const core::Layer>(with_entry(*layer_of_copy));
    core::warn_of_unused_mapping(*file, {}, copy, diagnostics);
    chosen = shared(std::move(copy));
  } else {
    expected("a layer or a workload", network);
  }
  diagnostics.throw_if_errors();
  return chosen;
}

namespace {

using core::Value;
using core::yaml::Node;

/// Reads maps of settings. `owner` is a stage without functions, so that settings are looked up like those
/// of stages.
class SettingsReader {
 public:
  SettingsReader(const std::string& path, std::span<const zz_param> settings, const core::Files& files,
                 core::Diagnostics& diagnostics)
      : path_(path), files_(files), diagnostics_(diagnostics) {
    owner_.params = settings.data();
    owner_.n_params = static_cast<std::uint32_t>(settings.size());
  }

  Value read(const Node& map, const std::string& what) {
    if (!core::yaml::expect_map(map, what, diagnostics_)) return {};
    std::vector<const Node*> given(owner_.n_params);
    misspelt_.clear();
    for (std::size_t i = 0; i < map.entries.size(); ++i) {
      const std::string& name = map.entries[i].first;
      const zz_param* setting = find_parameter(owner_, name);
      if (setting == nullptr) {
        unknown(map.key_marks[i], name, what);
      } else if (const Node*& value_node = given[setting - owner_.params]; value_node != nullptr) {
        diagnostics_.error(map.key_marks[i], fmt::format("'{}' of {} is given twice", setting->name, what));
      } else {
        value_node = &map.entries[i].second;
      }
    }
    std::vector<std::pair<std::string, Value>> complete;
    for (std::uint32_t i = 0; i < owner_.n_params; ++i)
      complete.emplace_back(owner_.params[i].name, value(given[i], owner_.params[i], map, what));
    return Value::map(std::move(complete));
  }

 private:
  Value value(const Node* given, const zz_param& setting, const Node& map, const std::string& what) {
    if (given == nullptr) {
      if ((setting.flags & ZZ_REQUIRED) == 0) return default_value(setting, what, diagnostics_);
      // The misspelt name was reported.
      if (misspelt_.count(setting.name) != 0) return {};
      diagnostics_.error(map.mark, fmt::format("'{}' of {} is missing ({}): {}", setting.name, what,
                                               kind_name(setting.kind), text_or_empty(setting.doc)));
      return {};
    }
    Node node = *given;
    if ((setting.flags & ZZ_INPUT_PATH) != 0) locate_paths(node, path_, files_);
    return setting_value(node, setting, what, diagnostics_);
  }

  void unknown(const core::SourceMark& mark, const std::string& name, const std::string& what) {
    std::vector<std::string> names;
    for (const zz_param& setting : parameters_of(owner_)) names.push_back(setting.name);
    misspelt_.insert(core::nearest_name(name, names));
    diagnostics_.error(mark, fmt::format("unknown key '{}' of {}", name, what),
                       core::suggestion(name, names));
  }

  const std::string& path_;
  const core::Files& files_;
  core::Diagnostics& diagnostics_;
  zz_stage_desc owner_{};
  std::set<std::string> misspelt_;  ///< settings that a key of the map at hand was probably meant to be
};

/// Returns the value from `read_it`, and logs its warnings for `at`.
template <class Read>
zz_value* give(zz_place* at, zz_error* error, const Read& read_it) noexcept {
  try {
    core::Diagnostics diagnostics;
    Value value = read_it(diagnostics);
    for (const core::Diagnostic& warning : diagnostics.all()) {
      const std::string text = core::to_string(warning);
      log_table.write(at, 3, text.data(), text.size());
    }
    return new_handle(std::move(value));
  } catch (...) {
    report_current_exception(error);
    return nullptr;
  }
}

zz_value* read(zz_place* at, zz_str path, std::int32_t form, const zz_param* settings, std::uint32_t n,
               zz_error* error) noexcept {
  return give(at, error, [&](core::Diagnostics& diagnostics) {
    return read_input(std::string(path.p, path.n), form, {settings, n}, current_run().files, diagnostics);
  });
}

zz_value* parse(zz_place* at, zz_str type, zz_str text, zz_str name, zz_error* error) noexcept {
  return give(at, error, [&](core::Diagnostics& diagnostics) {
    return parse_value({type.p, type.n}, std::string(text.p, text.n), std::string(name.p, name.n),
                       rules_below(at), diagnostics);
  });
}

zz_value* load(zz_place* at, zz_str type, zz_str path, zz_error* error) noexcept {
  return give(at, error, [&](core::Diagnostics& diagnostics) {
    return load_value({type.p, type.n}, std::string(path.p, path.n), current_run().files, rules_below(at),
                      diagnostics);
  });
}

zz_value* choose(zz_place* at, zz_ref network, zz_ref mapping_file, zz_error* error) noexcept {
  return give(at, error, [&](core::Diagnostics& diagnostics) {
    return choose_entries(from_abi(network), from_abi(mapping_file), rules_below(at), diagnostics);
  });
}

zz_value* whole(zz_place* at, zz_str path, zz_error* error, bool is_text) noexcept {
  return give(at, error, [&](core::Diagnostics&) {
    return Value::text(read_whole({path.p, path.n}, is_text, current_run().files));
  });
}

zz_value* text(zz_place* at, zz_str path, zz_error* error) noexcept { return whole(at, path, error, true); }
zz_value* bytes(zz_place* at, zz_str path, zz_error* error) noexcept {
  return whole(at, path, error, false);
}

}  // namespace

std::string read_whole(const std::string& path, bool is_text, const core::Files& files) {
  std::string content =
      files.read(path, is_text ? most_text_bytes : most_whole_bytes, is_text ? "a text file" : "a file");
  if (is_text && !core::is_utf8(content))
    throw core::InputError(fmt::format("{}: error: a text in UTF-8 is expected", path));
  return content;
}

Value read_input(const std::string& path, std::int32_t form, std::span<const zz_param> settings,
                 const core::Files& files, core::Diagnostics& diagnostics) {
  const Node node = core::yaml::load_file(path, diagnostics, files);
  const std::string name = std::filesystem::path(path).filename().string();
  if (form == ZZ_NULL) return value_of(node);
  SettingsReader reader(path, settings, files, diagnostics);
  if (form == ZZ_MAP) {
    Value map = reader.read(node, name);
    diagnostics.throw_if_errors();
    return map;
  }
  std::vector<Value> rows;
  if (core::yaml::expect_list(node, name, diagnostics)) {
    for (const Node& row : node.items)
      rows.push_back(reader.read(row, fmt::format("row {} of {}", rows.size() + 1, name)));
  }
  diagnostics.throw_if_errors();
  return Value::list(std::move(rows));
}

const zz_input input_table{sizeof(zz_input), read, parse, load, choose, text, bytes};

}  // namespace zz::host
