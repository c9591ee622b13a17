#include "core/output/json/json_text.hpp"

#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "core/output/json/json_writer.hpp"

namespace zz::core {
namespace {

using Json = nlohmann::ordered_json;

void write(JsonWriter& json, const Json& node) {
  switch (node.type()) {
    case Json::value_t::object:
      json.map([&] {
        for (auto part = node.begin(); part != node.end(); ++part) {
          json.key(part.key());
          write(json, *part);
        }
      });
      return;
    case Json::value_t::array:
      json.list([&] {
        for (const Json& part : node) write(json, part);
      });
      return;
    case Json::value_t::number_float:
      json.value(node.get<double>());
      return;
    case Json::value_t::string:
      json.value(std::string_view(node.get_ref<const std::string&>()));
      return;
    default:
      json.literal(node.dump());
  }
}

}  // namespace

std::string json_text(const Json& tree) {
  JsonWriter json;
  write(json, tree);
  return std::move(json).text();
}

}  // namespace zz::core
