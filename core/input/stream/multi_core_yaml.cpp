#include "core/input/stream/multi_core_yaml.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

#include "core/hardware/multi_core_check.hpp"
#include "core/input/stream/detail/multi_core_file_search.hpp"
#include "core/input/stream/detail/multi_core_links_yaml.hpp"
#include "core/input/yaml/document.hpp"
#include "core/input/yaml/map_reader.hpp"
#include "core/input/yaml/scalar.hpp"
#include "core/input/zigzag/accelerator_yaml.hpp"

namespace zz::core {
namespace {

/// Core files of an accelerator. Each is read once; cores of one file are one object.
class CoreFiles {
 public:
  CoreFiles(const std::string& accelerator_file, const Files& files, Diagnostics& diagnostics)
      : accelerator_file_(accelerator_file), files_(files), diagnostics_(diagnostics) {}

  /// nullptr after reporting a problem.
  std::shared_ptr<const Accelerator> read(const yaml::Node& node, const std::string& what) {
    std::string name;
    if (!yaml::read(node, what, name, diagnostics_)) return nullptr;
    const auto known = cores_.find(name);
    if (known != cores_.end()) return known->second;
    return cores_[name] = read_first(node, name);
  }

 private:
  std::shared_ptr<const Accelerator> read_first(const yaml::Node& node, const std::string& name) {
    const FoundFile file = find_core_file(name, accelerator_file_);
    if (file.path.empty()) {
      diagnostics_.error(node.mark, fmt::format("there is no core file '{}'", name),
                         fmt::format("looked for {}", fmt::join(file.looked, ", ")));
      return nullptr;
    }
    warn(node, name, file);
    try {
      return std::make_shared<const Accelerator>(read_core(file.path.string(), diagnostics_, files_));
    } catch (const InputError& error) {
      for (const Diagnostic& problem : error.diagnostics())
        diagnostics_.error(problem.mark, problem.message, problem.hint);
      return nullptr;
    }
  }

  void warn(const yaml::Node& node, const std::string& name, const FoundFile& file) {
    if (!file.others.empty()) {
      diagnostics_.warning(
          node.mark,
          fmt::format("there are {} core files '{}'; {} is taken, not {}", file.others.size() + 1, name,
                      file.path.string(), file.others.front().string()),
          "give it with its folder");
    }
    if (file.shortened) {
      diagnostics_.warning(
          node.mark, fmt::format("there is no core file '{}'; {} is taken", name, file.path.string()));
    }
  }

  const std::string accelerator_file_;
  const Files& files_;
  Diagnostics& diagnostics_;
  std::map<std::string, std::shared_ptr<const Accelerator>> cores_;
};

class Reader {
 public:
  Reader(const yaml::Node& root, const std::string& path, const Files& files, Diagnostics& diagnostics)
      : root_(root), diagnostics_(diagnostics), files_(path, files, diagnostics) {}

  MultiCoreAccelerator read() {
    yaml::MapReader map(root_, "the accelerator", diagnostics_);
    if (!root_.is_map()) return {};
    map.required("name", accelerator_.name);
    refuse_parts_of_a_core(map);
    const yaml::Node* cores = map.required("cores");
    if (cores != nullptr && cores->is_map() &&
        yaml::expect_short_map(*cores, map.what("cores"), diagnostics_)) {
      read_core_map(*cores);
    } else if (cores != nullptr && yaml::expect_short_list(*cores, map.what("cores"), diagnostics_)) {
      for (const yaml::Node& file : cores->items) add_core(file, "an item of " + map.what("cores"));
    }
    if (cores != nullptr && (cores->is_map() || cores->is_list()) && accelerator_.cores.empty())
      diagnostics_.error(cores->mark, "the accelerator has no cores");
    if (accelerator_.cores.size() > most_cores) {
      cores_are_known_ = false;
      diagnostics_.error(cores->mark,
                         fmt::format("{} names {} cores; at most {} are possible", map.what("cores"),
                                     accelerator_.cores.size(), most_cores));
    }
    const bool later_format = root_.find("core_connectivity") != nullptr ||
                              root_.find("offchip_core") != nullptr ||
                              root_.find("offchip_core_id") != nullptr;
    if (later_format) read_offchip_core(map);
    read_shared_memories(map);
    if (later_format) {
      read_connectivity(map, cores_are_known_, accelerator_, diagnostics_);
    } else if (const yaml::Node* graph = map.required("graph")) {
      read_graph(*graph, cores_are_known_, accelerator_, diagnostics_);
    }
    map.finish();
    if (!diagnostics_.has_errors()) derive();
    return std::move(accelerator_);
  }

 private:
  void add_core(const yaml::Node& file, const std::string& what) {
    accelerator_.cores.push_back(files_.read(file, what));
    cores_are_known_ = cores_are_known_ && accelerator_.cores.back() != nullptr;
  }

