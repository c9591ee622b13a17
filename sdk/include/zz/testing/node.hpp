// zz/testing/node.hpp - what a zz_value is in the in-memory host: a node of a plain tree.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zz/stage_abi.h"

#pragma GCC visibility push(hidden)
namespace zz {
namespace testing {

// How many references there are to a node; and, in all, to all nodes.
struct References {
  uint32_t own = 1;
  inline static int64_t all = 0;
  References() { ++all; }
  References(const References&) = delete;
  uint32_t operator++() { return ++all, ++own; }
  uint32_t operator--() { return --all, --own; }
};

struct Node {  // what a zz_value is here
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

}  // namespace testing
}  // namespace zz
#pragma GCC visibility pop
