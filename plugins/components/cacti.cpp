#include "plugins/components/cacti.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/number_text.hpp"

namespace zz::plugins {
namespace {

using core::components::ComponentCost;
using core::components::Estimate;
using core::components::MemoryComponent;
namespace fs = std::filesystem;

/// One memory takes CACTI a second or so.
constexpr double most_seconds = 300;

/// A folder of its own that goes with its contents.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (fs::temp_directory_path() / "zz-cacti-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw Error(ZZ_E_INTERNAL,
                  "cannot make a folder for CACTI's files in " + fs::temp_directory_path().string());
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// The lines that a question decides; the last of a key that stands twice counts for CACTI.
std::string lines_for(const MemoryComponent& question) {
  const char* const cell =
      question.transistors == core::components::Transistors::low_standby_power ? "itrs-lstp" : "itrs-hp";
  const double bytes = std::ceil(question.size / 8), word = std::ceil(question.width / 8);
  return fmt::format(
      "\n-size (bytes) {:.0f}\n-block size (bytes) {:.0f}\n-associativity 1\n-read-write port 1\n"
      "-exclusive read port 0\n-exclusive write port 0\n-UCA bank count 1\n-technology (u) {}\n"
      "-Data array cell type - \"{}\"\n-Data array peripheral type - \"{}\"\n"
      "-output/input bus width {:.0f}\n-cache type \"ram\"\n",
      bytes, word, question.node / 1000, cell, cell, 8 * word);
}

/// The numbers after the first line that starts with `title`, up to the end of the line.
std::vector<double> numbers_after(const std::string& text, const std::string& title) {
  const std::size_t found = text.find(title);
  if (found == std::string::npos) return {};
  const std::size_t begin = text.find(':', found + title.size() - 1), end = text.find('\n', found);
  if (begin == std::string::npos || begin > end) return {};
  std::vector<double> numbers;
  std::string_view line = text;
  line = line.substr(begin + 1, end == std::string::npos ? end : end - begin - 1);
  while (!line.empty()) {
    const core::NumberText number = core::number_at_begin_of(line);
    if (number.length > 0) numbers.push_back(number.value);
    line.remove_prefix(std::max<std::size_t>(number.length, 1));
  }
  return numbers;
}

std::string last_lines(const std::string& text) {
  constexpr std::size_t most = 500;
  return text.size() <= most ? text : "..." + text.substr(text.size() - most);
}

}  // namespace

Cacti::Cacti(std::string program) : program_(fs::absolute(program).string()) {
  if (!fs::is_regular_file(program_)) throw Error(ZZ_E_INVALID, "'cacti': there is no program " + program_);
  const fs::path configuration = fs::path(program_).parent_path() / "cache.cfg";
  std::ifstream file(configuration);
  if (!file)
    throw Error(ZZ_E_INVALID, "'cacti': the configuration " + configuration.string() +
                                  " is missing, which comes with CACTI");
  configuration_.assign(std::istreambuf_iterator<char>(file), {});
}

ComponentCost Cacti::cost(const Stage& stage, const MemoryComponent& question) const {
  const Key key{question.size, question.width, question.node, static_cast<int>(question.transistors)};
  const std::lock_guard lock(mutex_);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  return known_.emplace(key, ask(stage, question)).first->second;
}

ComponentCost Cacti::ask(const Stage& stage, const MemoryComponent& question) const {
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "memory.cfg").string();
  std::ofstream(file) << configuration_ << lines_for(question);
  const std::vector<std::string> command = {program_, "-infile", file};
  const Answer answer = stage.execute(command, {}, fs::path(program_).parent_path().string(), most_seconds);
  const auto figure = [&](const char* title, std::size_t count) {
    std::vector<double> numbers = numbers_after(answer.output, title);
    if (answer.status == 0 && numbers.size() == count) return numbers;
    throw Error(
        ZZ_E_INVALID,
        fmt::format("{} gives no '{}' for an SRAM of {} bits, {} wide, at {} nm; it ended with {} and "
                    "said:\n{}{}",
                    program_, title, question.size, question.width, question.node, answer.status,
                    last_lines(answer.output), last_lines(answer.errors)));
  };
  const auto told = [](double value) { return Estimate{value, value, value}; };
  constexpr double pj_in_nj = 1000;
  ComponentCost cost;
  cost.energy = told(figure("Total dynamic read energy per access (nJ)", 1)[0] * pj_in_nj);
  cost.write_energy = told(figure("Total dynamic write energy per access (nJ)", 1)[0] * pj_in_nj);
  const std::vector<double> sides = figure("Cache height x width (mm)", 2);
  cost.area = told(sides[0] * sides[1]);
  cost.leakage = told(figure("Total leakage power of a bank", 1)[0]);
  cost.access_time = told(figure("Access time (ns)", 1)[0]);
  cost.standing = core::components::Standing::tabulated;
  cost.source = "CACTI, as installed here";
  return cost;
}

}  // namespace zz::plugins
