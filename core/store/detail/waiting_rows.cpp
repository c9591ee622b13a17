#include "core/store/detail/waiting_rows.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "core/store/detail/packed_bytes.hpp"

namespace zz::core {
namespace {

void write_figures(Statements& statements, const WaitingRows& changes) {
  for (const auto& [which, figure] : changes.figures)
    statements(
        "INSERT INTO figure VALUES (?, ?, ?, ?) ON CONFLICT (key, name) DO UPDATE SET value = "
        "excluded.value, bound = excluded.bound")
        .bind(std::span<const unsigned char>(which.first))
        .bind(std::string_view(which.second))
        .bind(figure.value)
        .bind(figure.bound)
        .run();
  for (const auto& [key, reason] : changes.failures)
    statements("INSERT INTO failure VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET reason = excluded.reason")
        .bind(std::span<const unsigned char>(key))
        .bind(std::string_view(reason))
        .run();
  for (const auto& [key, answer] : changes.answers)
    statements(
        "INSERT INTO answer VALUES (?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = "
        "excluded.value, bound = excluded.bound, gap = excluded.gap, mapping = excluded.mapping")
        .bind(std::span<const unsigned char>(key))
        .bind(answer.value)
        .bind(answer.bound)
        .bind(answer.gap)
        .bind(std::string_view(answer.mapping))
        .run();
}

/// The example that outcomes with these files are packed by; "" where there are none yet.
std::string example(Statements& statements, const ContentKey& inputs) {
  Statement& find = statements("SELECT example FROM input WHERE key = ?");
  find.bind(std::span<const unsigned char>(inputs));
  std::string found;
  if (find.step()) found = find.bytes(0);
  find.reset();
  return found;
}

void write_outcomes(Statements& statements, const WaitingRows& changes) {
  std::map<ContentKey, std::string> examples;
  for (const auto& [which, outcome] : changes.outcomes) {
    const auto& [key, inputs] = which;
    const auto [known, is_new] = examples.try_emplace(inputs);
    if (is_new) {
      // One of two programs that begin with the same files has made the example.
      statements("INSERT INTO input VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING")
          .bind(std::span<const unsigned char>(inputs))
          .bind(std::string_view(outcome.files))
          .bind(bytes_of(outcome.said))
          .run();
      known->second = example(statements, inputs);
    }
    const std::string said = packed(outcome.said, known->second);
    Statement& put = statements(
        "INSERT INTO outcome VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (key, input) DO UPDATE SET status = "
        "excluded.status, seconds = excluded.seconds, said = excluded.said, results = excluded.results");
    put.bind(std::span<const unsigned char>(key)).bind(std::span<const unsigned char>(inputs));
    put.bind(std::string_view(outcome.status)).bind(outcome.seconds).bind(bytes_of(said));
    if (outcome.results.empty())
      put.bind_null();
    else
      put.bind(bytes_of(outcome.results));
    put.run();
  }
}

void write_points(Statements& statements, const WaitingRows& changes, const StoredSpace& space) {
  std::string put_point = "INSERT INTO point VALUES " +
                          parameters(4 + space.axes.size() + space.metrics.size()) +
                          " ON CONFLICT (number) DO UPDATE SET key = excluded.key, state = excluded.state, "
                          "reason = excluded.reason";
  for (const auto* names : {&space.axes, &space.metrics})
    for (const std::string& name : *names)
      put_point += fmt::format(", {0} = excluded.{0}", quoted_name(name));
  for (const auto& [number, point] : changes.points) {
    Statement& put = statements(put_point);
    put.bind(static_cast<std::int64_t>(number)).bind(std::span<const unsigned char>(point.key));
    put.bind(std::string_view(to_string(point.state)));
    if (point.reason.empty())
      put.bind_null();
    else
      put.bind(std::string_view(point.reason));
    for (const nlohmann::json& value : point.axes) put.bind(value);
    for (const double metric : point.metrics) put.bind(metric);
    put.run();
  }
  for (const auto& [number, is_one] : changes.candidates)
    (is_one ? statements("INSERT INTO candidate VALUES (?) ON CONFLICT (number) DO NOTHING")
            : statements("DELETE FROM candidate WHERE number = ?"))
        .bind(static_cast<std::int64_t>(number))
        .run();
  if (changes.without_boxes) statements("DELETE FROM box").run();
  for (const StoredBox& box : changes.boxes) {
    const std::string lower = list_text(box.lower), upper = list_text(box.upper),
                      bounds = list_text(box.bounds);
    statements("INSERT INTO box VALUES (?, ?, ?, ?)")
        .bind(std::string_view(lower))
        .bind(std::string_view(upper))
        .bind(std::string_view(bounds))
        .bind(std::string_view(box.reason))
        .run();
  }
  for (const auto& [number, layers] : changes.layers)
    for (std::size_t place = 0; place < layers.size(); ++place)
      statements(
          "INSERT INTO layer VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (number, place) DO UPDATE SET energy = "
          "excluded.energy, latency = excluded.latency, mapping = excluded.mapping")
          .bind(static_cast<std::int64_t>(number))
          .bind(static_cast<std::int64_t>(place))
          .bind(std::string_view(layers[place].name))
          .bind(layers[place].energy)
          .bind(layers[place].latency)
          .bind(std::string_view(layers[place].mapping))
          .run();
}

}  // namespace

void WaitingRows::add(const ContentKey& key, const StoredOutcome& outcome) {
  const std::string_view files = outcome.files;
  outcomes.insert_or_assign({key, content_key(std::span(&files, 1))}, outcome);
}

bool WaitingRows::empty() const {
  return figures.empty() && failures.empty() && answers.empty() && outcomes.empty() && points.empty() &&
         candidates.empty() && !without_boxes && boxes.empty() && layers.empty();
}

void WaitingRows::write(Statements& statements, const StoredSpace& space) const {
  write_figures(statements, *this);
  write_outcomes(statements, *this);
  write_points(statements, *this, space);
}

}  // namespace zz::core
