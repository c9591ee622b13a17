// Stages that read a file of lines as "l1 12": one lets through whatever the library says of it, one leaves
// out the file, one says what is wrong.
#include <cstdlib>
#include <fstream>
#include <string>

#include "zz/stage.hpp"

namespace {

constexpr zz::Description describe(const char* id, const char* name) {
  return {.id = id, .name = name, .summary = "adds prices", .flags = ZZ_STAGE_LEAF};
}

zz::Result with_energy(int64_t total) {
  return zz::make("evaluation", {{"energy_total", static_cast<double>(total)}, {"latency_total2", 1.0}});
}

struct Reader : zz::Stage {
  std::string prices;
  static constexpr auto params =
      zz::params(zz::param<&Reader::prices>("prices", "names and prices").required().input_path());
};

struct CarelessReader : Reader {
  static constexpr auto description = describe("test.readers.CarelessReader", "CarelessReader");
  zz::Result run(zz::Value) {
    int64_t total = 0;
    std::string name, price;
    for (std::ifstream in(prices); in >> name >> price;) total += std::stoll(price);
    return with_energy(total > 0 ? total : 0);
  }
};

struct SilentReader : Reader {
  static constexpr auto description = describe("test.readers.SilentReader", "SilentReader");
  zz::Result run(zz::Value) {
    std::ifstream in(prices);
    if (in.peek() == std::ifstream::traits_type::eof())
      throw zz::Error(ZZ_E_INVALID, "there are no prices");
    return with_energy(1);
  }
};

struct CarefulReader : Reader {
  static constexpr auto description = describe("test.readers.CarefulReader", "CarefulReader");
  zz::Result run(zz::Value) {
    int64_t total = 0;
    int line = 0;
    std::string name, price;
    for (std::ifstream in(prices); in >> name >> price; ++line) {
      char* end = nullptr;
      const long long number = std::strtoll(price.c_str(), &end, 10);
      if (*end != 0 || number < 0 || number > 1000)
        throw zz::Error(ZZ_E_INVALID,
                        prices + ":" + std::to_string(line + 1) + ": expected a price from 0 to 1000");
      total += number;
    }
    return with_energy(total);
  }
};

}  // namespace

ZZ_PLUGIN("test.readers", CarelessReader, SilentReader, CarefulReader)
