// FaultStage {kind: ..., at: k}: hands on what comes from below; the k-th pull of the process, counted from
// 1 over all of its openings, fails, throws, is cancelled or is the end. FaultBarrierStage does the same
// and says nothing about itself, so that the stages above it can take none of their short cuts.
#include <atomic>
#include <stdexcept>
#include <string>

#include "zz/stage.hpp"

namespace {

std::atomic<int64_t> pulls{0};

struct FaultStage : zz::Stage {
  static constexpr zz::Description description{.id = "test.faults.FaultStage",
                                               .name = "FaultStage",
                                               .summary = "goes wrong at one of its pulls",
                                               .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_PARALLEL_OPEN};
  std::string kind = "fail";
  int64_t at = 1;
  static constexpr auto params =
      zz::params(zz::param<&FaultStage::kind>("kind", "what happens")
                     .allowed("fail|refuse|no result|throw|throw int|cancel|end"),
                 zz::param<&FaultStage::at>("at", "at which pull").allowed("[1, inf]"));

  zz::Results run(zz::Value ctx) {
    zz::Substage below = substage(ctx);
    for (zz::Result result;;) {
      if (++pulls == at) {
        log(zz::Level::warning, "on purpose");
        if (kind == "end") co_return;
        strike();
      }
      if (!below.next(result)) co_return;
      co_yield std::move(result);
    }
  }

 private:
  [[noreturn]] void strike() const {
    if (kind == "refuse") throw zz::Error(ZZ_E_INVALID, "refused on purpose");
    if (kind == "no result") throw zz::Error(ZZ_E_NO_RESULT, "without result on purpose");
    if (kind == "cancel") throw zz::Error(ZZ_E_CANCELLED, "cancelled on purpose");
    if (kind == "throw") throw std::runtime_error("thrown on purpose");
    if (kind == "throw int") throw 42;
    throw zz::Error(ZZ_E_INTERNAL, "failed on purpose");
  }
};

struct FaultBarrierStage : FaultStage {
  static constexpr zz::Description description{.id = "test.faults.FaultBarrierStage",
                                               .name = "FaultBarrierStage",
                                               .summary = "goes wrong at one of its pulls"};
};

}  // namespace

ZZ_PLUGIN("test.faults", FaultStage, FaultBarrierStage)
