#include "core/base/new_file.hpp"

#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <vector>

#include "tests/unit/worlds/texts.hpp"

using namespace zz::core;
namespace fs = std::filesystem;

namespace {

/// A new folder with a file in it that is not a folder.
struct Folder {
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "zz-new-file-XXXXXX").string();
    path = ::mkdtemp(pattern.data());
    NewFile::write_whole(path / "file", "old");
  }
  ~Folder() { fs::remove_all(path); }
  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::recursive_directory_iterator(path), fs::recursive_directory_iterator()));
  }
  fs::path path;
};

}  // namespace

TEST_CASE("a new file appears whole at its end, with its folders, in place of an old one") {
  const Folder folder;
  {
    NewFile file(folder.path / "file");
    file.write("ne");
    CHECK(zz::test::text_of(folder.path / "file") == "old");
    file.write("w");
    file.commit();
  }
  CHECK(zz::test::text_of(folder.path / "file") == "new");
  CHECK(folder.files() == 1);
  NewFile::write_whole(folder.path / "a/b/file", "");
  CHECK(zz::test::text_of(folder.path / "a/b/file").empty());
  CHECK(folder.files() == 4);
}

TEST_CASE("a new file of many pieces has them one after the other") {
  const Folder folder;
  std::string whole;
  NewFile file(folder.path / "pieces");
  for (std::size_t i = 0; i < 500; ++i) {
    const std::string piece(i % 7 == 0 ? 0 : i * i % 3001, static_cast<char>('a' + i % 26));
    file.write(piece);
    whole += piece;
  }
  file.commit();
  CHECK(zz::test::text_of(folder.path / "pieces") == whole);
}

TEST_CASE("a new file that is given up leaves nothing") {
  const Folder folder;
  { NewFile(folder.path / "given up").write("half"); }
  CHECK(folder.files() == 1);
}

TEST_CASE("what a new file would fail with at its end is said before, and nothing is written") {
  const Folder folder;
  check_new_file(folder.path / "a/b/file");
  CHECK(fs::is_directory(folder.path / "a/b"));
  check_new_file(folder.path / "file");
  CHECK(folder.files() == 3);
  CHECK(zz::test::text_of(folder.path / "file") == "old");
  const std::string in_the_way = folder.path / "file", a_folder = folder.path / "a";
  CHECK_THROWS_WITH(check_new_file(in_the_way + "/below"),
                    doctest::Contains(("cannot create the folder '" + in_the_way + "'").c_str()));
  CHECK_THROWS_WITH(check_new_file(a_folder), doctest::Contains(("cannot write '" + a_folder).c_str()));
}

TEST_CASE("what a killed process left is replaced, and never stands in the way") {
  const Folder folder;
  for (const char* left : {"x.part", "x.part-2"}) std::ofstream(folder.path / left) << "half";
  NewFile::write_whole(folder.path / "x", "new");
  CHECK(zz::test::text_of(folder.path / "x") == "new");
  CHECK_FALSE(fs::exists(folder.path / "x.part"));
  // A thing that is no file of ours stays, and is passed by.
  fs::create_directory(folder.path / "y.part");
  fs::create_symlink(folder.path / "file", folder.path / "y.part-2");
  REQUIRE(::mkfifo((folder.path / "y.part-3").c_str(), 0600) == 0);
  NewFile::write_whole(folder.path / "y", "new");
  CHECK(zz::test::text_of(folder.path / "y") == "new");
  CHECK(zz::test::text_of(folder.path / "file") == "old");
}

TEST_CASE("two writers of one file do not meet, and the last one stays") {
  const Folder folder;
  NewFile first(folder.path / "x"), second(folder.path / "x");
  first.write("first");
  second.write("second");
  second.commit();
  CHECK(zz::test::text_of(folder.path / "x") == "second");
  first.commit();
  CHECK(zz::test::text_of(folder.path / "x") == "first");
  CHECK(folder.files() == 2);
}

TEST_CASE("a name as long as file systems allow can be written, a longer one is refused before") {
  const Folder folder;
  const std::string longest(255, 'x'), accents = [] {
    std::string text = "x";
    while (text.size() < 255) text += "\xC3\xA9";
    return text;
  }();
  for (const std::string& name : {longest, accents}) {
    check_new_file(folder.path / name);
    NewFile::write_whole(folder.path / name, "new");
    CHECK(zz::test::text_of(folder.path / name) == "new");
  }
  CHECK(folder.files() == 3);
  CHECK_THROWS_WITH(check_new_file(folder.path / (longest + "x")), doctest::Contains("File name too long"));
}

TEST_CASE("a handler that ends the process can delete what is not finished") {
  const Folder folder;
  NewFile file(folder.path / "x");
  file.write("half");
  CHECK(folder.files() == 2);
  remove_unfinished_files();
  CHECK(folder.files() == 1);
  CHECK_THROWS_WITH(file.commit(), doctest::Contains("cannot write"));
  NewFile::write_whole(folder.path / "y", "");
  remove_unfinished_files();
  CHECK(fs::exists(folder.path / "y"));
}
