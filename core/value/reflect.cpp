#include "core/value/reflect.hpp"

#include <algorithm>

namespace zz::core {
std::size_t element_of_list(Ref list, Name step, const Where& where) {
  const std::uint32_t count = count_of(list);
  const std::int64_t index = index_of_step(step);
  if (index >= 0 && index < count) return static_cast<std::size_t>(index);
  if (index < 0) {
    const Ref wanted = part(list, step);
    for (std::uint32_t i = 0; wanted.type && i < count; ++i) {
      const Ref element = part_at(list, i);
      if (element.word == wanted.word && element.type == wanted.type) return i;
    }
  }
  fail_no_such_part(where, list, step);
}

void require_parts(const Type& type, std::span<const Name> given, const Where& where) {
  for (const Field& field : type.fields) {
    const auto is_given = [&](const char* name) {
      return name != nullptr && std::find(given.begin(), given.end(), intern(name)) != given.end();
    };
    if (!field.required || is_given(field.name) || is_given(field.former)) continue;
    fail(Where{&where, field.name}, ValueError::Problem::missing,
         std::string("is required (") + (field.words != nullptr ? field.words() : "a part") +
             "), but was not given");
  }
}

using FiguresReflect = Reflect<std::vector<std::pair<std::string, double>>>;

const double* FiguresReflect::find(const Figures& figures, std::string_view name) {
  for (const auto& [key, figure] : figures)
    if (key == name) return &figure;
  return nullptr;
}

void FiguresReflect::edit(EditSession& session, void* object, Steps steps, const Value* value,
                          const Where& where) {
  Figures& figures = *static_cast<Figures*>(object);
  const std::string_view key = text_of(steps.front());
  const Where here{&where, key, -1, false};
  if (value == nullptr) {
    std::erase_if(figures, [&](const auto& figure) { return figure.first == key; });
    return;
  }
  double figure = 0;
  edit_part(session, figure, steps.subspan(1), value, here);
  const auto known =
      std::find_if(figures.begin(), figures.end(), [&](const auto& one) { return one.first == key; });
  if (known == figures.end())
    figures.emplace_back(key, figure);
  else
    known->second = figure;
}

void FiguresReflect::assign(EditSession& session, Figures& target, const Value& value, const Where& where) {
  const Ref from = value.ref();
  if (from.type->kind != Kind::map) fail_expected(where, "a map of numbers", value);
  Figures figures;
  for (std::uint32_t i = 0; i < count_of(from); ++i) {
    std::string_view key;
    const Value part = held_part(value, part_at(from, i, &key));
    const Name step = intern(key);
    edit(session, &figures, Steps(&step, 1), &part, where);
  }
  target = std::move(figures);
}

const Type FiguresReflect::type{
    .kind = Kind::map,
    .count = [](std::uint64_t word) { return static_cast<std::uint32_t>(object_at<Figures>(word).size()); },
    .at =
        [](std::uint64_t word, std::uint32_t index, std::string_view& key) {
          const auto& [name, figure] = object_at<Figures>(word)[index];
          key = name;
          return reflect(figure);
        },
    .get =
        [](std::uint64_t word, Name key) {
          const double* figure = find(object_at<Figures>(word), text_of(key));
          return figure ? reflect(*figure) : missing(key);
        },
    .clone = clone_object<Figures>,
    .edit = edit};

}  // namespace zz::core
