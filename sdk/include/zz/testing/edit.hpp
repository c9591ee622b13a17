// zz/testing/edit.hpp - making and changing the values of the in-memory host, and writing them down.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "zz/stage.hpp"
#include "zz/testing/node.hpp"

#pragma GCC visibility push(hidden)
namespace zz {
namespace testing {

// Splits "memories[l1].size" into its first step and the rest.
inline std::pair<std::string_view, std::string_view> first_step(std::string_view path) {
  const std::size_t cut = path.find_first_of(".[]");
  if (cut == std::string_view::npos) return {path, {}};
  std::string_view rest = path.substr(cut);
  while (!rest.empty() && (rest[0] == '.' || rest[0] == '[' || rest[0] == ']')) rest.remove_prefix(1);
  return {path.substr(0, cut), rest};
}

inline Node* build(const zz_lit& lit) {
  if (lit.kind == ZZ_LIT_OWN && lit.u.own) return ++Node::of(lit.u.own)->references, Node::of(lit.u.own);
  if (lit.kind == ZZ_LIT_REF && Node::at(lit.u.ref)) {
    Node* node = const_cast<Node*>(Node::at(lit.u.ref));
    return ++node->references, node;
  }
  auto* node = new Node;
  const auto number = [node](double d, int64_t i, int32_t kind) {
    node->parts.emplace_back("", new Node);
    node->parts.back().second->kind = kind, node->parts.back().second->d = d,
    node->parts.back().second->i = i;
  };
  node->kind = lit.kind < ZZ_LIT_REF     ? lit.kind
               : lit.kind >= ZZ_LIT_F64S ? int32_t{ZZ_LIST}
                                         : int32_t{ZZ_NULL};
  switch (lit.kind) {
    case ZZ_BOOL:
    case ZZ_I64:
      node->i = lit.u.i;
      break;
    case ZZ_F64:
      node->d = lit.u.d;
      break;
    case ZZ_STR:
      node->s.assign(lit.u.s.p, lit.u.s.n);
      break;
    case ZZ_LIST:
    case ZZ_MAP:
      for (std::size_t n = 0; n < lit.u.a.n; ++n) {
        const zz_lit& part = static_cast<const zz_lit*>(lit.u.a.p)[n];
        node->parts.emplace_back(part.key ? part.key : Names::all().texts[part.name], build(part));
      }
      break;
    case ZZ_LIT_F64S:
      for (std::size_t n = 0; n < lit.u.a.n; ++n)
        number(static_cast<const double*>(lit.u.a.p)[n], 0, ZZ_F64);
      break;
    case ZZ_LIT_I64S:
      for (std::size_t n = 0; n < lit.u.a.n; ++n)
        number(0, static_cast<const int64_t*>(lit.u.a.p)[n], ZZ_I64);
      break;
    default:
      break;
  }
  return node;
}

// `node` is the caller's own: parts that others hold too are copied on the way.
inline void edit(Node* node, std::string_view path, const zz_lit& lit) {
  const auto [step, rest] = first_step(path);
  auto* part = node->find(step);
  if (lit.kind == ZZ_LIT_REMOVE && rest.empty()) {
    if (part)
      Node::drop(part->second), node->parts.erase(node->parts.begin() + (part - node->parts.data()));
    return;
  }
  if (!part) {
    if (!rest.empty()) throw std::out_of_range(std::string(step));
    node->parts.emplace_back(step, build(lit));
    return;
  }
  Node* changed = rest.empty() ? build(lit) : new Node(*part->second);
  Node::drop(std::exchange(part->second, changed));
  if (!rest.empty()) edit(changed, rest, lit);
}

inline std::string json(const Node* node) {
  if (!node || node->kind == ZZ_NULL) return "null";
  if (node->kind == ZZ_BOOL) return node->i ? "true" : "false";
  if (node->kind == ZZ_I64) return std::to_string(node->i);
  if (node->kind == ZZ_F64) return detail::Setting<double>::text(node->d);
  if (node->kind == ZZ_STR) return '"' + node->s + '"';
  std::string text;
  for (const auto& [key, part] : node->parts)
    text += (text.empty() ? "" : ", ") + (node->kind == ZZ_LIST ? "" : '"' + key + "\": ") + json(part);
  return node->kind == ZZ_LIST ? '[' + text + ']' : '{' + text + '}';
}

}  // namespace testing
}  // namespace zz
#pragma GCC visibility pop
