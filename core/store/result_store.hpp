#pragma once
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/base/diagnostics.hpp"
#include "core/store/content_key.hpp"

namespace zz::core {

/// Thrown when a store cannot be opened, read or written, or is damaged: names it and says why.
class StoreError : public InputError {
 public:
  using InputError::InputError;
};

/// The time to wait for another program that writes.
inline constexpr std::chrono::seconds usual_patience{20};

/// The values of an axis: whole numbers, numbers, or anything.
enum class ColumnKind { integer, real, any };

/// The space that a store is about. A store has one at a time.
struct StoredSpace {
  /// A text that must be the same for the store to go on: names of axes, chain, network, accelerator. A
  /// space that differs in the rest reuses the figures that the store has.
  std::string identity;
  std::string text;                                             ///< the whole space, as JSON
  std::vector<std::string> axes, figures, metrics, objectives;  ///< names; objectives are among the others
  std::vector<ColumnKind> kinds{};                              ///< by axes
};

/// Two names of a space that databases take for one: they differ in capitals at most.
struct NameClash {
  std::string name, earlier;
};
/// Those among the names that become columns beside each other: axes, figures, their bounds
/// ("energy_bound"), metrics, and what every point has. In this order of precedence: what every point has,
/// figures, bounds, axes, metrics.
std::vector<NameClash> name_clashes(const StoredSpace& space);

/// A figure of a design: what was found, and what it cannot be below. Not a number where there is none.
struct StoredFigure {
  double value = 0, bound = 0;
};

/// The state of a point that was looked at.
enum class PointState {
  done,        ///< it has figures and keeps the constraints
  beyond,      ///< it breaks a constraint
  infeasible,  ///< it is no valid accelerator, or nothing can be mapped on it
};
const char* to_string(PointState state);

/// A point of the space of the store.
struct StoredPoint {
  std::uint64_t number = 0;
  ContentKey key{};
  PointState state = PointState::done;
  std::string reason;                ///< why it is not done
  std::vector<nlohmann::json> axes;  ///< values, by StoredSpace::axes
  std::vector<double> metrics;       ///< by StoredSpace::metrics; not a number where there is none
};

/// The answer to a question that several runs ask: the best mapping of a layer.
struct StoredAnswer {
  double value = 0, bound = 0;  ///< of the objective
  double gap = 0;               ///< that was asked for
  std::string mapping;          ///< as its maker writes it
};

/// A group of points that a proof discarded together: each point from the lower to the upper corner.
struct StoredBox {
  std::vector<std::uint32_t> lower, upper;  ///< steps of each axis, both included
  std::vector<double> bounds;               ///< by StoredSpace::objectives: no point inside is below
  std::string reason;                       ///< "beaten by point 7", "breaks area <= 2.5"
};

/// A layer of a design by its best mappings. Not a number where one is not known.
struct StoredLayer {
  std::string name;
  double energy = 0, latency = 0;  ///< pJ, cycles
  std::string mapping;             ///< of the least latency, as its maker writes it
};

/// The outcome of a run that is told by more than figures: one of zz.sweep(), or a point of a space on
/// which nothing can be mapped.
struct StoredOutcome {
  std::string files;    ///< that it depends on besides its key, as its maker writes it
  std::string status;   ///< a word
  double seconds = 0;   ///< that it took
  std::string said;     ///< bytes; they take little room where outcomes with the same files say alike
  std::string results;  ///< bytes; may be none
};
/// The outcome of a point without figures, as zz.sweep() tells it. `reason`: a line. `proven`: nothing
/// legal exists; else a search that has not looked at everything found nothing.
StoredOutcome outcome_without_figures(const std::string& reason, bool proven);

/// Rows of a table: a name for each column, and in each row a value for each.
struct StoredTable {
  std::vector<std::string> columns;
  std::vector<std::vector<nlohmann::json>> rows;
};

/// The results of a space, kept so that nothing is computed twice: a file of SQLite, or a database of
/// a PostgreSQL server, whose tables are those of the first schema of its search path. Layout 4.
///
/// | table | a row is | columns |
/// |---|---|---|
/// | space | a fact about the space | name, value |
/// | point | a point of the space | number, key, state, reason, then a column for each axis and metric |
/// | figure | a figure of a design | key, name, value, bound |
/// | failure | a design without figures | key, reason |
/// | answer | the best mapping of a layer | key, value, bound, gap, mapping |
/// | outcome | a run of zz.sweep(), an infeasible point, or a node on a core | key, input, status, seconds,
/// said, results | | input | the files that outcomes depend on, and what the first of them said | key,
/// files, example | | box | points that a proof discarded together | lower, upper, bounds, reason | | layer
/// | a layer of a point of the front | number, place, name, energy, latency, mapping | | candidate | a
/// point that no other one of its writer beats | number |
///
/// Keys are content keys: rows outlive a change of the space. `said` is packed by zlib with the example of
/// its input as dictionary. Views for any tool: `figures` has a row for
/// each point with its axes, figures, metrics and the bounds of figures; `front` those that no other one
/// beats.
///
/// Words of a store about itself are checked before use: it may be a stranger's, and damaged facts are
/// errors. No text of a store is ever SQL.
///
/// Changes wait in memory until write(), which keeps all of them or none: a killed program loses what it
/// added since. Several programs may use one store at once. Functions throw StoreError that names the store
/// and what is wrong with it; passwords in URLs are not shown. [any]
class ResultStore {
 public:
  enum class Access { read, write };

