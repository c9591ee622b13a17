#include "core/output/file_names.hpp"

#include <doctest/doctest.h>
#include <string>

#include "core/base/text.hpp"

using namespace zz::core;

TEST_CASE("file names: a name of a layer never makes a folder") {
  CHECK(as_file_name("/a/b") == "_a_b");
  CHECK(as_file_name("a.b c") == "a.b c");
  // Nobody wants to list or type these.
  CHECK(as_file_name("a\x1b[31m\nb?") == "a_[31m_b?");
  CHECK(as_file_name("\u202e"
                     "a\u00e9") == "___a\u00e9");
}

TEST_CASE("file names: what fits stays, what does not is shortened and still tells names apart") {
  const std::string fits = "some/folder/" + std::string(240, 'x');
  CHECK(fitting_path(fits) == fits);
  const std::string ending = "_complete.json";
  const std::string one = fitting_path("folder/" + std::string(400, 'x') + "1" + ending);
  const std::string other = fitting_path("folder/" + std::string(400, 'x') + "2" + ending);
  CHECK(one != other);
  CHECK(one.size() == 240 + std::string("folder/").size());
  CHECK(one.starts_with("folder/xxx"));
  CHECK(one.ends_with("1_complete.json"));
  std::string accents;
  for (int i = 0; i < 300; ++i) accents += "\xC3\xA9";
  CHECK(is_utf8(fitting_path(accents)));
  CHECK(is_utf8(fitting_path("x" + accents)));
}
