#include "plugins/iterate/spawned_task.hpp"

#include <vector>

#include "core/value/object.hpp"
#include "plugins/internal/objects.hpp"

namespace zz::plugins {
namespace {

core::FieldIndex task_index;
constexpr core::Type task_type = core::object_type<SpawnedTask>(
    "spawned_task", "A chain of stages that is still to be run.", {}, task_index);

Value replaced(const Value& root, Ref part, const Value& found) {
  if (borrowed<SpawnedTask>(part)) return found;
  if (part.kind() != ZZ_LIST || find_task(part) == nullptr) return root.hold(part);
  std::vector<Value> parts;
  for (Ref item : part) parts.push_back(replaced(root, item, found));
  return make_list(parts);
}

}  // namespace

const SpawnedTask* find_task(Ref extra) {
  if (const auto* task = borrowed<SpawnedTask>(extra)) return task;
  if (extra.kind() != ZZ_LIST) return nullptr;
  for (Ref item : extra) {
    if (const auto* task = find_task(item)) return task;
  }
  return nullptr;
}

Value with_task_replaced(const Value& extra, const Value& found) {
  return replaced(extra, extra.look(), found);
}

}  // namespace zz::plugins

namespace zz::core {
template <>
const Type* type_of<plugins::SpawnedTask>() {
  return &plugins::task_type;
}
}  // namespace zz::core
