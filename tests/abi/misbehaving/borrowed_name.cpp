// A stage with the name of a built-in one.
#include <stdexcept>

#include "zz/stage.hpp"

namespace {

struct BorrowedSumStage : zz::Stage {
  static constexpr zz::Description description{.id = "test.borrowed_name.SumStage",
                                               .name = "SumStage",
                                               .summary = "fails, to be told apart from the built-in one",
                                               .flags = ZZ_STAGE_DETERMINISTIC};
  zz::Results run(zz::Value) {
    throw std::runtime_error("this is the borrowed one");
    co_return;
  }
};

}  // namespace

ZZ_PLUGIN("test.borrowed_name", BorrowedSumStage)
