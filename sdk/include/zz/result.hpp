// zz/result.hpp - results: one Result, a generator of them, and the chain below as a range.
#pragma once

#include <coroutine>
#include <iterator>
#include <memory>
#include <utility>
#include <vector>

#include "zz/error.hpp"
#include "zz/make.hpp"

#pragma GCC visibility push(hidden)
namespace zz {

// Not an aggregate on purpose: g++ 12 destroys the members of an aggregate twice when it is built inside
// a co_yield expression.
struct Result {
  Result() = default;
  Result(Value evaluation, Value extra = {}) : evaluation(std::move(evaluation)), extra(std::move(extra)) {}

  Value evaluation;  // may be null
  Value extra;       // free form; reducers and iterators nest it
};

// A result of a stage that varies something, with what it varied: zz::point({{"size", size}}, result).
// Tables show "with size = 4096" and the layers and total within; the extra becomes {settings: {size:
// 4096}, extra}.
inline Result point(std::initializer_list<Entry> settings, const Result& result) {
  return Result(result.evaluation, make({{"settings", Literal(settings)}, {"extra", result.extra}}));
}

// The return type of a stage's `run`: a coroutine that yields results. It starts with the first pull and
// may be destroyed at any suspension. Take arguments by value, because references dangle after the first
// suspension. Hold no lock and no thread-local across a co_yield, because the next pull may come from
// another thread.
class Results {
 public:
  struct promise_type {
    Result* current = nullptr;
    Results get_return_object() {
      return Results(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    // The yielded object lives in the coroutine until it is resumed.
    std::suspend_always yield_value(Result&& result) noexcept {
      current = &result;
      return {};
    }
    auto yield_value(const Result& result) noexcept {
      struct Copy {
        Result copy;
        promise_type* promise;
        bool await_ready() noexcept { return false; }
        void await_suspend(std::coroutine_handle<>) noexcept { promise->current = &copy; }
        void await_resume() noexcept {}
        Copy(const Result& result, promise_type* promise) : copy(result), promise(promise) {}
      };
      return Copy(result, this);
    }
    void return_void() noexcept {}
    void unhandled_exception() { throw; }
    void await_transform() = delete;
  };

  Results() = default;
  Results(Results&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
  Results& operator=(Results&& other) noexcept {
    std::swap(coroutine_, other.coroutine_);
    return *this;
  }
  ~Results() {
    if (coroutine_) coroutine_.destroy();
  }

  // False at the end. Throws what the coroutine throws.
  bool next(Result& out) {
    if (!coroutine_ || coroutine_.done()) return false;
    coroutine_.resume();
    if (coroutine_.done()) return false;
    out = std::move(*coroutine_.promise().current);
    return true;
  }

 private:
  explicit Results(std::coroutine_handle<promise_type> coroutine) : coroutine_(coroutine) {}
  std::coroutine_handle<promise_type> coroutine_ = nullptr;
};

// One iteration of the chain below; made by Stage::substage. A range that can be walked once:
//   for (Result& r : substage(ctx)) co_yield std::move(r);
// It pulls `batch` results at a time. 1 runs in lockstep, so that logs and files come in the order of the
// results. Throws Below.
class Substage {
 public:
  Substage(zz_place* at, const Value& ctx, uint32_t batch) : buffer_(batch ? batch : 1) {
    zz_stream stream{};
    const zz_status code = runtime_open(at, ctx, stream);
    if (code != ZZ_OK) detail::throw_last_failure<Below>(code, "the chain below did not start");
    stream_ = stream;
    open_ = true;
  }
  Substage(Substage&& other) noexcept
      : stream_(other.stream_),
        open_(std::exchange(other.open_, false)),
        buffer_(std::move(other.buffer_)),
        i_(std::exchange(other.i_, 0)),
        n_(std::exchange(other.n_, 0)),
        current_(std::move(other.current_)) {}
  Substage& operator=(Substage&&) = delete;
  ~Substage() {
    for (; i_ < n_; ++i_) take(buffer_[i_]);
    if (open_) stream_.close(&stream_);
  }

  // False at the end.
  bool next(Result& out) {
    if (i_ == n_ && !fill()) return false;
    out = take(buffer_[i_++]);
    return true;
  }

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Result;
    using difference_type = std::ptrdiff_t;
    using pointer = Result*;
    using reference = Result&;

    explicit Iterator(Substage* substage) : substage_(substage) { ++*this; }
    Result& operator*() const { return substage_->current_; }
    Result* operator->() const { return &substage_->current_; }
    Iterator& operator++() {
      if (!substage_->next(substage_->current_)) substage_ = nullptr;
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& it, std::default_sentinel_t) { return !it.substage_; }

   private:
    Substage* substage_;
  };
  Iterator begin() { return Iterator(this); }
  std::default_sentinel_t end() { return {}; }

 private:
  static zz_status runtime_open(zz_place* at, const Value& ctx, zz_stream& stream) {
    return detail::runtime.host->open(at, ctx.handle(), &stream, detail::sink());
  }
  static Result take(zz_result& raw) { return {Value::take(raw.evaluation), Value::take(raw.extra)}; }
  bool fill() {
    i_ = n_ = 0;
    uint32_t n = 0;
    const zz_status code =
        stream_.pull(&stream_, buffer_.data(), static_cast<uint32_t>(buffer_.size()), &n, detail::sink());
    if (code != ZZ_OK) detail::throw_last_failure<Below>(code, "the chain below failed");
    n_ = n;
    return n > 0;
  }

  zz_stream stream_{};
  bool open_ = false;
  std::vector<zz_result> buffer_;
  uint32_t i_ = 0, n_ = 0;
  Result current_;
};

}  // namespace zz
#pragma GCC visibility pop
