#include "core/base/diagnostics.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

using namespace zz::core;

TEST_CASE("a problem is shown with its line and a caret below its column, counted in characters") {
  const auto path = std::filesystem::temp_directory_path() /
                    ("zz-diagnostics-test-" + std::to_string(::getpid()) + ".yaml");
  std::ofstream(path) << "a: 1\nname: größe, \t5\r\n";
  const auto shown = [&](int line, int column) {
    return to_string(Diagnostic{Severity::error, {path.string(), line, column}, "wrong", "mend it"});
  };
  const std::string place = path.string() + ":2:";
  CHECK(shown(2, 1) == place + "1: error: wrong; mend it\n  name: größe, \t5\n  ^");
  CHECK(shown(2, 12) == place + "12: error: wrong; mend it\n  name: größe, \t5\n             ^");
  CHECK(shown(2, 15) == place + "15: error: wrong; mend it\n  name: größe, \t5\n               \t^");
  CHECK(shown(2, 16) == place + "16: error: wrong; mend it\n  name: größe, \t5\n               \t ^");
  CHECK(shown(2, 99) == place + "99: error: wrong; mend it\n  name: größe, \t5");
  CHECK(shown(7, 1) == path.string() + ":7:1: error: wrong; mend it");
  std::filesystem::remove(path);
}

TEST_CASE("all errors are thrown together, and warnings are none") {
  Diagnostics diagnostics;
  diagnostics.warning({"f", 1, 1}, "odd");
  CHECK_NOTHROW(diagnostics.throw_if_errors());
  diagnostics.error({"f", 2, 1}, "wrong");
  diagnostics.error({"f", 0, 0}, "bad", "mend it");
  CHECK_THROWS_WITH_AS(diagnostics.throw_if_errors(), "f:2:1: error: wrong\nf: error: bad; mend it",
                       InputError);
}

TEST_CASE("of very many problems the first hundred of each severity are listed, and that there are more") {
  Diagnostics diagnostics;
  for (int i = 1; i <= 100'000; ++i) {
    diagnostics.error({"f", i, 1}, "wrong");
    diagnostics.warning({"f", i, 1}, "odd");
  }
  REQUIRE(diagnostics.all().size() == 202);
  CHECK(diagnostics.all()[198].mark.line == 100);
  CHECK(diagnostics.all()[198].message == "wrong");
  CHECK(diagnostics.all()[200].message == "there are more errors than the first 100, which are listed");
  CHECK(diagnostics.all()[201].message == "there are more warnings than the first 100, which are listed");
  CHECK(diagnostics.has_errors());
}

TEST_CASE("a message of any length is shown in part") {
  const Diagnostic problem{Severity::error, {}, std::string(1'000'000, 'x'), std::string(1'000'000, 'y')};
  CHECK(to_string(problem).size() < 21'000);
  CHECK(to_string(problem).find("... (1000000 bytes in all)") != std::string::npos);
  Diagnostics kept;
  kept.error({}, problem.message, problem.hint);
  CHECK(kept.all().front().message.size() < 11'000);
  CHECK(InputError(std::vector<Diagnostic>{problem}).diagnostics().front().hint.size() < 11'000);
}
