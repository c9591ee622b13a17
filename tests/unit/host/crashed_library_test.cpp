#include "host/plugins/crashed_library.hpp"

#include <chrono>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "host/base/process_guard.hpp"

TEST_CASE("a library that does not end to load is remembered until it changes") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("crashed_library_" + std::to_string(::getpid()));
  const std::string library = folder / "hangs.so";
  fs::create_directories(folder);
  std::ofstream(library) << "as it is now";
  const auto reason = [&] { return zz::host::LoadingMark(library).reason(); };
  const pid_t child = ::fork();
  if (child == 0) {
    ::setenv("XDG_CACHE_HOME", folder.c_str(), 1);
    const zz::host::LoadingMark mark(library, std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::hours(1));
    zz::host::end_process(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WEXITSTATUS(status) == 1);
  ::setenv("XDG_CACHE_HOME", folder.c_str(), 1);
  CHECK(reason().find("passed over until it changes") != std::string::npos);
  std::ofstream(library) << "as it is later, with more in it";
  CHECK(reason() == "");
  ::unsetenv("XDG_CACHE_HOME");
  fs::remove_all(folder);
}
