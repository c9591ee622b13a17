// zz/testing/values.hpp - "zz.values/0" of the in-memory host. Types are names and nothing is checked.
#pragma once

#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "zz/testing/edit.hpp"

struct zz_error {  // the sink of this host
  zz_status code = ZZ_OK;
  std::string text;
};

#pragma GCC visibility push(hidden)
namespace zz {
namespace testing {

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
