#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <queue>
#include <stdexcept>
#include <utility>
#include <vector>

/// Label setting: cheapest walks through an exponent lattice, with resource constraints.
///
/// *Problem.* A walk starts from the empty multiset and adds one element at a time until it has them all.
/// On the way it pays costs, and uses up resources. The value of a complete walk is a function of these
/// numbers. Wanted is the walk of least value, then the next one, and so on.
///
/// *Method.* Label setting for shortest paths with resource constraints (Desrochers & Soumis, INFOR 26,
/// 1988; Irnich & Desaulniers, Shortest Path Problems with Resource Constraints, in Column Generation,
/// 2005) in the order of A* (Hart, Nilsson & Raphael, IEEE SSC 4, 1968). A *label* is the beginning of a
/// walk: its multiset, its numbers, and a state that only the problem understands. The label with the
/// lowest bound is extended next. A label is dropped when another one at the same multiset *dominates* it:
/// no state and no compared number of it is worse, so that it can be continued at least as well.
///
/// *Complexity.* O(labels * (log labels + labels of the same multiset and key)). There may be exponentially
/// many labels that do not dominate each other; with one number and no resources at most one for each
/// multiset and state remains.
namespace zz::core {

/// Equal loops of one layer: `count` loops of `size` iterations over Layer::loops[dimension].
struct LoopKind {
  int dimension = 0;
  std::int64_t size = 1;
  int count = 0;
};

/// All multisets of a layer's loop factors, partially ordered by inclusion.
///
/// Everything that the cost model reads from a loop order is a function of the multisets of loops below a
/// few cuts. Searches therefore walk from the empty to the full multiset, one loop at a time, instead of
/// enumerating orders: n different loops have n! orders and 2^n multisets, and equal loops have far fewer.
///
/// A multiset is an index: the mixed-radix number of how often each kind occurs in it. Adding a loop adds
/// the stride of its kind, so that a multiset has a smaller index than every multiset that it leads to.
class ExponentLattice {
 public:
  /// Throws InputError when there are more than max_multisets.
  explicit ExponentLattice(std::vector<LoopKind> kinds);

  static constexpr std::size_t max_multisets = std::size_t{1} << 22;

  const std::vector<LoopKind>& kinds() const { return kinds_; }
  std::size_t size() const { return placed_.size(); }      ///< number of multisets
  std::size_t full() const { return placed_.size() - 1; }  ///< the multiset of all loops
  std::size_t stride(std::size_t kind) const { return strides_[kind]; }
  int count(std::size_t multiset, std::size_t kind) const {
    return static_cast<int>(multiset / strides_[kind] % static_cast<std::size_t>(kinds_[kind].count + 1));
  }
  bool has_more(std::size_t multiset, std::size_t kind) const {
    return count(multiset, kind) < kinds_[kind].count;
  }
  int placed(std::size_t multiset) const { return placed_[multiset]; }  ///< loops in the multiset
  int loops() const { return placed_.back(); }
  /// The first kind in a multiset. REQUIRES: the multiset is not empty.
  std::size_t first_kind(std::size_t multiset) const { return first_kind_[multiset]; }

 private:
  std::vector<LoopKind> kinds_;
  std::vector<std::size_t> strides_;
  std::vector<std::uint8_t> placed_, first_kind_;
};

/// The numbers of a label; of each the smaller is better. First come the costs that are compared for
/// dominance, then costs that are sums of some of these (they exist because a bound of a sum may be tighter
/// than a sum of bounds), then used resources, which are compared.
inline constexpr std::size_t max_label_numbers = 64;
using LabelNumbers = std::array<double, max_label_numbers>;

struct LabelWidth {
  std::size_t compared = 1;  ///< costs that are compared
  std::size_t costs = 1;     ///< all costs
  std::size_t all = 1;       ///< costs and resources
};

/// Heads of lists of labels, by key: a hash table with open addressing that only grows.
class LabelBuckets {
 public:
  static constexpr std::uint32_t none = 0xffffffff;

  LabelBuckets() : slots_(1024) {}

  /// The head of the list of a key, `none` when new. Valid until the next call.
  std::uint32_t& head(std::uint64_t key) {
    if (used_ * 2 > slots_.size()) grow();
    Slot& slot = find(slots_, key);
    if (slot.key == empty) {
      slot.key = key;
      ++used_;
    }
    return slot.head;
  }
  std::size_t memory_bytes() const { return slots_.size() * sizeof(Slot); }

