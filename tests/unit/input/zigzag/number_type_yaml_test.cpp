#include "core/input/zigzag/number_type_yaml.hpp"

#include <doctest/doctest.h>

#include "core/base/diagnostics.hpp"

using namespace zz::core;

TEST_CASE("types of numbers: a number, a name or a map") {
  CHECK(number_type_of("8", "W") == NumberType(8));
  CHECK(number_type_of("bf16", "W") == NumberType(16));
  CHECK(number_type_of("mxfp4", "W") == NumberType(4, {8, 32, ""}));
  CHECK(number_type_of("mxfp6", "W") == NumberType(6, {8, 32, ""}));
  CHECK(number_type_of("mxfp8", "W") == number_type_of("mxint8", "W"));
  CHECK(number_type_of("nvfp4", "W") == NumberType(4, {8, 16, ""}));
  CHECK(number_type_of("int4_g128", "W") == NumberType(4, {16, 128, ""}));
  CHECK(number_type_of("int3_g64", "W") == NumberType(3, {16, 64, ""}));
  CHECK(number_type_of("{bits: 4, scale: {bits: 8, every: 32, along: C}}", "W") ==
        NumberType(4, {8, 32, "C"}));
  CHECK(number_type_of(R"({"bits": 5})", "W") == NumberType(5));
}

TEST_CASE("types of numbers: what is none says how one is written") {
  const auto wrong = [](const char* text) {
    try {
      number_type_of(text, "'W'");
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(wrong("4.25").find("{bits: 4, scale: {bits: 8, every: 32}}") != std::string::npos);
  CHECK(wrong("{bits: 4.25}").find("{bits: 4, scale: {bits: 8, every: 32}}") != std::string::npos);
  CHECK(wrong("4.5").find("{bits: 4, scale: {bits: 8, every: 16}}") != std::string::npos);
  CHECK(wrong("mxfp3").find("did you mean 'mxfp") != std::string::npos);
  CHECK(wrong("int40_g128").find("must be a whole number of bits, a type of numbers or a map") !=
        std::string::npos);
  CHECK(wrong("{bits: 4, scale: {bits: 8}}").find("every") != std::string::npos);
  CHECK(wrong("{bits: 4, scale: {bits: 8, every: 0}}").find("is 0") != std::string::npos);
  CHECK(wrong("[4, 8]").find("but found a list") != std::string::npos);
  CHECK(wrong("-1").find("is -1") != std::string::npos);
}

TEST_CASE("types of numbers: a chosen precision may be one") {
  CHECK(read_precision_choice("mxfp8").type == NumberType(8, {8, 32, ""}));
  CHECK(read_precision_choice("mxfp8").sum_bits() == 32);
  CHECK(read_precision_choice("8").sum_bits() == 16);
  CHECK(read_precision_choice("{bits: 4, scale: {bits: 16, every: 64}}").type ==
        NumberType(4, {16, 64, ""}));
  CHECK(read_precision_choice("file").kind == PrecisionChoice::Kind::network);
  CHECK_THROWS_AS(read_precision_choice("7.5"), InputError);
}
