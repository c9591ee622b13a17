// zz/testing/values.hpp - the values of the in-memory host: plain trees, and "zz.values/0" over them. Types
// are names, and nothing is checked.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zz/stage.hpp"

struct zz_error {  // the sink of this host
  zz_status code = ZZ_OK;
  std::string text;
};

#pragma GCC visibility push(hidden)
namespace zz {
namespace testing {

// Counts the references to a node, and in `all` those to all nodes.
struct References {
  uint32_t own = 1;
  inline static int64_t all = 0;
  References() { ++all; }
  References(const References&) = delete;
  uint32_t operator++() { return ++all, ++own; }
  uint32_t operator--() { return --all, --own; }
};

struct Node {  // a zz_value here
  int32_t kind = ZZ_NULL;
  std::string type;
  int64_t i = 0;
  double d = 0;
  std::string s;
  std::vector<std::pair<std::string, Node*>> parts;
  References references;

  inline static int64_t live = 0;
  Node() { ++live; }
  Node(const Node& other)
      : kind(other.kind), type(other.type), i(other.i), d(other.d), s(other.s), parts(other.parts) {
    ++live;
    for (auto& [key, part] : parts) ++part->references;
  }
  Node& operator=(const Node&) = delete;
  ~Node() {
    --live;
    for (auto& [key, part] : parts) drop(part);
  }
  static void drop(Node* node) {
    if (node && --node->references == 0) delete node;
  }
  static Node* of(const zz_value* value) { return const_cast<Node*>(reinterpret_cast<const Node*>(value)); }
  zz_value* give() { return reinterpret_cast<zz_value*>(this); }

  zz_ref ref() const { return {reinterpret_cast<uintptr_t>(this), &live}; }
  static zz_ref missing(zz_name name) { return {name, nullptr}; }
  static const Node* at(zz_ref ref) { return ref.type ? reinterpret_cast<const Node*>(ref.word) : nullptr; }

