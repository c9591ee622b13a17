#include "core/compat/rules.hpp"

#include <doctest/doctest.h>

#include "core/base/diagnostics.hpp"

namespace zz::core {

TEST_CASE("rules: each version has its own") {
  CHECK_FALSE(rules_of("").faster_than_ports);
  const Rules older = rules_of("zigzag-3.8.5"), newer = rules_of("zigzag-3.9"),
              stream = rules_of("stream-0.0.8");
  CHECK((older.faster_than_ports && newer.faster_than_ports && stream.faster_than_ports));
  CHECK((older.loading_below_minimum && !newer.loading_below_minimum && stream.loading_below_minimum));
  CHECK((!older.shared_loading_forgotten && newer.shared_loading_forgotten &&
         !stream.shared_loading_forgotten));
  CHECK((!older.loading_on_top && !newer.loading_on_top && stream.loading_on_top));
  CHECK_THROWS_WITH_AS(rules_of("zigzag"),
                       "compat: 'zigzag' is none of 'zigzag-3.8.5', 'zigzag-3.9', 'stream-0.0.8'",
                       InputError);
}

TEST_CASE("rules: exceptions are dropped, those of schedules all together") {
  const Rules some = rules_of("zigzag-3.9 but faster_than_ports, data_in_whole_units");
  CHECK((!some.faster_than_ports && !some.data_in_whole_units && some.overcounted_window_positions));
  const Rules physical = rules_of("stream-0.0.8 but memory_free_at_once");
  CHECK((!physical.memory_free_at_once && !physical.starts_before_arrival && physical.loading_on_top));
  CHECK(without_exceptions("zigzag-3.9 but faster_than_ports") == "zigzag-3.9");
  CHECK_THROWS_WITH_AS(rules_of("zigzag-3.9 but loading_on_top"),
                       "compat: 'zigzag-3.9' has no rule 'loading_on_top'; docs/deviations.md lists them",
                       InputError);
}

TEST_CASE("rules: a setting of rules gives the same rules") {
  CHECK(compat_of({}).empty());
  for (const char* text : {"zigzag-3.8.5", "zigzag-3.9", "stream-0.0.8", "zigzag-3.9 but faster_than_ports",
                           "zigzag-3.9 but data_in_whole_units, faster_than_ports"})
    CHECK(compat_of(rules_of(text)) == text);
  for (const char* original : {"zigzag-3.8.5", "zigzag-3.9", "stream-0.0.8"})
    for (const RuleRow& row : rule_rows()) {
      Rules rules = rules_of(original);
      if (!(rules.*row.rule)) continue;
      CAPTURE(row.name);
      const std::string text = std::string(original) + " but " + std::string(row.name);
      CHECK(rules_of(compat_of(rules_of(text))) == rules_of(text));
    }
}

TEST_CASE("rules: all have a row, with words for both ways") {
  for (const RuleRow& row : rule_rows()) {
    CAPTURE(row.name);
    CHECK(rule_row(row.rule).name == row.name);
    CHECK(row.what.find("; ") != std::string_view::npos);
  }
}

}  // namespace zz::core
