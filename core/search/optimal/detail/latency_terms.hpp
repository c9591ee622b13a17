#pragma once
#include <cstdint>
#include <vector>

#include "core/search/optimal/detail/port_loads.hpp"
#include "core/search/optimal/detail/residency_loading.hpp"
#include "core/search/optimal/detail/second_buffers.hpp"

namespace zz::core {

/// One of the sums over boundaries from which the latency of a mapping follows.
struct LatencyTerm {
  enum class Kind {
    stalls,     ///< of a port: cycles that its transfers need beyond those they are allowed
    load,       ///< of a port: cycles of all its transfers but the first of each. A port moves no more than
                ///< fits into computation and stalls together
    loading,    ///< of an operand, over boundaries that are crossed repeatedly, by Sharing
    bandwidth,  ///< that repeated transfers need of a port: one-time loading cannot hide there
    traffic,    ///< of a port: cycles for all that goes through it. The latency is no shorter
    /// Stalls or load of a port plus loading of the output and one input. Small portions are loaded soon
    /// and repeated often, so that the cost-to-go of the sum is tighter than the sum of costs-to-go.
    port_and_loading,
  };
  Kind kind;
  int port = -1;     ///< not of loading
  int operand = -1;  ///< of loading
  Sharing sharing = Sharing::individual;
  int of_port = -1;                      ///< index of the term of a port that is in this sum, or -1
  LoadingPath path = LoadingPath::both;  ///< whose loading is in this sum
};

/// Chooses the sums that a search adds up for the latency, and computes what a transfer adds to each.
/// Arrays of sums are indexed by term.
class LatencyTerms {
 public:
  using Kind = LatencyTerm::Kind;

  LatencyTerms(const SearchProblem& problem, const PortLoads& loads, const OneTimeLoads& once,
               const SecondBuffers& buffers);

  const std::vector<LatencyTerm>& all() const { return terms_; }
  std::size_t size() const { return terms_.size(); }
  const LatencyTerm& operator[](std::size_t term) const { return terms_[term]; }
  /// The term itself, or the one of the port that is in its sum.
  const LatencyTerm& port_term(const LatencyTerm& term) const {
    return term.kind == Kind::port_and_loading ? terms_[static_cast<std::size_t>(term.of_port)] : term;
  }
  /// The terms before these are independent; these (port_and_loading) are sums of some of them.
  std::size_t first_sum() const { return first_sum_; }
  std::size_t first_bandwidth() const { return first_bandwidth_; }
  /// By port: index among the bandwidth terms, or -1.
  const std::vector<int>& bandwidth_of_port() const { return bandwidth_of_port_; }

  /// What a transfer adds to a term when its boundary closes at `multiset`, with a second buffer below it.
  double cost(const LatencyTerm& term, const TransferLoad& load, std::size_t multiset) const;
  /// Adds what a missing second buffer below the boundary changes, as SingleBufferPenalty::add().
  bool add_penalty(int operand, int boundary, std::size_t multiset, std::int64_t kept, double* sums) const;
  /// The term counts waiting for transfers over the boundary.
  bool adds_loading(const LatencyTerm& term, int operand, int boundary) const;
  /// What a term starts with in mappings with this residency: the traffic of one-time transfers.
  double at_first(const LatencyTerm& term, const FinalResidency& residency) const;

  /// A lower bound of the stalls of mappings with these sums.
  double least_stalls(const double* sums) const;
  /// Second buffers make a difference.
  bool buffers_matter() const { return buffers_matter_; }

 private:
  static constexpr std::size_t most_terms = 28;  ///< without port_and_loading

  void choose_loading();
  void choose_bandwidths();
  void choose_traffic();
  void choose_ports();
  void add_sums();
  bool closable(const TransferLoad& load, std::size_t multiset) const;
  bool serves_several(int port) const;

  const SearchProblem& problem_;
  const PortLoads& loads_;
  const OneTimeLoads& once_;
  const SecondBuffers& buffers_;
  std::vector<LatencyTerm> terms_;
  std::vector<int> bandwidth_of_port_;
  std::size_t first_bandwidth_ = 0, first_sum_ = 0;
  bool buffers_matter_ = false;
};

}  // namespace zz::core
