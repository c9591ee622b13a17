#include <doctest/doctest.h>

#include "core/base/text.hpp"
#include "core/output/archive/archive.hpp"
#include "core/value/edit.hpp"
#include "tests/memory_file.hpp"
#include "tests/unit/output/archive/archive_fixture.hpp"
#include "tests/unit/worlds/evaluations.hpp"

namespace zz::core {
namespace {

/// A small archive as bytes.
std::string small_archive(const test::TemporaryArchive& file) {
  const Value evaluation = Value::object(test::evaluation());
  test::write_archive(file.path(), {{evaluation, Value::list({Value::integer(1)})}, {evaluation, Value()}});
  return file.bytes();
}

TEST_CASE("an archive that was cut off anywhere is refused") {
  const test::TemporaryArchive file("cut.zz");
  const std::string whole = small_archive(file);
  CHECK(test::problem_of(file.path()).empty());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string problem = test::problem_of(test::MemoryFile(whole.substr(0, size)).path());
    CHECK_MESSAGE(problem.find(size == 0 ? "is empty" : "was cut off") != problem.npos,
                  size << ": " << problem);
  }
}

TEST_CASE("a changed byte anywhere is refused or read, never more") {
  const test::TemporaryArchive file("flipped.zz");
  const std::string whole = small_archive(file);
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const unsigned change : {0x01U, 0x80U, 0xFFU}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ change);
      test::problem_of(test::MemoryFile(changed).path());
    }
  }
}

TEST_CASE("an archive of a newer version says so") {
  const std::string problem = test::problem_of(ZZ_SOURCE_DIR "/tests/archives/newer_version.zz");
  CHECK_MESSAGE(problem.find("of version 2") != problem.npos, problem);
  CHECK_MESSAGE(problem.find("newer zz") != problem.npos, problem);
}

TEST_CASE("what is no archive says what it is") {
  const test::TemporaryArchive file("other.zz");
  const auto problem = [&](const std::string& bytes) {
    file.write(bytes);
    return test::problem_of(file.path());
  };
  CHECK(problem("{\"outputs\": {}}").find("not an archive") != std::string::npos);
  CHECK(problem("\x89ZZA\n\x1a\n ").find("as if it were text") != std::string::npos);
  CHECK(problem(small_archive(file) + "x").find("follows its end") != std::string::npos);
  CHECK(test::problem_of("/nowhere/at/all.zz").find("there is no such file") != std::string::npos);
  CHECK(test::problem_of("/").find("folder") != std::string::npos);
  CHECK_FALSE(is_archive("/nowhere/at/all.zz"));
}

TEST_CASE("an archive that is not finished leaves nothing") {
  const test::TemporaryArchive file("unfinished.zz");
  {
    ArchiveWriter writer(file.path());
    writer.add(Value::object(test::evaluation()), Value());
  }
  CHECK_FALSE(std::filesystem::exists(file.path()));
}

TEST_CASE("texts that are UTF-8") {
  for (const char* good : {"", "a", "\xc3\xbc", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xf4\x8f\xbf\xbf"})
    CHECK(is_utf8(good));
  for (const char* bad :
       {"\x80", "\xc3", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff", "\xe2\x82"})
    CHECK_FALSE(is_utf8(bad));
}

}  // namespace
}  // namespace zz::core
