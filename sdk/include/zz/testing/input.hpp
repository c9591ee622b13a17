// zz/testing/input.hpp - "zz.input/0" of the in-memory host: YAML files that are texts in memory, read with
// the checks, defaults and messages that the host has, each message with line and column.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zz/testing/node.hpp"
#include "zz/testing/scalar.hpp"

#pragma GCC visibility push(hidden)
namespace zz {
namespace testing {

// A piece of YAML as a value of this host; the caller owns the reference.
inline Node* tree_of(const YamlNode& yaml) {
  auto* node = new Node;
  if (yaml.kind == YamlNode::list || yaml.kind == YamlNode::map) {
    node->kind = yaml.kind == YamlNode::list ? ZZ_LIST : ZZ_MAP;
    for (std::size_t n = 0; n < yaml.items.size(); ++n)
      node->parts.emplace_back(yaml.kind == YamlNode::map ? yaml.keys[n].text : "", tree_of(yaml.items[n]));
  } else if (const auto truth = as_bool(yaml)) {
    node->kind = ZZ_BOOL, node->i = *truth;
  } else if (const auto integer = as_int(yaml)) {
    node->kind = ZZ_I64, node->i = *integer;
  } else if (const auto number = as_double(yaml)) {
    node->kind = ZZ_F64, node->d = *number;
  } else if (yaml.kind == YamlNode::scalar) {
    node->kind = ZZ_STR, node->s = yaml.text;
  }
  return node;
}

// Reads settings, as Stage::read_settings and read_rows ask for, and collects everything that is wrong.
class SettingsOfFile {
 public:
  SettingsOfFile(std::string path, std::span<const zz_param> settings)
      : path_(std::move(path)), settings_(settings) {}

  // One message a line, "costs.yaml:3:5: error: ..."; empty when nothing is wrong.
  const std::string& wrong() const { return wrong_; }
  void add(YamlMark mark, const std::string& text) {
    wrong_ += (wrong_.empty() ? "" : "\n") + path_ + ':' + std::to_string(mark.line) + ':' +
              std::to_string(mark.column) + ": error: " + text;
  }

  // A value of the form ZZ_NULL, ZZ_MAP or ZZ_LIST.
  Node* read(const YamlNode& file, int32_t form) {
    const std::string name = std::filesystem::path(path_).filename().string();
    if (form == ZZ_NULL) return tree_of(file);
    if (form == ZZ_MAP) return map(file, name);
    auto* rows = new Node;
    rows->kind = ZZ_LIST;
    if (file.kind != YamlNode::list) add(file.mark, name + " must be a list, but found " + describe(file));
    for (std::size_t i = 0; file.kind == YamlNode::list && i < file.items.size(); ++i)
      rows->parts.emplace_back("", map(file.items[i], "row " + std::to_string(i + 1) + " of " + name));
    return rows;
  }

 private:
  static bool has_name(const zz_param& setting, std::string_view name) {
    return setting.name == name || (setting.aliases && among(setting.aliases, name));
  }
  static bool among(std::string_view choices, std::string_view text) {
    for (std::size_t start = 0;; ++start) {
      const std::size_t end = std::min(choices.find('|', start), choices.size());
      if (choices.substr(start, end - start) == text) return true;
      if (end == choices.size()) return false;
      start = end;
    }
  }

  Node* map(const YamlNode& given, const std::string& what) {
    auto* complete = new Node;
    complete->kind = ZZ_MAP;
    if (given.kind != YamlNode::map) {
      add(given.mark, what + " must be a map (lines of 'key: value'), but found " + describe(given));
      return complete;
    }
    std::vector<const YamlNode*> places(settings_.size());
    misspelt_.clear();
    for (std::size_t n = 0; n < given.keys.size(); ++n) {
      const std::string& key = given.keys[n].text;
      const auto setting = std::find_if(settings_.begin(), settings_.end(),
                                        [&](const zz_param& one) { return has_name(one, key); });
      if (setting == settings_.end()) {
        add(given.keys[n].mark, "unknown key '" + key + "' of " + what + "; " + suggestion(key));
        continue;
      }
      const YamlNode*& place = places[static_cast<std::size_t>(setting - settings_.begin())];
      // Of two equal keys the last one counts.
      if (place && given.keys[static_cast<std::size_t>(place - given.items.data())].text != key)
        add(given.keys[n].mark, std::string("'") + setting->name + "' of " + what + " is given twice");
      place = &given.items[n];
    }
    for (std::size_t i = 0; i < settings_.size(); ++i)
      complete->parts.emplace_back(settings_[i].name, value(settings_[i], places[i], given, what));
    return complete;
  }

  Node* value(const zz_param& setting, const YamlNode* given, const YamlNode& map,
              const std::string& owner) {
    const std::string what = std::string("'") + setting.name + "' of " + owner;
    if (!given) {
      if ((setting.flags & ZZ_REQUIRED) == 0) return standard(setting);
      // One mistake, one message.
      if (std::find(misspelt_.begin(), misspelt_.end(), &setting) != misspelt_.end()) return new Node;
      add(map.mark,
          what + " is missing (" + kind_name(setting.kind) + "): " + (setting.doc ? setting.doc : ""));
      return new Node;
    }
    if (given->kind == YamlNode::null) {
      if (setting.flags & ZZ_REQUIRED) add(given->mark, what + " must not be empty");
      return new Node;
    }
    YamlNode yaml = *given;
    if ((setting.flags & ZZ_INPUT_PATH) && yaml.kind == YamlNode::scalar && !yaml.text.empty())
      yaml.text = (std::filesystem::path(path_).parent_path() / yaml.text).lexically_normal().string();
    if (!is_of_kind(yaml, setting.kind)) {
      const bool number = setting.kind == ZZ_I64 || setting.kind == ZZ_F64;
      add(yaml.mark, what + " must be " + kind_name(setting.kind) + ", but found " + describe(yaml) +
                         (number ? number_hint(yaml) : ""));
      return as_kind(yaml, setting.kind);
    }
    // Of a list, each item must be allowed.
    const bool is_list = yaml.kind == YamlNode::list;
    for (std::size_t n = 0; n < (is_list ? yaml.items.size() : 1); ++n) {
      const YamlNode& one = is_list ? yaml.items[n] : yaml;
      const std::string why = why_not_allowed(one, setting.allowed);
      if (why.empty()) continue;
      add(one.mark, (is_list ? "item " + std::to_string(n + 1) + " of " : "") + what + ' ' + why +
                        (setting.unit ? std::string(" ") + setting.unit : "") + ", but found " +
                        describe(one));
      break;
    }
    return as_kind(yaml, setting.kind);
  }