 private:
  static constexpr std::uint64_t empty = ~std::uint64_t{0};
  struct Slot {
    std::uint64_t key = empty;
    std::uint32_t head = none;
  };

  static Slot& find(std::vector<Slot>& slots, std::uint64_t key) {
    const std::size_t mask = slots.size() - 1;
    std::uint64_t hash = key * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 32;  // all bits of the key have a say in the lowest ones
    std::size_t slot = static_cast<std::size_t>(hash) & mask;
    while (slots[slot].key != empty && slots[slot].key != key) slot = (slot + 1) & mask;
    return slots[slot];
  }
  void grow();

  std::vector<Slot> slots_;
  std::size_t used_ = 0;
};

/// Outcome of a look at labels.
enum class LabelStep {
  complete,   ///< result() is the best walk not yet reported
  exhausted,  ///< no walk below the limit is left
  paused,     ///< so many labels were looked at
};

/// The search. `Problem` has
///
///   struct State;                        the part of a label that is not a number; copied with it
///   const ExponentLattice& lattice();
///   LabelWidth width();                  of labels; at most max_label_numbers
///   void start(add);                     calls add(State, LabelNumbers) for each way to start a walk
///   bool may_follow(multiset, kind);     the walk may add an element of this kind next
///   void extend(multiset, kind, state, numbers, add);
///                                        calls add() for each way to add that element
///   double bound(multiset, state, numbers);
///                                        no completion has a smaller value; at the full multiset the value
///                                        itself. Never falls along a walk. infinite: there is no
///                                        completion
///   bool may_end(state, numbers);        the walk may end so at the full multiset
///   std::uint64_t key(multiset, state);  labels with different keys are never compared
///   bool dominates(state, state);        at one multiset and with equal numbers, the first can be
///   continued
///                                        at least as well as the second. Labels of a lower bound are not
///                                        dominated by labels of a higher one
///
/// The problem must outlive the search. Not thread-safe.
template <class Problem>
class LabelSetting {
 public:
  using State = typename Problem::State;
  struct Label {
    std::uint32_t multiset = 0;
    std::uint32_t parent = 0;
    std::uint32_t next = 0;  ///< in the list of its bucket
    std::uint8_t kind = 0;   ///< of the element that led here
    State state{};
  };

  explicit LabelSetting(Problem& problem) : problem_(problem), width_(problem.width()) {
    if (width_.all > max_label_numbers) throw std::logic_error("more numbers than a label holds");
    problem_.start([this](const State& state, const LabelNumbers& numbers) {
      add(Label{.state = state}, numbers, std::numeric_limits<double>::infinity());
    });
  }
  LabelSetting(const LabelSetting&) = delete;

  /// Turns the search into a diving heuristic: a label with more elements comes before one whose bound is
  /// lower by less than this share. Results are then no longer best. REQUIRES: advance() was not called.
  void prefer_deep(double share) { depth_preference_ = share; }

  using Step = LabelStep;
  /// Looks at up to `labels` more labels. Labels whose bound is not below `limit` are dropped for good.
  Step advance(std::size_t labels, double limit) {
    for (std::size_t looked_at = 0; !open_.empty(); ++looked_at) {
      const Open best = open_.top();
      if (!(best.bound < limit) && depth_preference_ == 0) return Step::exhausted;
      if (looked_at == labels) return Step::paused;
      open_.pop();
      if (!(best.bound < limit)) least_dropped_ = std::min(least_dropped_, best.bound);
      if (!(best.bound < limit) || !keep(best.label)) continue;
      ++visited_;
      if (labels_[best.label].multiset == problem_.lattice().full()) {
        result_ = best.label;
        result_value_ = best.bound;
        return Step::complete;
      }
      expand(best.label, limit);
    }
    return Step::exhausted;
  }

  /// A lower bound of all walks not yet reported; infinite when none is left.
  double bound() const {
    return open_.empty() ? std::numeric_limits<double>::infinity() : open_.top().bound;
  }
  /// The lowest bound of a label that was dropped because of a limit; infinite when none was.
  double least_dropped() const { return least_dropped_; }
  /// The label with the lowest bound. REQUIRES: bound() is finite.
  std::uint32_t lowest() const { return open_.top().label; }

