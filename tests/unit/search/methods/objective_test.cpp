#include "core/search/methods/objective.hpp"

#include <doctest/doctest.h>
#include <string>

namespace zz::core {

TEST_CASE("objectives: words, choices and figures name the same three") {
  std::string choices;
  for (const std::string& word : objective_words()) {
    choices += (choices.empty() ? "" : "|") + word;
    REQUIRE(objective_of_word(word).has_value());
    CHECK(word_of(*objective_of_word(word)) == word);
  }
  CHECK(choices == objective_choices);
  CHECK("|" + choices == objective_choices_or_none);
  for (const Objective objective : {Objective::energy, Objective::latency, Objective::edp}) {
    CHECK(objective_of_word(word_of(objective)) == objective);
    CHECK(objective_of_figure(figure_of(objective)) == objective);
  }
}

TEST_CASE("objectives: words are read in any capitals, figures as they are") {
  CHECK(objective_of_word("EDP") == Objective::edp);
  CHECK(objective_of_word("Latency") == Objective::latency);
  CHECK_FALSE(objective_of_word("").has_value());
  CHECK_FALSE(objective_of_word("latency_total2").has_value());
  CHECK(objective_of_figure("energy_total") == Objective::energy);
  CHECK_FALSE(objective_of_figure("energy").has_value());
}

}  // namespace zz::core
