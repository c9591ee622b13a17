#include <cstdlib>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <string>

#include "core/input/onnx/operators/operator.hpp"

/// docs/networks.md lists the operators that are known. The part after the marker is made from their
/// tables; run this test with ZZ_UPDATE_DOCS=1 to write it again.
namespace {

using namespace zz::core::onnx_import;

const std::string networks_page = ZZ_SOURCE_DIR "/docs/networks.md";
const std::string networks_marker =
    "<!-- What follows is made from core/input/onnx/operators: tests/unit/documentation. -->\n";

std::string operators_table() {
  std::string text = "\n| operator | domain | work |\n|---|---|---|\n";
  for (const Operator& each : all_operators())
    text += fmt::format("| `{}` | {} | {} |\n", each.name, each.domain, word_for(each.work));
  return text;
}

TEST_CASE("docs/networks.md lists every operator with its work") {
  std::ifstream in(networks_page);
  const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const std::size_t split = text.find(networks_marker);
  REQUIRE(split != std::string::npos);
  const std::string by_hand = text.substr(0, split + networks_marker.size());
  if (std::getenv("ZZ_UPDATE_DOCS") != nullptr)
    std::ofstream(networks_page) << by_hand << operators_table();
  else
    CHECK(text.substr(by_hand.size()) == operators_table());
}

}  // namespace
