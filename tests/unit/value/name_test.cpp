#include "core/value/name.hpp"

#include <doctest/doctest.h>
#include <string>
#include <thread>
#include <vector>

using namespace zz::core;

namespace {
std::string steps(std::string_view path) {
  std::string joined;
  for (const Name step : steps_of(intern(path))) joined += std::string(text_of(step)) + "|";
  return joined;
}
}  // namespace

TEST_CASE("a text has one number, and a number its text") {
  const Name energy = intern("energy_total");
  CHECK(energy != 0);
  CHECK(intern(std::string("energy_") + "total") == energy);
  CHECK(intern("energy_totals") != energy);
  CHECK(text_of(energy) == "energy_total");
  CHECK(text_of(0) == "");
  CHECK(text_of(0x7fffffff) == "");
  CHECK(text_of(0xffffffff) == "");
}

TEST_CASE("paths are told from plain names by a bit and taken apart once") {
  CHECK((intern("energy_total") & path_bit) == 0);
  CHECK((intern("a.b") & path_bit) != 0);
  CHECK(steps("energy_total") == "energy_total|");
  CHECK(steps("accelerator.memories[l1].size") == "accelerator|memories|l1|size|");
  CHECK(steps("operands[0].levels[2]") == "operands|0|levels|2|");
  CHECK(steps("[3].x") == "3|x|");
  CHECK(steps("levels[1][2]") == "levels|1|2|");
  CHECK(steps("layers[/layer1/conv.0].name") == "layers|/layer1/conv.0|name|");
  CHECK(steps("a[") == "a[|");
  CHECK(steps(".") == ".|");
  CHECK(index_of_step(intern("12")) == 12);
  CHECK(index_of_step(intern("l1")) == -1);
  CHECK(index_of_step(intern("-1")) == -1);
  CHECK(index_of_step(intern("99999999999999999999")) == -1);
}

TEST_CASE("names are interned from several threads") {
  std::vector<std::vector<Name>> seen(4);
  std::vector<std::thread> threads;
  for (auto& mine : seen)
    threads.emplace_back([&mine] {
      for (int i = 0; i < 6000; ++i) mine.push_back(intern("thread.name[" + std::to_string(i) + "]"));
    });
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : seen) CHECK(mine == seen[0]);
  CHECK(text_of(seen[0][5999]) == "thread.name[5999]");
}
