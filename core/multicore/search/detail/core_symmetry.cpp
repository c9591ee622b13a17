#include "core/multicore/search/detail/core_symmetry.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <tuple>

namespace zz::core {
namespace {

constexpr std::size_t most_exchanges = 120;
constexpr int most_steps = 200'000;

bool same_cost(const CoreCost& a, const CoreCost& b) {
  const auto key = [](const CoreCost& cost) {
    return std::tie(cost.runtime, cost.onchip_energy, cost.offchip_energy, cost.streamed,
                    cost.stream_read_elements, cost.stream_write_elements, cost.stream_read_bits,
                    cost.stream_write_bits);
  };
  return key(a) == key(b);
}

/// Tests one exchange of cores, core by core, against an accelerator and the costs on it.
class Exchange {
 public:
  explicit Exchange(const ScheduleProblem& problem)
      : accelerator_(*problem.accelerator()), costs_(*problem.costs()), cores_(accelerator_.core_count()) {
    images_.assign(cores_, -1);
    link_images_.assign(accelerator_.links.size(), -1);
    link_sources_.assign(accelerator_.links.size(), -1);
    for (std::size_t memory = 0; memory < accelerator_.top_memories.size(); ++memory) {
      if (accelerator_.top_memories[memory].cores.size() > 1) shared_ = true;
    }
  }

  const std::vector<int>& images() const { return images_; }

  /// Maps `core` to `image` when that fits everything mapped so far.
  bool map(int core, int image) {
    if (!alike(core, image)) return false;
    const std::size_t mark = trail_.size();
    images_[core] = image;
    for (int other = 0; other < cores_; ++other) {
      if (images_[other] < 0) continue;
      if (map_route(accelerator_.route(core, other), accelerator_.route(image, images_[other])) &&
          map_route(accelerator_.route(other, core), accelerator_.route(images_[other], image))) {
        continue;
      }
      undo(core, mark);
      return false;
    }
    marks_.push_back(mark);
    return true;
  }

  void unmap(int core) {
    undo(core, marks_.back());
    marks_.pop_back();
  }

 private:
  bool alike(int core, int image) const {
    if (core == image) return true;
    const std::vector<int>& mine = accelerator_.cores_tops[core];
    const std::vector<int>& its = accelerator_.cores_tops[image];
    // Exchanging owners of shared memories would have to carry their partners along.
    if (shared_ || accelerator_.offchip_core == core || accelerator_.offchip_core == image ||
        mine.size() != its.size()) {
      return false;
    }
    for (std::size_t i = 0; i < mine.size(); ++i) {
      TopMemory a = accelerator_.top_memories[mine[i]], b = accelerator_.top_memories[its[i]];
      a.name = b.name;
      a.cores = b.cores;
      if (!(a == b)) return false;
    }
    for (const CoreCosts::OfLayer& layer : costs_.layers) {
      for (std::size_t shape = 0; shape <= layer.smaller.size(); ++shape) {
        const CoreCost *a = nullptr, *b = nullptr;
        for (const CoreCost& cost : layer.of(static_cast<int>(shape))) {
          if (cost.core == core) a = &cost;
          if (cost.core == image) b = &cost;
        }
        if (!a != !b || (a && !same_cost(*a, *b))) return false;
      }
    }
    return true;
  }

  bool map_route(const std::vector<int>& route, const std::vector<int>& image) {
    if (route.size() != image.size()) return false;
    for (std::size_t i = 0; i < route.size(); ++i) {
      const int from = route[i], to = image[i];
      if (link_images_[from] == to && link_sources_[to] == from) continue;
      const Link &a = accelerator_.links[from], &b = accelerator_.links[to];
      if (link_images_[from] >= 0 || link_sources_[to] >= 0 || a.bandwidth != b.bandwidth ||
          a.unit_energy != b.unit_energy || a.bidirectional != b.bidirectional) {
        return false;
      }
      link_images_[from] = to;
      link_sources_[to] = from;
      trail_.push_back(from);
    }
    return true;
  }

  void undo(int core, std::size_t mark) {
    for (; trail_.size() > mark; trail_.pop_back()) {
      link_sources_[link_images_[trail_.back()]] = -1;
      link_images_[trail_.back()] = -1;
    }
    images_[core] = -1;
  }

  const MultiCoreAccelerator& accelerator_;
  const CoreCosts& costs_;
  int cores_;
  bool shared_ = false;
  std::vector<int> images_, link_images_, link_sources_;
  std::vector<int> trail_;          // links mapped, for going back
  std::vector<std::size_t> marks_;  // length of the trail before each core
};

bool exchangeable(const ScheduleProblem& problem, int a, int b) {
  Exchange exchange(problem);
  for (int core = 0; core < problem.accelerator()->core_count(); ++core) {
    if (!exchange.map(core, core == a ? b : core == b ? a : core)) return false;
  }
  return true;
}

/// All exchanges, or nothing when there are too many to list.
std::vector<std::vector<int>> list_exchanges(const ScheduleProblem& problem) {
  const int cores = problem.accelerator()->core_count();
  std::vector<std::vector<int>> found;
  std::vector<char> taken(cores, 0);
  Exchange exchange(problem);
  int steps = 0;
  const std::function<bool(int)> descend = [&](int core) {
    if (++steps > most_steps || found.size() > most_exchanges) return false;
    if (core == cores) {
      found.push_back(exchange.images());
      return true;
    }
    for (int image = 0; image < cores; ++image) {
      if (taken[image] || !exchange.map(core, image)) continue;
      taken[image] = 1;
      const bool all = descend(core + 1);
      taken[image] = 0;
      exchange.unmap(core);
      if (!all) return false;
    }
    return true;
  };
  if (!descend(0)) return {};
  std::vector<int> identity(cores);
  std::iota(identity.begin(), identity.end(), 0);
  found.erase(std::remove(found.begin(), found.end(), identity), found.end());
  return found;
}

}  // namespace

CoreSymmetry::CoreSymmetry(const ScheduleProblem& problem)
    : class_of_(problem.accelerator()->core_count(), -1) {
  const int cores = problem.accelerator()->core_count();
  for (int core = 0; core < cores; ++core) {
    for (std::size_t i = 0; i < classes_.size() && class_of_[core] < 0; ++i) {
      if (!exchangeable(problem, classes_[i].front(), core)) continue;
      class_of_[core] = static_cast<int>(i);
      classes_[i].push_back(core);
    }
    if (class_of_[core] >= 0) continue;
    class_of_[core] = static_cast<int>(classes_.size());
    classes_.push_back({core});
  }
  exchanges_ = list_exchanges(problem);
}

std::vector<int> CoreSymmetry::canonical(const std::vector<int>& cores) const {
  std::vector<int> best = cores;
  if (!exchanges_.empty()) {
    std::vector<int> image(cores.size());
    for (const std::vector<int>& exchange : exchanges_) {
      for (std::size_t gene = 0; gene < cores.size(); ++gene) image[gene] = exchange[cores[gene]];
      if (image < best) best.swap(image);
    }
    return best;
  }
  // Within each class the cores are named in the order in which the genome uses them.
  std::vector<int> name(class_of_.size(), -1);
  std::vector<std::size_t> used(classes_.size(), 0);
  for (int& core : best) {
    if (static_cast<std::size_t>(core) >= class_of_.size()) continue;
    const int family = class_of_[core];
    if (name[core] < 0) name[core] = classes_[family][used[family]++];
    core = name[core];
  }
  return best;
}

}  // namespace zz::core
