#include "host/boundary/value_tables.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <string>
#include <vector>

#include "host/values/context.hpp"
#include "host/values/handles.hpp"
#include "tests/unit/worlds/evaluations.hpp"

using namespace zz;
using host::Handle;

namespace {

const zz_values& values = host::values_table;

zz_name name(std::string_view text) { return values.name(text.data(), text.size()); }
zz_lit literal(const char* key, std::int32_t kind) {
  zz_lit made{};
  made.key = key;
  made.kind = kind;
  return made;
}
zz_lit number(const char* key, double value) {
  zz_lit made = literal(key, ZZ_F64);
  made.u.d = value;
  return made;
}
zz_lit integer(const char* key, std::int64_t value) {
  zz_lit made = literal(key, ZZ_I64);
  made.u.i = value;
  return made;
}
zz_lit reference(const char* key, zz_ref ref) {
  zz_lit made = literal(key, ZZ_LIT_REF);
  made.u.ref = ref;
  return made;
}
zz_lit map(const std::vector<zz_lit>& entries) {
  zz_lit made = literal(nullptr, ZZ_MAP);
  made.u.a.p = entries.data();
  made.u.a.n = entries.size();
  return made;
}
double real(zz_ref ref) {
  double out = std::nan("");
  values.f64(ref, &out);
  return out;
}

Handle context() {
  return Handle(host::make_context({{core::intern("accelerator"), core::Value::object(test::accelerator())},
                                    {core::intern("layer"), core::Value::object(test::layer())},
                                    {core::intern("loma_lpf_limit"), core::Value::integer(6)}}));
}

}  // namespace

TEST_CASE("a leaf written against the C table makes an evaluation") {
  const Handle ctx = context();
  const zz_ref look = values.look(ctx.get());
  CHECK(values.kind(look) == ZZ_MAP);
  CHECK(real(values.get(look, name("accelerator.memories[l1].size"))) == 1024);
  zz_error error;
  const std::vector<zz_lit> fields = {reference("layer", values.get(look, name("layer"))),
                                      reference("accelerator", values.get(look, name("accelerator"))),
                                      number("energy_total", 10), number("latency_total2", 4),
                                      number("mine", 0.5)};
  const zz_lit whole = map(fields);
  const Handle evaluation = Handle::take(values.make("evaluation", &whole, &error));
  REQUIRE_MESSAGE(evaluation, error.message);
  const auto made = evaluation.value().as<core::Evaluation>();
  CHECK(made->layer == host::find_in_context(ctx.value(), core::intern("layer"))->as<core::Layer>());
  CHECK(made->accelerator ==
        host::find_in_context(ctx.value(), core::intern("accelerator"))->as<core::Accelerator>());
  CHECK(real(values.get(values.look(evaluation.get()), name("edp"))) == 40);

  const zz_name metrics[] = {name("edp"), name("mine"), name("nothing")};
  zz_value* const both[] = {evaluation.get(), nullptr};
  double column[6];
  values.table(both, 2, metrics, 3, column);
  CHECK(column[0] == 40);
  CHECK(std::isnan(column[1]));
  CHECK(column[2] == 0.5);
  CHECK(std::isnan(column[4]));
}

TEST_CASE("failures are statuses with words, and are told to the observer") {
  static std::string observed;
  host::observe_failures(
      [](zz_status, const std::string& message, const auto&) noexcept { observed = message; });
  const Handle ctx = context();
  zz_error error;
  const zz_lit wrong[] = {integer("accelerator.memories[l1].siz", 1)};
  CHECK(values.with(ctx.get(), wrong, 1, &error) == nullptr);
  CHECK(error.code == ZZ_E_MISSING);
  CHECK(error.message == "accelerator.memories[l1].siz: no such part 'siz' (did you mean 'size'?)");
  CHECK(observed == error.message);
  const zz_lit negative[] = {integer("accelerator.memories[l1].size", -1)};
  CHECK(values.with(ctx.get(), negative, 1, nullptr) == nullptr);
  CHECK(values.with(ctx.get(), negative, 1, &error) == nullptr);
  CHECK(error.code == ZZ_E_INVALID);
  const zz_lit unknown = literal(nullptr, 99);
  CHECK(values.make(nullptr, &unknown, &error) == nullptr);
  CHECK(values.make("evaluation", &unknown, &error) == nullptr);
  CHECK(values.make(nullptr, nullptr, &error) == nullptr);
  double out = 0;
  const zz_ref missing = values.get(values.look(ctx.get()), name("spatial_mapping"));
  CHECK(values.kind(missing) == ZZ_NONE);
  CHECK(values.f64(missing, &out) == ZZ_E_MISSING);
  CHECK(values.f64(values.get(values.look(ctx.get()), name("layer")), &out) == ZZ_E_TYPE);
  CHECK(values.explain(missing, ZZ_OBJECT, &error) == ZZ_E_MISSING);
  CHECK(error.message == "expected an object, but there is no 'spatial_mapping'");
  host::observe_failures(nullptr);
}

TEST_CASE("held parts and references outlive what they were read from") {
  Handle size, l1, accelerator, tree;
  {
    const Handle ctx = context();
    const zz_ref look = values.look(ctx.get());
    size = Handle::take(values.hold(ctx.get(), values.get(look, name("loma_lpf_limit"))));
    l1 = Handle::take(values.hold(ctx.get(), values.get(look, name("accelerator.memories[l1]"))));
    accelerator = Handle::take(values.hold(ctx.get(), values.get(look, name("accelerator"))));
    const std::vector<zz_lit> entries = {
        reference("memory", values.get(look, name("accelerator.memories[1]")))};
    const zz_lit whole = map(entries);
    tree = Handle::take(values.make(nullptr, &whole, nullptr));
  }
  CHECK(real(values.look(size.get())) == 6);
  CHECK(l1.value().as<core::Memory>()->name == "l1");
  CHECK(accelerator.value().as<core::Accelerator>()->memories.size() == 2);
  CHECK(real(values.get(values.look(tree.get()), name("memory.size"))) == 1 << 20);
  const Handle json = Handle::take(values.json(values.look(size.get()), nullptr));
  zz_str text{};
  CHECK(values.str(values.look(json.get()), &text) == ZZ_OK);
  CHECK(std::string(text.p, text.n) == "6");
  CHECK(values.kind(values.look(nullptr)) == ZZ_NULL);
  values.release(nullptr);
}

TEST_CASE("sums and repetitions") {
  const Handle one(core::Value::object(test::evaluation()));
  const Handle layer(core::Value::object(test::layer()));
  zz_error error;
  zz_value* const both[] = {one.get(), one.get()};
  const Handle sum = Handle::take(host::evaluations_table.sum(both, 2, &error));
  CHECK(real(values.get(values.look(sum.get()), name("energy_total"))) == 6);
  const Handle thrice = Handle::take(host::evaluations_table.scale(one.get(), 3, &error));
  CHECK(real(values.get(values.look(thrice.get()), name("latency_total2"))) == 48);
  CHECK(host::evaluations_table.scale(layer.get(), 3, &error) == nullptr);
  CHECK(error.code == ZZ_E_TYPE);
  const auto* inside = static_cast<const core::Value*>(host::internal_table.value(one.get()));
  const Handle again = Handle::take(host::internal_table.wrap(inside));
  CHECK(again.value().as<core::Evaluation>() == one.value().as<core::Evaluation>());
}
