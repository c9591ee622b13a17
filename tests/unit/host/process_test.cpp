#include "host/boundary/process.hpp"

#include <chrono>
#include <doctest/doctest.h>
#include <string>
#include <string_view>
#include <vector>

#include "core/value/read.hpp"
#include "host/base/cancellation.hpp"
#include "host/values/handles.hpp"

using namespace zz;
using host::Handle;

namespace {

struct Answer {
  Handle value;
  zz_error error;

  std::string text(std::string_view key) const {
    std::string_view text;
    core::read_text(core::part(value.value().ref(), core::intern(key)), text);
    return std::string(text);
  }
  std::int64_t status() const {
    std::int64_t status = -1;
    core::read_i64(core::part(value.value().ref(), core::intern("status")), status);
    return status;
  }
};

Answer run(std::vector<std::string_view> words, std::string_view input = "", std::string_view folder = "",
           double seconds = 0) {
  std::vector<zz_str> argv;
  for (const std::string_view word : words) argv.push_back({word.data(), word.size()});
  Answer answer;
  answer.value = Handle::take(host::process_table.run(
      nullptr, argv.data(), static_cast<std::uint32_t>(argv.size()), {input.data(), input.size()},
      {folder.data(), folder.size()}, seconds, &answer.error));
  return answer;
}

}  // namespace

TEST_CASE("a program gets its input and answers with output, errors and status") {
  const std::string much(std::size_t{1} << 20, 'x');
  const Answer copied = run({"cat"}, much);
  CHECK(copied.status() == 0);
  CHECK(copied.text("output") == much);
  const Answer failed = run({"ls", "/no/such/file"});
  CHECK(failed.status() == 2);
  CHECK(failed.text("errors").find("/no/such/file") != std::string::npos);
  CHECK(run({"true"}, much).status() == 0);
}

TEST_CASE("no shell reads the arguments, and the folder is the one given") {
  CHECK(run({"echo", "$HOME; *", "a b"}).text("output") == "$HOME; * a b\n");
  CHECK(run({"pwd"}, "", "/usr").text("output") == "/usr\n");
}

TEST_CASE("a signal that ends a program is told like a shell does") {
  CHECK(run({"sh", "-c", "kill -TERM $$"}).status() == 128 + 15);
}

TEST_CASE("programs that cannot be started or take too long are failures with a reason") {
  const Answer none = run({"no-such-program"});
  CHECK(none.error.code == ZZ_E_INVALID);
  CHECK(none.error.message.ends_with(
      "the program 'no-such-program' cannot be started: No such file or directory"));
  const Answer slow = run({"sh", "-c", "sleep 30 & wait"}, "", "", 0.1);
  CHECK(slow.error.code == ZZ_E_NO_RESULT);
  CHECK(slow.error.message.ends_with("it took longer than 0.1 s"));
  CHECK(run({}).error.code == ZZ_E_INVALID);
}

TEST_CASE("a program ends with the run") {
  host::request_cancel();
  const Answer ended = run({"sleep", "30"});
  host::reset_cancel();
  CHECK(ended.error.code == ZZ_E_CANCELLED);
}
