#include "core/input/stream/detail/multi_core_file_search.hpp"

#include "tests/unit/worlds/texts.hpp"

using namespace zz::core;
using namespace zz::test;

TEST_CASE("core files are found beside the accelerator file and in folders for them near it") {
  const Folder folder;
  const std::string top = folder.path().string();
  const std::string file = folder.write("inputs/mine/hardware/quad.yaml", "");
  const auto find = [&](const std::string& name) { return find_core_file(name, file).path.string(); };
  CHECK(find("core.yaml").empty());
  const std::string far = folder.write("inputs/yours/hardware/cores/core.yaml", "");
  folder.write("inputs/yours/other/core.yaml", "");
  CHECK(find("core.yaml") == far);
  const std::string near = folder.write("inputs/mine/hardware/more/core.yaml", "");
  CHECK(find("core.yaml") == near);
  const std::string inside = folder.write("inputs/mine/hardware/cores/core.yaml", "");
  CHECK(find("core.yaml") == inside);
  const std::string beside = folder.write("inputs/mine/hardware/core.yaml", "");
  CHECK(find("core.yaml") == beside);

  CHECK(find("more/core.yaml") == near);
  CHECK(find("./more/core.yaml") == near);
  CHECK(find("../../yours/other/core.yaml") == top + "/inputs/mine/hardware/../../yours/other/core.yaml");
  CHECK(find(near) == near);
  CHECK(find("inputs/yours/other/core.yaml") == top + "/inputs/yours/other/core.yaml");
}

TEST_CASE("leading folders of a name that do not exist here are left out") {
  const Folder folder;
  const std::string file = folder.write("inputs/mine/quad.yaml", "");
  const std::string core = folder.write("inputs/yours/cores/core.yaml", "");
  const FoundFile found = find_core_file("stream/inputs/yours/cores/core.yaml", file);
  CHECK(found.path.string() == core);
  CHECK(found.shortened);
  CHECK(find_core_file("stream/core.yaml", file).path.empty());
}

TEST_CASE("of several core files the first in alphabetical order is taken and the others are named") {
  const Folder folder;
  const std::string file = folder.write("inputs/quad.yaml", "");
  const std::string b = folder.write("inputs/b/cores/core.yaml", "");
  const std::string a = folder.write("inputs/a/cores/core.yaml", "");
  const FoundFile found = find_core_file("core.yaml", file);
  CHECK(found.path.string() == a);
  CHECK(found.others == std::vector<std::filesystem::path>{b});
}
