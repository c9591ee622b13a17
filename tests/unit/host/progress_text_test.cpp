#include <cstdint>
#include <doctest/doctest.h>
#include <vector>

#include "host/base/progress.hpp"

using namespace zz::host;

TEST_CASE("progress: tasks from the outside in, and no estimate from nothing") {
  CHECK(progress_text({}, {}, 10).empty());
  CHECK(progress_text(std::vector<ProgressTask>{{"layers", 0, 21}}, {}, 10) == "layers 0 of 21");
  CHECK(progress_text(std::vector<ProgressTask>{{"states", 7, 0}}, {}, 10) == "states 7");
  CHECK(progress_text(std::vector<ProgressTask>{{"layers", 10, 20}}, {}, 0.1) == "layers 10 of 20");
}

TEST_CASE("progress: the time left counts what is done within the step, too") {
  CHECK(progress_text(std::vector<ProgressTask>{{"layers", 15, 20}}, {{"mappings evaluated", 300}}, 30) ==
        "layers 15 of 20 | 10 mappings evaluated/s | 75 %, about 10 s left");
  const std::vector<ProgressTask> inside{{"layers", 0, 2}, {"loop orders", 180, 720}};
  CHECK(fraction_done(inside) == doctest::Approx(0.125));
  CHECK(progress_text(inside, {}, 600) ==
        "layers 0 of 2 > loop orders 180 of 720 | 12 %, about 70 min left");
  // Two layers at the same time, each half done.
  CHECK(fraction_done(std::vector<ProgressTask>{{"layers", 1, 4}, {"loop orders", 360, 720, 2}}) ==
        doctest::Approx(0.5));
  CHECK(fraction_done(std::vector<ProgressTask>{{"layers", 4, 4}, {"loop orders", 5, 5, 3}}) == 1);
}

TEST_CASE("progress: a rate is of what is evaluated, whatever else is counted") {
  const std::vector<ProgressTask> layers{{"layers", 0, 21}};
  const Counters fitted{{"unrollings fitted to their layer", 21}};
  CHECK(progress_text(layers, fitted, 10) == "layers 0 of 21");
  Counters both = fitted;
  both.emplace_back("schedules evaluated", 300);
  CHECK(progress_text(layers, both, 10) == "layers 0 of 21 | 30 schedules evaluated/s");
}

TEST_CASE("progress: no line says that work is done which goes on") {
  CHECK(progress_text(std::vector<ProgressTask>{{"tenths of a second of proof", 600, 600}}, {}, 70) ==
        "tenths of a second of proof 600 of 600");
  CHECK(progress_text(std::vector<ProgressTask>{{"layers", 999, 1000}}, {}, 999) ==
        "layers 999 of 1000 | 99 %, about 1 s left");
}

TEST_CASE("progress: a count does not pass its end, whatever is reported") {
  Progress progress;
  const int stage = 0, other = 1;
  progress.begin(&stage, "schedules", 100);
  progress.advance(&stage, 64);
  progress.advance(&stage, 64);
  CHECK(progress.text() == "schedules 100 of 100");
  CHECK(progress.fraction() == 1);
  // A second opening of the stage has its own share.
  progress.begin(&stage, "schedules", 100);
  CHECK(progress.text() == "schedules 100 of 200");
  progress.advance(&stage, 1000);
  CHECK(progress.text() == "schedules 200 of 200");
  progress.end(&stage);
  CHECK(progress.text() == "schedules 100 of 100");
  progress.end(&stage);
  CHECK(progress.text().empty());
  // What has no end counts on.
  progress.begin(&other, "states", 0);
  progress.advance(&other, 5);
  progress.advance(&other, ~std::uint64_t{0});
  CHECK(progress.text() == "states 18446744073709551615");
}