  /// `place`: the path of a file, or "postgresql://..." as libpq reads it. With `write` the file or the
  /// tables are made where there are none. Throws for what is none of this layout, is cut off, cannot be
  /// reached, or is locked by another program for as long as `patience`; so do functions that write.
  ResultStore(const std::string& place, Access access, std::chrono::milliseconds patience = usual_patience);
  ~ResultStore();

  /// For messages.
  const std::string& name() const;

  /// Takes up a space. One that differs from the store's in more than StoredSpace::identity is refused; one
  /// with the same identity and another text takes the place of the store's, whose points and boxes go.
  void begin(const StoredSpace& space);
  /// Throws where the store has none yet.
  StoredSpace space() const;
  bool has_space() const;

  std::optional<StoredFigure> figure(const ContentKey& key, const std::string& name) const;
  /// All figures of a design, by name.
  std::map<std::string, StoredFigure> figures_under(const ContentKey& key) const;
  std::optional<std::string> failure(const ContentKey& key) const;
  std::optional<StoredAnswer> answer(const ContentKey& key) const;
  std::optional<StoredPoint> point(std::uint64_t number) const;
  /// Each with other files.
  std::vector<StoredOutcome> outcomes(const ContentKey& key) const;

  void add_figure(const ContentKey& key, const std::string& name, const StoredFigure& figure);
  void add_failure(const ContentKey& key, const std::string& reason);
  void add_answer(const ContentKey& key, const StoredAnswer& answer);
  void add_outcome(const ContentKey& key, const StoredOutcome& outcome);
  void add_point(const StoredPoint& point);
  void add_box(const StoredBox& box);
  /// The layers of a point, in the order of the network.
  void add_layers(std::uint64_t number, const std::vector<StoredLayer>& layers);
  void add_candidate(std::uint64_t number);
  void remove_candidate(std::uint64_t number);
  /// All boxes go: a proof that starts anew makes them again.
  void remove_boxes();
  /// At once, those that lie between these corners: what another program began is done again.
  void remove_boxes(const std::vector<std::uint32_t>& lower, const std::vector<std::uint32_t>& upper);
  /// Writes what has been added: at the end, and now and then when the last time is a while ago.
  void write();
  void write_if_due();

  /// The rows of `front`, by the first objective, then the next; what has none comes first.
  StoredTable front() const;
  /// The view `figures`, by number.
  StoredTable figures() const;
  /// The row of it; no row where the point has none.
  StoredTable figures_of(std::uint64_t number) const;
  /// The numbers of the points that are known, ascending.
  std::vector<std::uint64_t> points() const;
  std::vector<StoredBox> boxes() const;
  std::vector<StoredLayer> layers(std::uint64_t number) const;
  /// Number of points of a state.
  std::uint64_t count(PointState state) const;
  std::uint64_t count_outcomes() const;
  std::uint64_t count_answers() const;
  /// True when it has points, figures or failures.
  bool has_results() const;

  /// Adds what another store has of the same space, and its outcomes. Throws where that is another space.
  void merge(const std::string& other);

  /// True for the URL of a server, or a file that begins as SQLite files do.
  static bool is_store(const std::string& place);
  static bool is_on_server(const std::string& place);
  /// The user's word for the URL of a server: connections to it may use the passwords of the environment
  /// and of the user's files (PGPASSWORD, ~/.pgpass, services). Others have what the URL says. [any]
  static void trust_server(const std::string& place);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace zz::core