  /// The last label of the walk that was found; parents lead back to the start.
  std::uint32_t result() const { return result_; }
  double result_value() const { return result_value_; }
  const Label& operator[](std::uint32_t label) const { return labels_[label]; }
  const double* numbers(std::uint32_t label) const { return &numbers_[label * width_.all]; }

  std::size_t visited() const { return visited_; }
  std::size_t memory_bytes() const {
    return labels_.capacity() * sizeof(Label) + numbers_.capacity() * sizeof(double) +
           buckets_.memory_bytes() + open_.size() * sizeof(Open);
  }

 private:
  struct Open {
    double rank;  ///< the bound, unless depth is preferred
    double bound;
    std::uint32_t placed;
    std::uint32_t label;
    bool operator<(const Open& other) const {
      if (rank != other.rank) return rank > other.rank;
      if (placed != other.placed) return placed < other.placed;
      return label > other.label;
    }
  };

  void expand(std::uint32_t index, double limit) {
    const Label from = labels_[index];
    LabelNumbers numbers;
    std::copy_n(this->numbers(index), width_.all, numbers.begin());
    const ExponentLattice& lattice = problem_.lattice();
    for (std::size_t kind = 0; kind < lattice.kinds().size(); ++kind) {
      if (!problem_.may_follow(from.multiset, kind)) continue;
      Label to;
      to.multiset = from.multiset + static_cast<std::uint32_t>(lattice.stride(kind));
      to.parent = index;
      to.kind = static_cast<std::uint8_t>(kind);
      problem_.extend(from.multiset, kind, from.state, numbers,
                      [&](const State& state, const LabelNumbers& paid) {
                        to.state = state;
                        add(to, paid, limit);
                      });
    }
  }

  void add(const Label& label, const LabelNumbers& numbers, double limit) {
    const double bound = problem_.bound(label.multiset, label.state, numbers.data());
    if (!(bound < limit)) {
      least_dropped_ = std::min(least_dropped_, bound);
      return;
    }
    const ExponentLattice& lattice = problem_.lattice();
    if (label.multiset == lattice.full() && !problem_.may_end(label.state, numbers)) return;
    const int placed = lattice.placed(label.multiset);
    const int left = lattice.loops() - placed;
    const double rank = bound * (1 + depth_preference_ * left / std::max(1, lattice.loops()));
    labels_.push_back(label);
    numbers_.insert(numbers_.end(), numbers.begin(),
                    numbers.begin() + static_cast<std::ptrdiff_t>(width_.all));
    open_.push(
        {rank, bound, static_cast<std::uint32_t>(placed), static_cast<std::uint32_t>(labels_.size() - 1)});
  }

  bool dominates(const Label& a, const double* numbers_a, const Label& b, const double* numbers_b) const {
    if (a.multiset != b.multiset || !problem_.dominates(a.state, b.state)) return false;
    for (std::size_t i = 0; i < width_.compared; ++i)
      if (numbers_a[i] > numbers_b[i]) return false;
    for (std::size_t i = width_.costs; i < width_.all; ++i)
      if (numbers_a[i] > numbers_b[i]) return false;
    return true;
  }

  /// False: a label that was kept before dominates this one. Labels come in the order of their bounds, so
  /// that looking back is enough.
  bool keep(std::uint32_t index) {
    Label& label = labels_[index];
    const double* const own = numbers(index);
    std::uint32_t& head = buckets_.head(problem_.key(label.multiset, label.state));
    std::uint32_t* slot = &head;
    while (*slot != LabelBuckets::none) {
      Label& other = labels_[*slot];
      if (dominates(other, numbers(*slot), label, own)) return false;
      if (dominates(label, own, other, numbers(*slot)))
        *slot = other.next;
      else
        slot = &other.next;
    }
    label.next = head;
    head = index;
    return true;
  }

  Problem& problem_;
  LabelWidth width_;
  double depth_preference_ = 0;
  std::vector<Label> labels_;
  std::vector<double> numbers_;
  LabelBuckets buckets_;
  std::priority_queue<Open> open_;
  double least_dropped_ = std::numeric_limits<double>::infinity();
  std::uint32_t result_ = 0;
  double result_value_ = 0;
  std::size_t visited_ = 0;
};

}  // namespace zz::core
