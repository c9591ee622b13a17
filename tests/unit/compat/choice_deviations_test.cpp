#include "core/compat/choice_deviations.hpp"

#include <doctest/doctest.h>
#include <string>
#include <vector>

using namespace zz::core;

TEST_CASE("deviations of choices: two rules have a sentence each, more are named in one") {
  ChoiceDeviations choices;
  choices.add(deviation_text(&Rules::padding_is_data), "conv1");
  choices.add(deviation_text(&Rules::padding_is_data), "conv2");
  choices.add(deviation_text(&Rules::inexact_dependencies), "conv2");
  const std::vector<std::string> two = choices.sentences("stream-0.0.8");
  REQUIRE(two.size() == 2);
  CHECK(two[1].find("this applies to 2 layers (conv1, conv2)") != std::string::npos);
  CHECK(two[1].find("(docs/deviations.md, padding_is_data)") != std::string::npos);

  choices.add(deviation_text(&Rules::order_ignores_stacks), "conv1");
  const std::vector<std::string> one = choices.sentences("stream-0.0.8");
  REQUIRE(one.size() == 1);
  CHECK(one[0] ==
        "figures may differ from Stream's for 3 reasons: inexact_dependencies in 1 layer (conv2), "
        "order_ignores_stacks in 1 layer (conv1), padding_is_data in 2 layers (conv1, conv2); "
        "'compat: stream-0.0.8' gives Stream's figures (docs/deviations.md)");
  CHECK(choices.sentences("zigzag-3.9").empty());
}
