#include "core/input/yaml/map_reader.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

#include "core/base/nearest_name.hpp"
#include "core/base/text.hpp"
#include "core/input/yaml/form.hpp"

namespace zz::core::yaml {
namespace {

void wrong_type(const Node& node, const std::string& what, const char* expected, Diagnostics& diagnostics,
                std::string hint = "") {
  diagnostics.error(node.mark, fmt::format("{} must be {}, but found {}", what, expected, node.describe()),
                    std::move(hint));
}

bool is_short(const Node& node, std::size_t items, const std::string& what, Diagnostics& diagnostics) {
  if (items <= most_items) return true;
  diagnostics.error(node.mark,
                    fmt::format("{} has {} items; at most {} are possible", what, items, most_items));
  return false;
}

template <class T>
bool read_list(const Node& node, const std::string& what, std::vector<T>& target,
               Diagnostics& diagnostics) {
  if (!expect_short_list(node, what, diagnostics)) return false;
  std::vector<T> values;
  bool all_read = true;
  for (const Node& item : node.items) {
    T value{};
    all_read = read(item, "an item of " + what, value, diagnostics) && all_read;
    values.push_back(std::move(value));
  }
  if (all_read) target = std::move(values);
  return all_read;
}

}  // namespace

bool read(const Node& node, const std::string& what, std::int64_t& target, Diagnostics& diagnostics) {
  const auto value = node.as_int();
  if (!value) {
    wrong_type(node, what, "a whole number", diagnostics, number_hint(node));
    return false;
  }
  target = *value;
  return true;
}

bool read(const Node& node, const std::string& what, double& target, Diagnostics& diagnostics) {
  const auto value = node.as_double();
  if (!value || !std::isfinite(*value)) {
    wrong_type(node, what, value ? "a finite number" : "a number", diagnostics, number_hint(node));
    return false;
  }
  target = *value;
  return true;
}

bool read(const Node& node, const std::string& what, bool& target, Diagnostics& diagnostics) {
  const auto value = node.as_bool();
  if (!value) {
    wrong_type(node, what, "true or false", diagnostics);
    return false;
  }
  target = *value;
  return true;
}

bool read(const Node& node, const std::string& what, std::string& target, Diagnostics& diagnostics) {
  auto value = node.as_text();
  if (!value) {
    wrong_type(node, what, "text", diagnostics,
               node.is_scalar() ? "put it in quotes if it is meant as text" : "");
    return false;
  }
  target = std::move(*value);
  return true;
}

bool read(const Node& node, const std::string& what, std::vector<std::string>& target,
          Diagnostics& diagnostics) {
  return read_list(node, what, target, diagnostics);
}

bool read(const Node& node, const std::string& what, std::vector<std::int64_t>& target,
          Diagnostics& diagnostics) {
  return read_list(node, what, target, diagnostics);
}

bool expect_list(const Node& node, const std::string& what, Diagnostics& diagnostics) {
  if (node.is_list()) return true;
  wrong_type(node, what, "a list", diagnostics);
  return false;
}

bool expect_map(const Node& node, const std::string& what, Diagnostics& diagnostics) {
  if (node.is_map()) return true;
  wrong_type(node, what, "a map (lines of 'key: value')", diagnostics);
  return false;
}

bool expect_short_list(const Node& node, const std::string& what, Diagnostics& diagnostics) {
  return expect_list(node, what, diagnostics) && is_short(node, node.items.size(), what, diagnostics);
}

bool expect_short_map(const Node& node, const std::string& what, Diagnostics& diagnostics) {
  return expect_map(node, what, diagnostics) && is_short(node, node.entries.size(), what, diagnostics);
}

MapReader::MapReader(const Node& node, std::string what, Diagnostics& diagnostics)
    : node_(node), what_(std::move(what)), diagnostics_(diagnostics) {
  expect_map(node_, what_, diagnostics_);
}

MapReader::MapReader(const Node& node, std::string what, const KeyTable& table, Diagnostics& diagnostics)
    : MapReader(node, std::move(what), diagnostics) {
  table_ = &table;
  for (const Key& key : table.keys)
    if (key.need != Need::refused) known_.push_back(key.name);
}

const Node* MapReader::find(const std::string& key) {
  const Key* const known = table_ != nullptr ? table_->find(key) : nullptr;
  if (known == nullptr)
    throw std::logic_error(fmt::format("'{}' is read from {}, whose table has no such key", key, what_));
  switch (known->need) {
    case Need::required:
      return required(key);
    case Need::given: {
      const Node* const node = nullable(key);
      if (node == nullptr) missing_.push_back(key);
      return node;
    }
    case Need::nullable:
      return nullable(key);
    default:
      return optional(key);
  }
}

static void refuse_kind(const KeyTable* table, const std::string& key, Form::Kind kind) {
  if (!may_be(table->find(key)->form, kind))
    throw std::logic_error(
        fmt::format("'{}' of the table of {} is read as another type", key, table->name));
}

void MapReader::refuse_other_type(const std::string& key, std::int64_t) const {
  refuse_kind(table_, key, Form::Kind::whole);
}
void MapReader::refuse_other_type(const std::string& key, double) const {
  refuse_kind(table_, key, Form::Kind::number);
}
void MapReader::refuse_other_type(const std::string& key, bool) const {
  refuse_kind(table_, key, Form::Kind::truth);
}
void MapReader::refuse_other_type(const std::string& key, const std::string&) const {
  refuse_kind(table_, key, Form::Kind::text);
}
void MapReader::refuse_other_type(const std::string& key, const std::vector<std::string>&) const {
  refuse_kind(table_, key, Form::Kind::list);
}
void MapReader::refuse_other_type(const std::string& key, const std::vector<std::int64_t>&) const {
  refuse_kind(table_, key, Form::Kind::list);
}

const Node* MapReader::optional(const std::string& key) {
  if (std::find(known_.begin(), known_.end(), key) == known_.end()) known_.push_back(key);
  return node_.find(key);
}

const Node* MapReader::nullable(const std::string& key) {
  const Node* node = optional(key);
  return node != nullptr && node->is_null() ? nullptr : node;
}

const Node* MapReader::required(const std::string& key) {
  const Node* node = optional(key);
  if (node == nullptr) missing_.push_back(key);
  return node;
}

namespace {

bool takes_word(const Form& form, const std::string& word) {
  return std::find(form.words.begin(), form.words.end(), word) != form.words.end() ||
         std::any_of(form.parts.begin(), form.parts.end(),
                     [&](const Form& part) { return takes_word(part, word); });
}

}  // namespace

void MapReader::finish() {
  if (!node_.is_map()) return;
  for (std::size_t i = 0; i < node_.entries.size(); ++i) {
    const std::string& key = node_.entries[i].first;
    if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
    if (table_ != nullptr && table_->find(key) != nullptr) continue;  // refused by the reader
    // A misspelt key is not reported as missing, too.
    if (!missing_.empty())
      missing_.erase(std::remove(missing_.begin(), missing_.end(), nearest_name(key, known_)),
                     missing_.end());
    diagnostics_.error(node_.key_marks[i], fmt::format("unknown key '{}' in {}", shown_text(key), what_),
                       suggestion(key, known_));
  }
  for (const std::string& key : missing_) {
    const Key* const row = table_ != nullptr ? table_->find(key) : nullptr;
    diagnostics_.error(node_.mark, fmt::format("the key '{}' is missing in {}", key, what_),
                       row != nullptr && takes_word(row->form, "auto")
                           ? "give a number, or 'auto', by which it is filled in"
                           : "");
  }
}

std::string MapReader::what(std::string_view key) const { return fmt::format("'{}' of {}", key, what_); }

void hand_over(const Diagnostics& found, Diagnostics& diagnostics) {
  for (const Diagnostic& diagnostic : found.all()) {
    if (diagnostic.severity == Severity::warning) {
      diagnostics.warning(diagnostic.mark, diagnostic.message, diagnostic.hint);
    }
  }
  found.throw_if_errors();
}

}  // namespace zz::core::yaml
