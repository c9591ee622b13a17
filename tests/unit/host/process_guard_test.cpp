#include "host/base/process_guard.hpp"

#include <cerrno>
#include <doctest/doctest.h>
#include <unistd.h>

#include "host/base/last_words.hpp"

TEST_CASE("the program around the library changes its folder, a plugin at work does not") {
  zz::host::guard_process();
  CHECK(::chdir(".") == 0);
  const zz::host::Breadcrumb at_work("stage 1 of a test");
  CHECK(::chdir(".") == -1);
  CHECK(errno == EPERM);
}
