#include "core/workload/operand_layout.hpp"

#include <doctest/doctest.h>

#include "core/base/diagnostics.hpp"
#include "tests/unit/worlds/layers.hpp"

using namespace zz::core;
using namespace zz::test;

namespace {

std::string problem_of(const std::vector<std::string>& dimensions) {
  const Layer layer = convolution(2, 3, 4, 3, 1);
  const auto problem = find_layout_problem(layer, {"I", dimensions});
  return problem ? problem->message + " | " + problem->hint : "";
}

bool says(const std::vector<std::string>& dimensions, const std::string& text) {
  CAPTURE(problem_of(dimensions));
  return problem_of(dimensions).find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("layouts list the dimensions of an operand, the innermost last") {
  CHECK(problem_of({"IY", "IX", "C"}) == "");
  CHECK(problem_of({"..", "C"}) == "");
  CHECK(problem_of({"..", "IX", "C"}) == "");
  CHECK(says({"IY", "C"}, "the layout of I in mapping entry '' lacks IX"));
  CHECK(says({"..", "OX"}, "names OX, which is no dimension of it | known: C, IY, IX"));
  CHECK(says({"IY", "OX", "C"}, "names OX, which is no dimension of it | known: C, IY, IX"));
  CHECK(problem_of({"..", "G", "C"}) == "");
  CHECK(says({"IX", "..", "C"}, "has '..' behind a dimension"));
  CHECK(says({"IX", "IX", "C"}, "names IX twice"));
  CHECK(says({".."}, "does not say which dimension is the innermost"));
  CHECK(says({}, "does not say which dimension is the innermost"));
}

TEST_CASE("the innermost dimension is known of operands with a layout only") {
  Layer layer = convolution(2, 3, 4, 3, 1);
  CHECK(innermost_dimension(layer, 0) == nullptr);
  layer.mapping.layout = {{"I", {"..", "IX", "K"}}, {"O", {"..", "OYY"}}, {"X", {"Z"}}};
  CHECK(*innermost_dimension(layer, 2) == "IX");
  CHECK(innermost_dimension(layer, 1) == nullptr);
  CHECK_THROWS_WITH_AS(innermost_dimension(layer, 0), doctest::Contains("did you mean 'OY'?"), InputError);
}