  std::pair<std::string, Node*>* find(std::string_view key) {
    for (auto& part : parts)
      if (part.first == key) return &part;
    if (kind != ZZ_LIST) return nullptr;
    for (std::size_t n = 0; n < parts.size(); ++n)  // "[0]", or "[l1]" by the element's name
      if (std::to_string(n) == key ||
          (parts[n].second->find("name") && parts[n].second->find("name")->second->s == key))
        return &parts[n];
    return nullptr;
  }
};

struct Names {
  std::vector<std::string> texts{""};
  std::map<std::string, zz_name, std::less<>> ids;
  static Names& all() {
    static Names names;
    return names;
  }
};

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

inline zz_error last_failure;  // of a call into this host

inline zz_status fail(zz_error* err, zz_status code, std::string text) {
  last_failure = {code, std::move(text)};
  if (err) *err = last_failure;
  return code;
}

inline const zz_values& values_table() {
  static const zz_values table{
      .size = sizeof(zz_values),
      .name = [](const char* s, size_t n) noexcept -> zz_name {
        Names& names = Names::all();
        const auto [it, fresh] = names.ids.try_emplace(std::string(s, n), zz_name(names.texts.size()));
        if (fresh) names.texts.push_back(it->first);
        return it->second;
      },
      .text = [](zz_name n) noexcept -> zz_str {
        return {Names::all().texts[n].data(), Names::all().texts[n].size()};
      },
      .kind = [](zz_ref v) noexcept -> int32_t {
        return Node::at(v) ? Node::at(v)->kind : int32_t{ZZ_NONE};
      },
      .type = [](zz_ref v) noexcept -> zz_str {
        return Node::at(v) ? zz_str{Node::at(v)->type.data(), Node::at(v)->type.size()}
                           : zz_str{nullptr, 0};
      },
      .i64 = [](zz_ref v, int64_t* out) noexcept -> zz_status {
        const Node* node = Node::at(v);
        if (!node) return ZZ_E_MISSING;
        if (node->kind == ZZ_F64 && static_cast<double>(static_cast<int64_t>(node->d)) == node->d)
          return *out = static_cast<int64_t>(node->d), ZZ_OK;
        if (node->kind != ZZ_I64 && node->kind != ZZ_BOOL) return ZZ_E_TYPE;
        return *out = node->i, ZZ_OK;
      },
      .f64 = [](zz_ref v, double* out) noexcept -> zz_status {
        const Node* node = Node::at(v);
        if (!node) return ZZ_E_MISSING;
        if (node->kind != ZZ_I64 && node->kind != ZZ_F64) return ZZ_E_TYPE;
        return *out = node->kind == ZZ_I64 ? static_cast<double>(node->i) : node->d, ZZ_OK;
      },
      .str = [](zz_ref v, zz_str* out) noexcept -> zz_status {
        const Node* node = Node::at(v);
        if (!node) return ZZ_E_MISSING;
        if (node->kind != ZZ_STR) return ZZ_E_TYPE;
        return *out = {node->s.data(), node->s.size()}, ZZ_OK;
      },
      .count = [](zz_ref v) noexcept -> uint32_t {
        return Node::at(v) ? static_cast<uint32_t>(Node::at(v)->parts.size()) : 0;
      },
      .at = [](zz_ref v, uint32_t i, zz_str* key) noexcept -> zz_ref {
        const Node* node = Node::at(v);
        if (!node) return v;
        if (i >= node->parts.size()) return Node::missing(0);
        if (key) *key = {node->parts[i].first.data(), node->parts[i].first.size()};
        return node->parts[i].second->ref();
      },
      .get = [](zz_ref v, zz_name name) noexcept -> zz_ref {
        std::string_view rest = Names::all().texts[name];
        auto* node = const_cast<Node*>(Node::at(v));
        if (!node) return v;
        while (!rest.empty()) {
          const auto [step, after] = first_step(rest);
          auto* part = node->find(step);
          if (!part) return Node::missing(name);
          node = part->second;
          rest = after;
        }
        return node->ref();
      },
      .explain = [](zz_ref v, int32_t, zz_error* err) noexcept -> zz_status {
        if (Node::at(v)) return fail(err, ZZ_E_TYPE, "'" + json(Node::at(v)) + "' has another type");
        return fail(err, ZZ_E_MISSING, "'" + Names::all().texts[v.word] + "' is missing");
      },
      .table =
          [](zz_value* const* v, uint32_t n, const zz_name* f, uint32_t m, double* out) noexcept {
            for (uint32_t j = 0; j < m; ++j)
              for (uint32_t i = 0; i < n; ++i) {
                out[j * n + i] = std::numeric_limits<double>::quiet_NaN();
                if (v[i])
                  values_table().f64(values_table().get(Node::of(v[i])->ref(), f[j]), &out[j * n + i]);
              }
          },
      .look = [](const zz_value* v) noexcept -> zz_ref {
        static const Node null;
        return v ? Node::of(v)->ref() : null.ref();
      },
      .retain = [](zz_value* v) noexcept -> zz_value* { return ++Node::of(v)->references, v; },
      .release = [](zz_value* v) noexcept { Node::drop(Node::of(v)); },
      .hold = [](zz_value*, zz_ref part) noexcept -> zz_value* {
        auto* node = const_cast<Node*>(Node::at(part));
        if (node) ++node->references;
        return node ? node->give() : nullptr;
      },
      .make = [](const char* type, const zz_lit* lit, zz_error*) noexcept -> zz_value* {
        Node* node = build(*lit);
        if (type) node->type = type, node->kind = ZZ_OBJECT;
        return node->give();
      },
      .with = [](zz_value* base, const zz_lit* edits, uint32_t n, zz_error* err) noexcept -> zz_value* {
        auto node = std::make_unique<Node>(*Node::of(base));
        for (uint32_t i = 0; i < n; ++i) {
          const std::string path = edits[i].key ? edits[i].key : Names::all().texts[edits[i].name];
          try {
            edit(node.get(), path, edits[i]);
          } catch (const std::out_of_range&) {
            fail(err, ZZ_E_MISSING, "no such part: " + path);
            return nullptr;
          }
        }
        return node.release()->give();
      },
      .json = [](zz_ref v, zz_error*) noexcept -> zz_value* {
        auto* text = new Node;
        text->kind = ZZ_STR;
        text->s = testing::json(Node::at(v));
        return text->give();
      }};
  return table;
}

}  // namespace testing
}  // namespace zz
#pragma GCC visibility pop
