#include "host/values/context.hpp"

#include <algorithm>
#include <stdexcept>

#include "core/value/edit.hpp"
#include "core/value/tree.hpp"
#include "core/value/type.hpp"

namespace zz::host {
namespace {

struct Entry {
  core::Name key = 0;
  int layer = 0;        ///< that set it; kept when layers are merged
  bool hidden = false;  ///< not there from this layer on
  core::Value value;
};

/// One layer and a share of what is below it.
struct Context {
  std::shared_ptr<const Context> below;
  std::uint64_t filter = 0;  ///< a bit for each key in `entries`: a clear bit means it is not there
  int depth = 0;             ///< number of this layer
  int layers_below = 0;      ///< layers that a look-up may have to walk below this one
  std::vector<Entry> entries;

  void set(Entry entry);
};

/// A look-up in more layers than this costs more than merging them once.
constexpr int longest_chain = 12;

std::uint64_t filter_bit(core::Name key) { return std::uint64_t{1} << (key & 63); }

void Context::set(Entry entry) {
  filter |= filter_bit(entry.key);
  const auto known =
      std::find_if(entries.begin(), entries.end(), [&](const Entry& one) { return one.key == entry.key; });
  if (known == entries.end())
    entries.push_back(std::move(entry));
  else
    *known = std::move(entry);
}

/// The topmost entry of a key, hidden or not; nullptr when no layer has the key.
const Entry* deciding_entry(const Context& context, core::Name key) {
  const std::uint64_t bit = filter_bit(key);
  for (const Context* layer = &context; layer; layer = layer->below.get()) {
    if ((layer->filter & bit) == 0) continue;
    for (const Entry& entry : layer->entries)
      if (entry.key == key) return &entry;
  }
  return nullptr;
}

const Entry* visible_entry(const Context& context, core::Name key) {
  const Entry* entry = deciding_entry(context, key);
  return entry && !entry->hidden ? entry : nullptr;
}

/// Calls visit(entry) for each visible key in the order in which keys were first set, until it returns
/// true.
template <class Visit>
void each_visible(const Context& context, const Visit& visit) {
  const Context* chain[longest_chain + 2];
  int layers = 0;
  for (const Context* layer = &context; layer; layer = layer->below.get()) chain[layers++] = layer;
  for (int i = layers - 1; i >= 0; --i) {
    for (const Entry& entry : chain[i]->entries) {
      const bool first =
          chain[i]->below == nullptr || deciding_entry(*chain[i]->below, entry.key) == nullptr;
      const Entry* visible = first ? visible_entry(context, entry.key) : nullptr;
      if (visible && visit(*visible)) return;
    }
  }
}

std::shared_ptr<const Context> merged(const Context& context) {
  auto flat = std::make_shared<Context>();
  flat->depth = context.depth;
  each_visible(context, [&](const Entry& entry) {
    flat->set(entry);
    return false;
  });
  return flat;
}

const core::Type context_type{.kind = core::Kind::map,
                              .count =
                                  [](std::uint64_t word) {
                                    std::uint32_t count = 0;
                                    each_visible(core::object_at<Context>(word), [&](const Entry&) {
                                      ++count;
                                      return false;
                                    });
                                    return count;
                                  },
                              .at =
                                  [](std::uint64_t word, std::uint32_t index, std::string_view& key) {
                                    core::Ref found = core::missing(0);
                                    each_visible(core::object_at<Context>(word), [&](const Entry& entry) {
                                      if (index-- > 0) return false;
                                      key = core::text_of(entry.key);
                                      found = core::look_at_entry(entry.value);
                                      return true;
                                    });
                                    return found;
                                  },
                              .get =
                                  [](std::uint64_t word, core::Name key) {
                                    const Entry* entry = visible_entry(core::object_at<Context>(word), key);
                                    return entry ? core::look_at_entry(entry->value) : core::missing(key);
                                  }};

core::Value value_of_context(std::shared_ptr<const Context> context) {
  const core::Ref ref{core::word_of(context.get()), &context_type};
  return core::Value(std::move(context), ref);
}

std::shared_ptr<const Context> context_in(const core::Value& value) {
  if (!is_context(value)) throw std::logic_error("a context is expected here");
  return std::shared_ptr<const Context>(value.owner(), core::object_in<Context>(value.ref()));
}

}  // namespace

core::Value make_context(ContextEntries entries) {
  auto root = std::make_shared<Context>();
  for (auto& entry : entries) root->set({entry.first, 0, false, std::move(entry.second)});
  return value_of_context(std::move(root));
}

core::Value derive_context(const core::Value& context, ContextChanges changes) {
  auto layer = std::make_shared<Context>();
  layer->below = context_in(context);
  if (layer->below->layers_below >= longest_chain) layer->below = merged(*layer->below);
  layer->depth = layer->below->depth + 1;
  layer->layers_below = layer->below->layers_below + 1;
  layer->entries.reserve(changes.size());
  for (auto& change : changes) {
    const bool hidden = !change.second.has_value();
    layer->set({change.first, layer->depth, hidden, hidden ? core::Value() : std::move(*change.second)});
  }
  return value_of_context(std::move(layer));
}

bool is_context(const core::Value& value) { return value.ref().type == &context_type; }

const core::Value* find_in_context(const core::Value& context, core::Name key) {
  const Entry* entry = visible_entry(*context_in(context), key);
  return entry ? &entry->value : nullptr;
}

std::optional<int> context_layer_of(const core::Value& context, core::Name key) {
  const Entry* entry = visible_entry(*context_in(context), key);
  return entry ? std::optional(entry->layer) : std::nullopt;
}

int context_depth(const core::Value& context) { return context_in(context)->depth; }

std::optional<core::Name> key_set_besides(const core::Value& context, std::span<const core::Name> known) {
  const std::shared_ptr<const Context> top = context_in(context);
  for (const Context* layer = top.get(); layer != nullptr; layer = layer->below.get()) {
    for (const Entry& entry : layer->entries) {
      if (entry.layer > 0 && !entry.hidden && !std::binary_search(known.begin(), known.end(), entry.key))
        return entry.key;
    }
  }
  return std::nullopt;
}

std::vector<core::Name> context_keys(const core::Value& context) {
  std::vector<core::Name> keys;
  each_visible(*context_in(context), [&](const Entry& entry) {
    keys.push_back(entry.key);
    return false;
  });
  return keys;
}

core::Value edited_context(const core::Value& context, std::span<const core::Edit> edits) {
  ContextChanges changes;
  changes.reserve(edits.size());
  const auto changed = [&](core::Name key) -> std::optional<core::Value>* {
    for (auto& [name, value] : changes)
      if (name == key) return &value;
    return nullptr;
  };
  for (const core::Edit& edit : edits) {
    const std::span<const core::Name> steps = core::steps_of(edit.at);
    // A key may look like a path: "org.example.budget". It is a key when it exists, or when no key has the
    // name of its first step.
    const bool known = find_in_context(context, edit.at) != nullptr || changed(edit.at);
    if (steps.size() <= 1 || known ||
        (find_in_context(context, steps.front()) == nullptr && changed(steps.front()) == nullptr)) {
      changes.emplace_back(edit.at, edit.value);
      continue;
    }
    std::optional<core::Value>* const begun = changed(steps.front());
    const core::Value* const base =
        begun ? (*begun ? &**begun : nullptr) : find_in_context(context, steps.front());
    core::Value part = core::with_part(base ? *base : core::Value(), core::text_of(steps.front()),
                                       steps.subspan(1), edit.value);
    if (begun)
      *begun = std::move(part);
    else
      changes.emplace_back(steps.front(), std::move(part));
  }
  return derive_context(context, std::move(changes));
}

}  // namespace zz::host
