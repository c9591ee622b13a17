#include "host/report/form_schema.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <string>

namespace zz::host {
namespace {

using Json = nlohmann::ordered_json;
using core::yaml::Form;
using core::yaml::FormCondition;
using core::yaml::Key;
using core::yaml::KeyTable;
using core::yaml::Need;

Json number_json(double number) {
  constexpr double largest_exact = 9007199254740992.0;  // 2^53
  if (std::floor(number) == number && std::abs(number) <= largest_exact)
    return static_cast<std::int64_t>(number);
  return number;
}

class SchemaWriter {
 public:
  explicit SchemaWriter(Json& definitions) : definitions_(definitions) {}

  Json of(const Form& form) {
    switch (form.kind) {
      case Form::Kind::any:
        return Json::object();
      case Form::Kind::none:
        return {{"type", "null"}};
      case Form::Kind::truth:
        return {{"type", "boolean"}};
      case Form::Kind::whole:
        return of_number("integer", form);
      case Form::Kind::number:
        return of_number("number", form);
      case Form::Kind::text:
        return of_text(form);
      case Form::Kind::list:
        return of_list(form);
      case Form::Kind::map:
        return form.keys != nullptr ? reference(*form.keys) : of_entries(form);
      case Form::Kind::either: {
        Json choices = Json::array();
        for (const Form& part : form.parts) choices.push_back(of(part));
        return {{"anyOf", std::move(choices)}};
      }
      case Form::Kind::cases:
        return of_cases(form, 0);
    }
    return Json::object();
  }

 private:
  static Json of_number(const char* type, const Form& form) {
    Json schema{{"type", type}};
    if (form.least) schema[form.above_least ? "exclusiveMinimum" : "minimum"] = number_json(*form.least);
    if (form.most) schema["maximum"] = number_json(*form.most);
    return schema;
  }

  static Json of_text(const Form& form) {
    Json schema{{"type", "string"}};
    if (!form.words.empty()) schema["enum"] = form.words;
    if (!form.pattern.empty()) schema["pattern"] = form.pattern;
    return schema;
  }

  Json of_list(const Form& form) {
    Json schema{{"type", "array"}};
    if (form.in_turn) {
      Json items = Json::array();
      for (const Form& part : form.parts) items.push_back(of(part));
      schema["prefixItems"] = std::move(items);
      schema["items"] = false;
    } else if (!form.parts.empty()) {
      schema["items"] = of(form.parts.front());
    }
    if (form.fewest > 0) schema["minItems"] = form.fewest;
    if (form.most_parts != core::yaml::endless) schema["maxItems"] = form.most_parts;
    if (form.distinct) schema["uniqueItems"] = true;
    return schema;
  }

  Json of_entries(const Form& form) {
    Json schema{{"type", "object"}};
    Json value = of(form.parts.front());
    if (form.pattern.empty()) {
      schema["additionalProperties"] = std::move(value);
    } else {
      schema["patternProperties"] = {{form.pattern, std::move(value)}};
      schema["additionalProperties"] = false;
    }
    if (form.fewest > 0) schema["minProperties"] = form.fewest;
    if (form.most_parts != core::yaml::endless) schema["maxProperties"] = form.most_parts;
    return schema;
  }

  static Json condition(const FormCondition& one) {
    Json any = Json::array();
    for (const std::string& key : one.keys) {
      Json has{{"type", "object"}, {"required", Json::array({key})}};
      if (one.value == "true")
        has["properties"] = {{key, {{"const", true}}}};
      else if (!one.value.empty())
        has["properties"] = {{key, {{"type", "string"}, {"pattern", one.value}}}};
      any.push_back(std::move(has));
    }
    return any.size() == 1 ? any.front() : Json{{"anyOf", std::move(any)}};
  }

  Json of_cases(const Form& form, std::size_t at) {
    if (at == form.conditions.size()) return of(form.parts.front());
    return {{"if", condition(form.conditions[at])},
            {"then", of(form.parts[at + 1])},
            {"else", of_cases(form, at + 1)}};
  }

  /// A table is defined once, also where it leads to itself.
  Json reference(const KeyTable& table) {
    auto known = names_.find(&table);
    if (known == names_.end()) {
      std::string name = table.name;
      std::replace(name.begin(), name.end(), ' ', '_');
      const int same = ++uses_[name];
      if (same > 1) name += fmt::format("_{}", same);
      known = names_.emplace(&table, name).first;
      definitions_[name] = nullptr;
      Json schema = of_table(table);
      definitions_[name] = std::move(schema);
    }
    return {{"$ref", "#/$defs/" + known->second}};
  }

  Json of_key(const Key& key) {
    Json value = of(key.form);
    if (key.need == Need::nullable && !value.empty() && value != Json{{"type", "null"}})
      value = {{"anyOf", Json::array({std::move(value), {{"type", "null"}}})}};
    Json schema{{"description", key.doc}};
    for (auto& [name, part] : value.items()) schema[name] = std::move(part);
    return schema;
  }

  Json of_table(const KeyTable& table) {
    Json properties = Json::object(), required = Json::array(), all = Json::array();
    for (const Key& key : table.keys) {
      if (key.need == Need::refused) continue;
      properties[key.name] = of_key(key);
      const bool renamed = !key.former.empty();
      if (renamed) {
        properties[key.former] = properties[key.name];
        properties[key.former]["deprecated"] = true;
        add_apart(all, key.name, key.former);
      }
      if (key.need != Need::required && key.need != Need::given) continue;
      if (renamed)
        all.push_back({{"anyOf", Json::array({needs(key.name), needs(key.former)})}});
      else
        required.push_back(key.name);
    }
    Json schema{{"title", table.name}, {"type", "object"}, {"properties", std::move(properties)}};
    if (!required.empty()) schema["required"] = std::move(required);
    for (const auto& [key, other] : table.with) schema["dependentRequired"][key] = Json::array({other});
    for (const auto& [key, other] : table.apart) add_apart(all, key, other);
    if (!all.empty()) schema["allOf"] = std::move(all);
    schema["additionalProperties"] = false;
    return schema;
  }

  static Json needs(const std::string& key) { return {{"required", Json::array({key})}}; }
  static void add_apart(Json& all, const std::string& key, const std::string& other) {
    all.push_back({{"not", {{"required", Json::array({key, other})}}}});
  }

  Json& definitions_;
  std::map<const KeyTable*, std::string> names_;
  std::map<std::string, int> uses_;
};

}  // namespace

Json schema_of(const Form& form, Json& definitions) { return SchemaWriter(definitions).of(form); }

Json file_schema(const char* title, const Form& form) {
  Json definitions = Json::object();
  Json own = schema_of(form, definitions);
  Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  for (auto& [name, part] : own.items()) schema[name] = std::move(part);
  schema["$defs"] = std::move(definitions);
  return schema;
}

}  // namespace zz::host
