#include "core/exploration/point_key.hpp"

#include <doctest/doctest.h>
#include <string>

namespace zz::core {
namespace {

nlohmann::json stage(const std::string& settings, const std::string& objects = R"(["accelerator"])") {
  return nlohmann::json::parse(R"([{"stage": "made.up", "plugin": "p 1", "settings": )" + settings +
                               R"(, "chains": {}, "reads": {}, "objects": )" + objects + "}]");
}

std::string text(const std::string& settings) { return ChainContent(stage(settings)).text(); }

TEST_CASE("exploration: the text of a chain has what figures follow from") {
  CHECK(text(R"({"limit": 3})") != text(R"({"limit": 4})"));
  CHECK(text(R"({"limit": 3, "dump_folder": "a"})") == text(R"({"limit": 3})"));
  CHECK(text(R"({"objective": "EDP"})") == text(R"({"objective": "edp"})"));
  CHECK(text(R"({"objective": "energy"})") != text(R"({"objective": "edp"})"));
  CHECK(text(R"({"mapping": {"file": "a.yaml", "sha256": "1"}})") ==
        text(R"({"mapping": {"file": "b/a.yaml", "sha256": "1"}})"));
  CHECK(text(R"({"mapping": [{"file": "a.yaml", "sha256": "1"}]})") !=
        text(R"({"mapping": [{"file": "a.yaml", "sha256": "2"}]})"));
}

TEST_CASE("exploration: the key of a point counts the objects that its chain reads") {
  const ChainContent chain(stage("{}"));
  CHECK(chain.reads("accelerator"));
  CHECK_FALSE(chain.reads("other"));
  const ContentKey key = point_key(chain, {{"accelerator", "a"}, {"other", "x"}});
  CHECK(key == point_key(chain, {{"accelerator", "a"}, {"other", "y"}}));
  CHECK(key != point_key(chain, {{"accelerator", "b"}, {"other", "x"}}));
  CHECK(key != point_key(chain, {{"accelerator", "a"}, {"other", "x"}}, "another manner"));
  // A stage of a third party does not say what it reads.
  const ChainContent unknown(stage("{}", "null"));
  CHECK(unknown.reads("other"));
  CHECK(point_key(unknown, {{"other", "x"}}) != point_key(unknown, {{"other", "y"}}));
}

}  // namespace
}  // namespace zz::core
