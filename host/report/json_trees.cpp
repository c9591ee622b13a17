#include "host/report/json_trees.hpp"

#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>

namespace zz::host {
namespace {

using Json = nlohmann::ordered_json;

// Letters of a shape. A key stands before the value that it has, with the number of its text.
constexpr char open_map = '{', open_list = '[', close = ']', key = 'k', null = 'n', yes = 'y', no = 'x',
               integer = 'i', whole = 'u', number = 'd', text = 's';

void append_key(std::string& shape, std::uint32_t which) {
  char bytes[sizeof which];
  std::memcpy(bytes, &which, sizeof which);
  shape.push_back(key);
  shape.append(bytes, sizeof which);
}

std::uint32_t take_key(std::string_view& shape) {
  std::uint32_t which = 0;
  std::memcpy(&which, shape.data() + 1, sizeof which);
  shape.remove_prefix(1 + sizeof which);
  return which;
}

char take_letter(std::string_view& shape) {
  const char letter = shape.front();
  shape.remove_prefix(1);
  return letter;
}

}  // namespace

std::uint32_t JsonTrees::Texts::number_of(std::string_view text) {
  if (const auto known = numbers_.find(text); known != numbers_.end()) return known->second;
  const auto fresh = static_cast<std::uint32_t>(texts_.size());
  numbers_.emplace(texts_.emplace_back(text), fresh);
  return fresh;
}

void JsonTrees::take_apart(const Json& node, std::string& shape) {
  switch (node.type()) {
    case Json::value_t::object:
      shape.push_back(open_map);
      for (const auto& [name, part] : node.items()) {
        append_key(shape, texts_.number_of(name));
        take_apart(part, shape);
      }
      shape.push_back(close);
      return;
    case Json::value_t::array:
      shape.push_back(open_list);
      for (const Json& part : node) take_apart(part, shape);
      shape.push_back(close);
      return;
    case Json::value_t::string:
      shape.push_back(text);
      values_.push_back(texts_.number_of(node.get_ref<const std::string&>()));
      return;
    case Json::value_t::number_integer:
      shape.push_back(integer);
      values_.push_back(std::bit_cast<std::uint64_t>(node.get<std::int64_t>()));
      return;
    case Json::value_t::number_unsigned:
      shape.push_back(whole);
      values_.push_back(node.get<std::uint64_t>());
      return;
    case Json::value_t::number_float:
      shape.push_back(number);
      values_.push_back(std::bit_cast<std::uint64_t>(node.get<double>()));
      return;
    case Json::value_t::boolean:
      shape.push_back(node.get<bool>() ? yes : no);
      return;
    default:
      shape.push_back(null);
  }
}

Json JsonTrees::put_together(std::string_view& shape, std::uint64_t& next) const {
  switch (take_letter(shape)) {
    case open_map: {
      Json::object_t map;
      while (shape.front() != close) {
        const std::string& name = texts_.text(take_key(shape));
        map.push_back({name, put_together(shape, next)});
      }
      take_letter(shape);
      return map;
    }
    case open_list: {
      Json::array_t list;
      while (shape.front() != close) list.push_back(put_together(shape, next));
      take_letter(shape);
      return list;
    }
    case text:
      return texts_.text(values_[next++]);
    case integer:
      return std::bit_cast<std::int64_t>(values_[next++]);
    case whole:
      return values_[next++];
    case number:
      return std::bit_cast<double>(values_[next++]);
    case yes:
      return true;
    case no:
      return false;
    default:
      return nullptr;
  }
}

void JsonTrees::add(const Json& tree) {
  std::string shape;
  const std::uint64_t first = values_.size();
  take_apart(tree, shape);
  trees_.push_back({shapes_.number_of(shape), first});
}

Json JsonTrees::at(std::size_t index) const {
  std::string_view shape = shapes_.text(trees_[index].shape);
  std::uint64_t next = trees_[index].first;
  return put_together(shape, next);
}

}  // namespace zz::host
