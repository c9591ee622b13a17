// A reader of a format of one's own: convolutions from a CSV file, a line each.
#include <charconv>
#include <map>
#include <sstream>
#include <vector>
#include <zz/stage.hpp>

struct CsvWorkloadStage : zz::Stage {
  static constexpr zz::Description description{.id = "org.example.CsvWorkloadStage",
                                               .name = "CsvWorkloadStage",
                                               .summary = "Reads convolutions from a CSV file",
                                               .flags = ZZ_STAGE_FORWARDS | ZZ_STAGE_DETERMINISTIC};

  std::string workload, mapping;
  static constexpr auto params = zz::params(
      zz::param<&CsvWorkloadStage::workload>("workload", "the CSV file: name,B,K,C,OY,OX,FY,FX,after")
          .required()
          .input_path(),
      zz::param<&CsvWorkloadStage::mapping>("mapping", "the mapping file").required().input_path());
  static constexpr zz::Port provides[] = {zz::object("workload", "workload", "the network of the file")};

  static constexpr std::size_t sizes = 7, columns = sizes + 1;

  [[noreturn]] void wrong(int line, const std::string& what) const {
    throw zz::Error(ZZ_E_INVALID, workload + ":" + std::to_string(line) + ": error: " + what);
  }
  static std::vector<std::string> cells_of(const std::string& line) {
    std::vector<std::string> cells;
    std::stringstream text(line);
    for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
    return cells;
  }
  std::string size_of(const std::string& cell, int line) const {
    int64_t size = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), size);
    if (error != std::errc() || end != cell.data() + cell.size() || size < 1)
      wrong(line, "'" + cell.substr(0, 20) + "' is no positive number");
    return std::to_string(size);
  }

  // The layers in the form of a YAML workload, so that the host's own reader checks them.
  std::string yaml_of(const std::string& csv) const {
    std::string yaml;
    std::map<std::string, std::string> ids;  // by name
    std::stringstream lines(csv);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      if (++number == 1 || line.empty()) continue;  // the heading
      const std::vector<std::string> cells = cells_of(line);
      if (cells.size() < columns || cells.size() > columns + 1)
        wrong(number, "expected name,B,K,C,OY,OX,FY,FX and perhaps the layer before it");
      std::string list;
      for (std::size_t i = 1; i <= sizes; ++i) list += (i > 1 ? ", " : "") + size_of(cells[i], number);
      const std::string id = std::to_string(ids.size());
      std::string source = id;  // none
      if (cells.size() > columns) {
        const auto before = ids.find(cells[columns]);
        if (before == ids.end())
          wrong(number, "there is no layer '" + cells[columns].substr(0, 20) + "' above");
        source = before->second;
      }
      if (!ids.emplace(cells[0], id).second)
        wrong(number, "a layer '" + cells[0].substr(0, 20) + "' is above");
      yaml += "- id: " + id + "\n  name: " + cells[0] +
              "\n  operator_type: Conv\n"
              "  equation: O[b][k][oy][ox]+=W[k][c][fy][fx]*I[b][c][iy][ix]\n"
              "  dimension_relations: [ix=1*ox+1*fx, iy=1*oy+1*fy]\n"
              "  loop_dims: [B, K, C, OY, OX, FY, FX]\n  loop_sizes: [" +
              list +
              "]\n  operand_precision: {W: 8, I: 8, O: 16, O_final: 8}\n  operand_source: {W: " + id +
              ", I: " + source + "}\n";
    }
    return yaml;
  }

  zz::Results run(zz::Value ctx) {
    const zz::Value network = parse("workload", yaml_of(text(workload)), workload);
    const zz::Value mapped = choose_entries(network, load("mapping_file", mapping));
    for (zz::Result& result : substage(zz::with(ctx, {{"workload", mapped}}))) co_yield std::move(result);
  }
};

ZZ_PLUGIN("org.example.csv_workload", CsvWorkloadStage)