  /// `cores` as a map from id to file, in any order.
  void read_core_map(const yaml::Node& cores) {
    std::vector<const yaml::Node*> files(cores.entries.size(), nullptr);
    for (std::size_t i = 0; i < cores.entries.size(); ++i) {
      const auto id = yaml::parse_int(cores.entries[i].first);
      if (id && *id >= 0 && *id < static_cast<std::int64_t>(files.size())) {
        files[static_cast<std::size_t>(*id)] = &cores.entries[i].second;
      } else {
        cores_are_known_ = false;
        diagnostics_.error(
            cores.key_marks[i],
            fmt::format("'{}' is no id of one of {} cores", cores.entries[i].first, files.size()),
            fmt::format("ids are the numbers from 0 to {}", files.size() - 1));
      }
    }
    for (std::size_t id = 0; id < files.size(); ++id) {
      if (files[id] != nullptr) {
        add_core(*files[id], fmt::format("core {}", id));
      } else {
        accelerator_.cores.push_back(nullptr);
      }
    }
  }

  void read_offchip_core(yaml::MapReader& map) {
    if (const yaml::Node* file = map.nullable("offchip_core")) {
      accelerator_.offchip_core = accelerator_.core_count();
      add_core(*file, map.what("offchip_core"));
      if (const yaml::Node* id = map.nullable("offchip_core_id"))
        diagnostics_.error(id->mark,
                           "the off-chip core is given twice, as 'offchip_core' and 'offchip_core_id'");
    } else {
      accelerator_.offchip_core =
          read_role(map, "offchip_core_id", accelerator_.core_count(), diagnostics_);
    }
  }

  void read_shared_memories(yaml::MapReader& map) {
    const yaml::Node* list = map.nullable("core_memory_sharing");
    if (list == nullptr || !yaml::expect_short_list(*list, map.what("core_memory_sharing"), diagnostics_))
      return;
    for (const yaml::Node& item : list->items) {
      MultiCoreAccelerator alone;
      alone.name = accelerator_.name;
      alone.cores = accelerator_.cores;
      alone.shared_memories.emplace_back();
      std::vector<int>& ids = alone.shared_memories.front();
      if (!read_core_ids(item, "an item of " + map.what("core_memory_sharing"), accelerator_.core_count(),
                         ids, diagnostics_))
        continue;
      if (cores_are_known_) {
        Diagnostics problems;
        check_multi_core(alone, problems);
        for (const Diagnostic& problem : problems.all())
          diagnostics_.error(item.mark, problem.message, problem.hint);
      }
      accelerator_.shared_memories.push_back(ids);
    }
  }

  /// Reports keys of a core in a file of several.
  void refuse_parts_of_a_core(yaml::MapReader& map) {
    for (const char* key : {"memories", "operational_array", "dataflows"}) {
      const yaml::Node* part = map.optional(key);
      if (part == nullptr) continue;
      diagnostics_.error(
          part->mark,
          fmt::format("a file with 'cores' describes several cores, but '{}' belongs to one", key),
          "move it into a file of its own and name that file in 'cores'");
    }
  }

  void derive() {
    const yaml::Node* links = root_.find("core_connectivity");
    const SourceMark& mark = links != nullptr ? links->mark : root_.mark;
    try {
      accelerator_.derive();
    } catch (const InputError& error) {
      for (const Diagnostic& problem : error.diagnostics())
        diagnostics_.error(mark, problem.message, problem.hint);
    }
  }

  const yaml::Node& root_;
  Diagnostics& diagnostics_;
  CoreFiles files_;
  MultiCoreAccelerator accelerator_;
  bool cores_are_known_ = true;
};

MultiCoreAccelerator read_document(const yaml::Node& root, const std::string& path, const Files& files,
                                   Diagnostics& found, Diagnostics& diagnostics) {
  MultiCoreAccelerator accelerator = Reader(root, path, files, found).read();
  yaml::hand_over(found, diagnostics);
  return accelerator;
}

}  // namespace

MultiCoreAccelerator read_multi_core(const std::string& path, Diagnostics& diagnostics,
                                     const Files& files) {
  Diagnostics found;
  return read_document(yaml::load_file(path, found, files), path, files, found, diagnostics);
}

std::variant<Accelerator, MultiCoreAccelerator> read_one_or_several_cores(const std::string& path,
                                                                          Diagnostics& diagnostics,
                                                                          const Files& files) {
  Diagnostics found;
  const yaml::Node root = yaml::load_file(path, found, files);
  if (root.find("cores") != nullptr) return read_document(root, path, files, found, diagnostics);
  return read_accelerator(root, found, diagnostics);
}

}  // namespace zz::core
