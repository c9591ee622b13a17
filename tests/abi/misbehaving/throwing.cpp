// Stages that throw: through the SDK, which turns it into a failure, and past the boundary, which nobody
// can.
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "zz/stage.hpp"

namespace {

constexpr zz::Description describe(const char* id, const char* name) {
  return {.id = id, .name = name, .summary = "throws", .flags = ZZ_STAGE_LEAF};
}

struct ThrowingStage : zz::Stage {
  static constexpr auto description = describe("test.throwing.ThrowingStage", "ThrowingStage");
  zz::Results run(zz::Value) {
    throw std::out_of_range("the table has only 3 rows");
    co_return;
  }
};

struct ThrowingIntStage : zz::Stage {
  static constexpr auto description = describe("test.throwing.ThrowingIntStage", "ThrowingIntStage");
  zz::Result run(zz::Value) { throw 42; }
};

struct ThrowingInCreateStage : zz::Stage {
  static constexpr auto description =
      describe("test.throwing.ThrowingInCreateStage", "ThrowingInCreateStage");
  void prepare() { throw std::runtime_error("no table found"); }
  zz::Results run(zz::Value) { co_return; }
};

struct ThrowingConstructorStage : zz::Stage {
  static constexpr auto description =
      describe("test.throwing.ThrowingConstructorStage", "ThrowingConstructorStage");
  ThrowingConstructorStage() { throw std::runtime_error("no constructor today"); }
  int64_t number = 0;
  static constexpr auto params =
      zz::params(zz::param<&ThrowingConstructorStage::number>("number", "never read"));
  zz::Results run(zz::Value) { co_return; }
};

struct MissingKeyStage : zz::Stage {
  static constexpr auto description = describe("test.throwing.MissingKeyStage", "MissingKeyStage");
  zz::Result run(zz::Value ctx) {
    return zz::make("evaluation", {{"energy_total", ctx["colour.shade"].num()}, {"latency_total2", 1.0}});
  }
};

struct EscapingStage : zz::Stage {
  static constexpr auto description = describe("test.throwing.EscapingStage", "EscapingStage");
  zz::Results run(zz::Value) noexcept { return fail(); }
  static zz::Results fail() { throw std::runtime_error("nobody can catch this"); }
};

struct ThrowingThreadStage : zz::Stage {
  static constexpr auto description = describe("test.throwing.ThrowingThreadStage", "ThrowingThreadStage");
  zz::Result run(zz::Value) {
    std::thread([] { throw std::runtime_error("nobody waits for this"); }).join();
    return {};
  }
};

// What the loops of the host run, past the SDK. Two threads fail at once, if the second comes soon.
struct ThrowingLoopStage : zz::Stage {
  static constexpr auto description = describe("test.throwing.ThrowingLoopStage", "ThrowingLoopStage");
  zz::Result run(zz::Value) {
    const auto fail = [](void*, uint32_t) {
      static std::atomic<int> here{0};
      ++here;
      for (int i = 0; i < 1000 && here < 2; ++i)
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      throw std::runtime_error("turn of a loop");
    };
    zz::detail::runtime.parallel->for_each(64, fail, nullptr);
    return {};
  }
};

// Its port has a type that no value has.
struct MisspeltPortStage : zz::Stage {
  static constexpr zz::Description description{
      .id = "test.MisspeltPortStage", .name = "MisspeltPortStage", .summary = "wants what there is not"};
  static constexpr zz::Port consumes[] = {zz::object("accelerator", "accelerater", "what it maps on")};
  zz::Results run(zz::Value ctx) {
    for (zz::Result& result : substage(ctx)) co_yield std::move(result);
  }
};

}  // namespace

ZZ_PLUGIN("test.throwing", ThrowingStage, ThrowingIntStage, ThrowingInCreateStage, ThrowingConstructorStage,
          MissingKeyStage, EscapingStage, ThrowingThreadStage, ThrowingLoopStage, MisspeltPortStage)