  Node* standard(const zz_param& setting) {
    YamlNode yaml;
    try {
      if (setting.def && *setting.def) yaml = YamlReader::read(setting.def);
    } catch (const YamlError& syntax) {
      add({}, std::string("the default of '") + setting.name + "' is no YAML: " + syntax.what());
    }
    if (setting.def && !*setting.def) yaml.kind = YamlNode::scalar, yaml.quoted = true;
    return as_kind(yaml, setting.kind);
  }
  static bool is_of_kind(const YamlNode& yaml, int32_t kind) {
    if (kind == ZZ_BOOL) return as_bool(yaml).has_value();
    if (kind == ZZ_I64) return as_int(yaml).has_value();
    if (kind == ZZ_F64) return as_double(yaml).has_value();
    if (kind == ZZ_STR) return yaml.kind == YamlNode::scalar;
    if (kind == ZZ_LIST) return yaml.kind == YamlNode::list;
    return kind != ZZ_MAP || yaml.kind == YamlNode::map;
  }
  static Node* as_kind(YamlNode yaml, int32_t kind) {
    if (kind == ZZ_STR) yaml.quoted = true;  // names that look like numbers are meant as written
    Node* node = tree_of(yaml);
    if (kind == ZZ_F64 && node->kind == ZZ_I64) node->kind = ZZ_F64, node->d = static_cast<double>(node->i);
    return node;
  }

  static const char* kind_name(int32_t kind) {
    static constexpr const char* names[] = {"nothing",  "anything", "true or false", "a whole number",
                                            "a number", "text",     "a list",        "a map"};
    return kind >= ZZ_NONE && kind <= ZZ_MAP ? names[kind] : "an object";
  }

  // Why a text that looks like a number to everybody is none in YAML.
  static std::string number_hint(YamlNode yaml) {
    if (yaml.kind != YamlNode::scalar) return "";
    const std::size_t exponent = yaml.text.find_first_of("eE");
    const bool digits = yaml.text.find_first_not_of("+-.0123456789eE") == std::string::npos;
    if (!yaml.quoted && exponent != std::string::npos && exponent > 0 && digits)
      return "; YAML wants a point and a signed exponent, as in 1.0e+3";
    return std::exchange(yaml.quoted, false) && as_double(yaml) ? "; remove the quotes" : "";
  }

  static std::string why_not_allowed(const YamlNode& yaml, const char* allowed) {
    if (!allowed || !*allowed) return "";
    const std::string text = allowed;
    const std::size_t comma = text.find(',');
    const bool is_interval = comma != std::string::npos && (text[0] == '[' || text[0] == '(') &&
                             (text.back() == ']' || text.back() == ')');
    if (!is_interval) {
      if (yaml.kind != YamlNode::scalar || among(text, yaml.text)) return "";
      std::string choices = text;
      for (std::size_t bar; (bar = choices.find('|')) != std::string::npos;) choices.replace(bar, 1, ", ");
      return "must be one of " + choices;
    }
    const auto number = as_double(yaml);
    if (!number) return "";
    const double low = std::strtod(text.c_str() + 1, nullptr),
                 high = std::strtod(text.c_str() + comma + 1, nullptr);
    const bool above = text[0] == '[' ? *number >= low : *number > low;
    const bool below = text.back() == ']' ? *number <= high : *number < high;
    return above && below ? "" : "must lie in " + text;
  }

  std::string suggestion(std::string_view key) {
    const zz_param* nearest = nullptr;
    std::size_t smallest = 0;
    std::string known = "known:";
    for (const zz_param& setting : settings_) {
      const std::string_view name = setting.name;
      known += (known.back() == ':' ? " " : ", ") + std::string(name);
      const std::size_t distance = changes_between(key, name);
      if (distance > std::max(key.size(), name.size()) / 3 || (nearest && distance >= smallest)) continue;
      nearest = &setting, smallest = distance;
    }
    misspelt_.push_back(nearest);
    return nearest ? std::string("did you mean '") + nearest->name + "'?" : known;
  }
  // Insertions, deletions and replacements of letters that turn one name into the other.
  static std::size_t changes_between(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (std::size_t i = 0; i < a.size(); ++i) {
      std::size_t corner = std::exchange(row[0], i + 1);
      for (std::size_t j = 0; j < b.size(); ++j) {
        const std::size_t replaced = corner + (a[i] != b[j]);
        corner = std::exchange(row[j + 1], std::min({row[j] + 1, row[j + 1] + 1, replaced}));
      }
    }
    return row.back();
  }

  std::string path_;
  std::span<const zz_param> settings_;
  std::string wrong_;
  std::vector<const zz_param*> misspelt_;  // what unknown keys of the map at hand were probably meant to be
};

}  // namespace testing
}  // namespace zz
#pragma GCC visibility pop
