#include "host/values/context.hpp"

#include <doctest/doctest.h>
#include <string>

#include "core/value/read.hpp"
#include "tests/unit/worlds/evaluations.hpp"

using namespace zz;
using core::intern;
using core::Value;

namespace {
std::string keys_of(const Value& context) {
  std::string joined;
  for (const core::Name key : host::context_keys(context)) joined += std::string(core::text_of(key)) + " ";
  return joined;
}
}  // namespace

TEST_CASE("layers shadow, hide and remember who set a key") {
  const Value root = host::make_context({{intern("a"), Value::integer(1)},
                                         {intern("b"), Value::integer(2)},
                                         {intern("a"), Value::integer(3)}});
  const Value above =
      host::derive_context(root, {{intern("b"), Value::integer(20)}, {intern("c"), Value::integer(30)}});
  const Value top = host::derive_context(above, {{intern("a"), std::nullopt}});
  CHECK(keys_of(root) == "a b ");
  CHECK(keys_of(above) == "a b c ");
  CHECK(keys_of(top) == "b c ");
  CHECK(core::to_json(root.ref()) == R"({"a": 3, "b": 2})");
  CHECK(core::to_json(above.ref()) == R"({"a": 3, "b": 20, "c": 30})");
  CHECK(core::to_json(top.ref()) == R"({"b": 20, "c": 30})");
  CHECK(host::context_layer_of(top, intern("b")) == 1);
  CHECK(host::context_layer_of(above, intern("a")) == 0);
  CHECK_FALSE(host::context_layer_of(top, intern("a")).has_value());
  CHECK(host::find_in_context(top, intern("nothing")) == nullptr);
  CHECK(host::context_depth(top) == 2);
  CHECK(host::is_context(top));
  CHECK_FALSE(host::is_context(Value::map({})));
  CHECK_THROWS_AS(host::context_keys(Value()), std::logic_error);
}

TEST_CASE("many layers are merged and still know who set what") {
  Value context = host::make_context({{intern("root"), Value::integer(0)}});
  for (int i = 1; i <= 100; ++i)
    context = host::derive_context(context, {{intern("every"), Value::integer(i)},
                                             {intern("key" + std::to_string(i)), Value::integer(i)}});
  CHECK(host::context_depth(context) == 100);
  CHECK(host::context_keys(context).size() == 102);
  CHECK(host::context_layer_of(context, intern("root")) == 0);
  CHECK(host::context_layer_of(context, intern("every")) == 100);
  CHECK(host::context_layer_of(context, intern("key7")) == 7);
  std::int64_t value = 0;
  CHECK(core::read_i64(core::part(context.ref(), intern("key55")), value));
  CHECK(value == 55);
}

TEST_CASE("edits of a context may be paths and may look like paths") {
  const Value root = host::make_context({{intern("accelerator"), Value::object(test::accelerator())}});
  const auto edit = [](std::string_view at, Value value) {
    return core::Edit{intern(at), std::move(value)};
  };
  const Value derived = host::edited_context(
      root, std::vector<core::Edit>{edit("accelerator.memories[l1].size", Value::integer(2048)),
                                    edit("accelerator.memories[l1].r_cost", Value::number(9)),
                                    edit("org.example.budget", Value::integer(5))});
  const auto size = [](const Value& context) {
    std::int64_t out = 0;
    core::read_i64(core::part(context.ref(), intern("accelerator.memories[l1].size")), out);
    return out;
  };
  CHECK(size(root) == 1024);
  CHECK(size(derived) == 2048);
  CHECK(keys_of(derived) == "accelerator org.example.budget ");
  CHECK(host::context_layer_of(derived, intern("accelerator")) == 1);
}
