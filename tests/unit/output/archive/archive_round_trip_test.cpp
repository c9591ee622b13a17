#include <cmath>
#include <doctest/doctest.h>
#include <limits>
#include <random>
#include <set>
#include <string>

#include "core/multicore/schedule/schedule.hpp"
#include "core/schema/types.hpp"
#include "core/value/edit.hpp"
#include "core/value/read.hpp"
#include "tests/unit/output/archive/archive_fixture.hpp"
#include "tests/unit/worlds/evaluations.hpp"
#include "tests/unit/worlds/schedules.hpp"

namespace zz::core {
namespace {

Value shown_back(const test::TemporaryArchive& file, const Value& value) {
  test::write_archive(file.path(), {{value, Value()}});
  const test::Results back = test::read_archive(file.path());
  REQUIRE(back.size() == 1);
  return back.front().first;
}

std::shared_ptr<const Evaluation> whole_evaluation() {
  Evaluation evaluation = *test::evaluation();
  SpatialMapping spatial;
  spatial.operands = {{"O", {{{"K", 3.5}}, {}}}, {"W", {{}, {{"C", 2}}}}};
  evaluation.spatial_mapping = std::make_shared<SpatialMapping>(spatial);
  evaluation.spatial_mapping_int = evaluation.spatial_mapping;
  TemporalMapping temporal;
  temporal.loops = {{"K", 2}, {"B", 2}};
  temporal.operands = {{"O", {1, 2}, {1, 2}}, {"W", {0, 2}, {1, 2}}};
  temporal.type = MappingType::even;
  evaluation.temporal_mapping = std::make_shared<TemporalMapping>(temporal);
  Layer layer = *evaluation.layer;
  layer.relations = {{"IX", 2, "B", 1, "K", 9, 1, 1, true}};
  layer.mapping.spatial_mapping.dimensions = {{"D1", {{"K", 3}}}, {"D2", {}}};
  layer.mapping.spatial_hints = {{"D1", {"K", "C"}}};
  layer.mapping.temporal_ordering = {{"K", 2, false}, {"*", std::nullopt, false}};
  evaluation.layer = std::make_shared<Layer>(layer);
  evaluation.layer_ids = {1, 2};
  evaluation.metrics.emplace_back("with \"odd\" name", -0.0);
  return std::make_shared<Evaluation>(evaluation);
}

TEST_CASE("an archive keeps scalars, lists and maps exactly") {
  const test::TemporaryArchive file("scalars.zz");
  const double tiny = std::numeric_limits<double>::denorm_min();
  const Value tree =
      Value::map({{"null", Value()},
                  {"true", Value::boolean(true)},
                  {"least", Value::integer(std::numeric_limits<std::int64_t>::min())},
                  {"most", Value::integer(std::numeric_limits<std::int64_t>::max())},
                  {"tiny", Value::number(tiny)},
                  {"text", Value::text("gr\xc3\xbc\xc3\x9f")},
                  {"bytes", Value::text(std::string("\xff\x00\x80", 3))},
                  {"", Value::text("")},
                  {"a.path", Value::list({})},
                  {"integers", Value::list({Value::integer(-1), Value::integer(1)})},
                  {"numbers", Value::list({Value::number(1), Value::number(0.1)})},
                  {"mixed", Value::list({Value::integer(1), Value::number(1), Value(), Value::list({})})},
                  {"map", Value::map({})}});
  const Value back = shown_back(file, tree);
  CHECK(to_json(back.ref()) == to_json(tree.ref()));
  double number = 0;
  CHECK(read_f64(part(back.ref(), intern("tiny")), number));
  CHECK(number == tiny);
  std::string_view text;
  CHECK(read_text(part(back.ref(), intern("bytes")), text));
  CHECK(text == std::string_view("\xff\x00\x80", 3));
  CHECK(kind_of(part(part(back.ref(), intern("mixed")), intern("1"))) == Kind::f64);
}

TEST_CASE("an archive keeps what JSON cannot say: infinities and what is no number") {
  const test::TemporaryArchive file("infinite.zz");
  const Value back = shown_back(file, Value::list({Value::number(INFINITY), Value::number(std::nan(""))}));
  double number = 0;
  read_f64(part_at(back.ref(), 0), number);
  CHECK(std::isinf(number));
  read_f64(part_at(back.ref(), 1), number);
  CHECK(std::isnan(number));
}

TEST_CASE("an archive keeps objects of every type that can be made") {
  const test::TemporaryArchive file("types.zz");
  std::set<std::string_view> covered;
  for (const Type* type : object_types()) {
    if (type->create == nullptr) continue;
    std::shared_ptr<void> object = type->create();
    const Ref ref{word_of(object.get()), type};
    const Value made(std::move(object), ref);
    Value back;
    try {
      back = shown_back(file, made);
    } catch (const std::exception&) {
      continue;  // nothing valid without parts: among the samples
    }
    CHECK_MESSAGE(type_name_of(back.ref()) == type->name, type->name);
    CHECK_MESSAGE(to_json(back.ref()) == to_json(made.ref()), type->name);
    covered.insert(type->name);
  }
  const Value evaluation = Value::object(whole_evaluation());
  const Value back = shown_back(file, evaluation);
  CHECK(to_json(back.ref()) == to_json(evaluation.ref()));
  const Value network =
      Value::object(std::make_shared<const Evaluation>(schedule_evaluation(test::small_schedule())));
  const Value network_back = shown_back(file, network);
  CHECK(to_json(network_back.ref()) == to_json(network.ref()));
  covered.insert("multi_core_accelerator");
  covered.insert("evaluation");
  covered.insert("accelerator");
  covered.insert("layer");
  for (const Type* type : object_types()) CHECK_MESSAGE(covered.count(type->name) == 1, type->name);
}

TEST_CASE("objects that a result refers to several times are stored once and shared again") {
  const test::TemporaryArchive file("shared.zz");
  const Value first = Value::object(whole_evaluation());
  const Value edit = Value::number(77);
  const std::vector<Edit> edits{{intern("mac_energy"), edit}};
  const Value second = with(first, edits);
  const Value pairs = Value::list({Value::list({first, Value()}), Value::list({second, Value()})});
  test::write_archive(file.path(), {{first, pairs}});
  const test::Results back = test::read_archive(file.path());
  REQUIRE(back.size() == 1);
  const auto item = [](const Value& list, std::uint32_t index) {
    return held_part(list, part_at(list.ref(), index));
  };
  const auto a = back[0].first.as<Evaluation>();
  const auto b = item(item(back[0].second, 1), 0).as<Evaluation>();
  REQUIRE(a);
  REQUIRE(b);
  CHECK(item(item(back[0].second, 0), 0).as<Evaluation>() == a);
  CHECK(a->accelerator == b->accelerator);
  CHECK(a->layer == b->layer);
  CHECK(a->spatial_mapping == a->spatial_mapping_int);
  CHECK(a->mac_energy == 1);
  CHECK(b->mac_energy == 77);
}

TEST_CASE("what was read and is written again gives the same bytes") {
  const test::TemporaryArchive file("again.zz"), again("again2.zz");
  const Value evaluation = Value::object(whole_evaluation());
  const Value layer = Value::object(evaluation.as<Evaluation>()->layer);
  const Value extra = Value::list({layer, Value::map({{"D1", Value::map({{"K", Value::integer(4)}})}})});
  test::write_archive(file.path(), {{evaluation, extra}, {Value(), Value()}, {evaluation, extra}});
  test::write_archive(again.path(), test::read_archive(file.path()));
  CHECK(file.bytes() == again.bytes());
}

TEST_CASE("as plain trees, objects are maps of what they were made of") {
  const test::TemporaryArchive file("plain.zz");
  test::write_archive(file.path(), {{Value::object(whole_evaluation()), Value()}});
  const Value plain = test::read_archive(file.path(), ArchiveReader::As::plain).front().first;
  CHECK(kind_of(plain.ref()) == Kind::map);
  double number = 0;
  CHECK(read_f64(part(plain.ref(), intern("accelerator.memories[l1].size")), number) == false);
  CHECK(read_f64(part(plain.ref(), intern("accelerator.memories[0].size")), number));
  CHECK(number == 1024);
  CHECK(kind_of(part(plain.ref(), intern("edp"))) == Kind::none);
}

TEST_CASE("values that are nested without end are refused by name") {
  const test::TemporaryArchive file("deep.zz");
  Value deep;
  for (int i = 0; i < 60; ++i) deep = Value::map({{"in", deep}});
  CHECK_THROWS_WITH_AS(test::write_archive(file.path(), {{deep, Value()}}), doctest::Contains("in.in.in"),
                       ValueError);
  CHECK_FALSE(std::filesystem::exists(file.path()));
}

/// Bytes that no compression makes fewer.
std::string random_bytes(std::size_t count) {
  std::mt19937 random(7);
  std::string bytes(count, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

TEST_CASE("an archive of any size is read to its end, and no further") {
  const test::TemporaryArchive file("sizes.zz");
  const std::string bytes = random_bytes(70000);
  const auto is_read = [&](std::size_t size) {
    test::write_archive(file.path(), {{Value::text(bytes.substr(0, size)), Value()}});
    CHECK_MESSAGE(test::problem_of(file.path()).empty(), size);
    const std::string whole = file.bytes();
    file.write(whole + "x");
    CHECK_MESSAGE(!test::problem_of(file.path()).empty(), size);
    file.write(whole.substr(0, whole.size() - 1));
    CHECK_MESSAGE(!test::problem_of(file.path()).empty(), size);
  };
  // Files are read in blocks of 8 KiB, and unpacked in blocks of 64 KiB; either may end before the last
  // bytes of the archive, which hold nothing but its checksum.
  for (std::size_t size = 8192 - 160; size < 8192; ++size) is_read(size);
  for (std::size_t size = 65536 - 80; size < 65536; ++size) is_read(size);
}

}  // namespace
}  // namespace zz::core
