#include <cstdlib>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <string>

#include "core/value/type.hpp"

/// docs/values.md lists the types of values with their fields. The part after the marker is made from the
/// tables in core/schema; run this test with ZZ_UPDATE_DOCS=1 to write it again.
namespace {

using namespace zz::core;

const std::string page = ZZ_SOURCE_DIR "/docs/values.md";
const std::string marker = "<!-- What follows is made from core/schema: tests/unit/documentation. -->\n";

std::string section(const Type& type) {
  std::string text = fmt::format("\n## {}\n\n{}\n\n", type.name, type.doc);
  if (*type.label != '\0') text += fmt::format("In a list it is found by its `{}`.\n\n", type.label);
  text += "| field | type | unit | |\n|---|---|---|---|\n";
  for (const Field& field : type.fields)
    text += fmt::format("| `{}` | {} | {} | {}{}{}{} |\n", field.name, field.words ? field.words() : "",
                        field.unit, field.doc, field.required ? " **Required.**" : "",
                        field.edit ? "" : " Computed.",
                        field.former == nullptr ? "" : fmt::format(" Found as `{}`, too.", field.former));
  return text;
}

std::string tables() {
  std::string text;
  for (const Type* type : object_types()) text += section(*type);
  return text;
}

TEST_CASE("docs/values.md lists every type with its fields") {
  std::ifstream in(page);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const std::size_t split = text.find(marker);
  REQUIRE(split != std::string::npos);
  const std::string by_hand = text.substr(0, split + marker.size());
  if (std::getenv("ZZ_UPDATE_DOCS") != nullptr)
    std::ofstream(page) << by_hand << tables();
  else
    CHECK(text.substr(by_hand.size()) == tables());
}

}  // namespace
