#include "tools/check_plugin/rules.hpp"

#include <stdexcept>
#include <string>

namespace zz::host {
namespace {

constexpr const char* not_loaded = Rule::not_loaded;
constexpr const char* nothing_ran = "no stage of this plugin could be run over the made-up context";
constexpr const char* reader = "only a reader of the source can tell";
constexpr const char* host_checks = "the host checks it for each pipeline, before the run";
constexpr const char* no_ability = "no stage of this plugin claims it";

constexpr Rule rules[] = {
    {"L1", "A plugin exports one symbol, the constant table zz_plugin_v0.",
     "Declare the table as in zz/stage_abi.h (ZZ_PLUGIN does it in C++), and build with zz_add_plugin(), "
     "which hides all else.",
     not_loaded},
    {"L2", "abi_major equals the host's; abi_minor is a released one and at most the host's.",
     "Rebuild the plugin against the installed version of zz.", not_loaded},
    {"L3", "The tables are complete when dlopen returns, and live as long as the process.",
     "Make the tables static constants; fill in nothing later than in a static initialiser.", not_loaded},
    {"L4", "A library is loaded with RTLD_NOW and RTLD_LOCAL, and never unloaded.",
     "Link with -Wl,-z,nodelete -Wl,-z,defs, as zz_add_plugin() does.", not_loaded},
    {"L5", "init is cheap, and paired with deinit; several pairs are possible.",
     "Do in init only what finds the functions of the host; leave work to create and open.", not_loaded},
    {"L6", "Nothing of a plugin but the symbol is visible to other libraries.",
     "Compile with -fvisibility=hidden and link with a version script, as zz_add_plugin() does.",
     not_loaded},
    {"L7", "No fast-math in a plugin, compiled or linked; no contraction into fused operations.",
     "Remove -ffast-math and -Ofast from the compiler's and the linker's options.", not_loaded},
    {"L8", "Internal tables are handed only to plugins of the very same build.",
     "Leave `build` NULL: only plugins of zz's own tree set it. Those are built and installed with the "
     "host.",
     not_loaded},
    {"L9", "The file is a whole shared library for the machine of the host, and what it links is there.",
     "Build it for this machine, copy it again, or install the libraries that it names.",
     "the file could not be read"},
    {"T1", "Tables start with `size`, set by whoever fills them in, and grow only at the end.",
     "Set size to sizeof of the table, in every table.", not_loaded},
    {"T2", "Array elements and out-parameters never change size or layout.", nullptr,
     "the layout of the header is checked where zz is built"},
    {"T3", "The header compiles alone in every language.", nullptr,
     "the header is checked where zz is built"},
    {"T4",
     "Enumerations are int32_t, texts UTF-8; texts in tables end in 0; tables hold what the header "
     "allows.",
     "Correct the table of the stage; `zz-host describe STAGE` shows what users see of it.", not_loaded},
    {"T5", "A released minor is final.", nullptr, "the header is checked where zz is built"},
    {"O1", "A borrowed value is used only while the object lives that it came from.",
     "Retain (zz_values.retain) what is needed after the call, and use nothing that was released.",
     nothing_ran},
    {"O2", "Whoever allocates frees; every reference goes back exactly once.",
     "Release each value that was given, once: results of closed streams, values made and held.",
     nothing_ran},
    {"O3", "zz_error is the host's, never kept beyond the call, and may be null.",
     "Hand it on as it is (the functions of zz_host accept a null one), and never look into it.",
     nothing_ran},
    {"O4", "A part that must outlive what it was read from is held.", nullptr, reader},
    {"F1", "No exception, longjmp or panic crosses a function of the header.",
     "Catch everything at each function of the table; zz/stage.hpp does it, unless `run` is noexcept.",
     nothing_ran},
    {"F2", "A call that fails says why, or hands on the failure of the call it made.",
     "Call zz_host.fail with a sentence before returning the code.", "no call failed"},
    {"F3", "Status codes are those of the header.", "Return one of ZZ_OK and ZZ_E_....", nothing_ran},
    {"F4", "A failure of the chain below is handed on unchanged, or becomes the cause of a new one.",
     "Return the code of the call that failed, with its `err` or fail_as; after ZZ_E_CANCELLED and "
     "ZZ_E_INTERNAL do not go on.",
     "no stage of this plugin opens a chain below"},
    {"F5", "Exceptions are kept as code and text, never as exception_ptr.",
     "Keep code and text, as zz/error.hpp does.",
     "the library uses std::exception_ptr, perhaps for something else; look where"},
    {"F6", "A stage that cannot use a file says which one, and what is wrong with it, in words of its own.",
     "Read files with zz_input (read_settings, read_rows, parse, load), or catch what std::stoll and its "
     "like "
     "throw, and fail with the file, the line and what was expected.",
     "it needs a file that a stage reads: --input FILE, or --input SETTING=FILE"},
    {"S1", "create sets the stage; each call makes one of its own.",
     "Set *out to a stage whenever ZZ_OK is returned, and share nothing that changes between two.",
     nothing_ran},
    {"S2", "open fills in all of the stream.", "Set impl, pull, close and more = NULL.", nothing_ran},
    {"S3", "A stage reads only context keys that it declares, and hands down what it declares.",
     "Add the key to `consumes` (with ZZ_OPTIONAL when it may be missing) or to `provides`.", nothing_ran},
    {"S4", "The last stage is a leaf, and no other is.",
     "Set ZZ_STAGE_LEAF exactly for stages that open nothing below.", nothing_ran},
    {"S7", "A setting flagged ZZ_STAGES is a chain of its own.", nullptr, host_checks},
    {"S5", "Each result is `evaluation`, `extra` or both.",
     "Yield nothing rather than an empty result; set both members of zz_result; make evaluations with the "
     "type "
     "\"evaluation\", and put anything else into extra.",
     nothing_ran},
    {"S6", "ZZ_STAGE_FORWARDS, _ONE, _REDUCES, _DETERMINISTIC and `writes` are true of the stage.",
     "Remove the flag, or name the metric in `writes`: the host skips work because of them.", no_ability},
    {"S9", "Mappings that a stage hands down are mappings of the layer on the accelerator beside them.",
     "Share loop orders out over the memories with zz_mappings.allocate, or ask zz_mappings.check first.",
     no_ability},
    {"S8", "Figures of an evaluation are numbers.", nullptr, "the host refuses others where they are set"},
    {"P1", "pull writes at most `cap` results and their number.",
     "Stop at cap, and set *n in every call, also when it fails.", nothing_ran},
    {"P2", "ZZ_OK with no result is the end. The end and a failure are final.",
     "Remember the end and the failure in the stream, and answer the same again.", nothing_ran},
    {"P3", "What a consumer sees does not depend on `cap`.",
     "After results, deliver a failure on the next call; pull from below what is asked for, not more.",
     "no stage of this plugin gave twice the same results"},
    {"P4", "close is called once, at any moment, and releases everything.",
     "Close the streams below and free the stream, finished or not; use no stream after its close.",
     nothing_ran},
    {"P5", "A call that takes long polls zz.cancel/0, and ends soon after it is asked to.",
     "Poll zz_cancel.requested in long loops and return ZZ_E_CANCELLED.", nothing_ran},
    {"M1", "Every function keeps to its tag [main], [serial] or [any].", nullptr,
     "a thread sanitizer sees it, a single run does not"},
    {"M2", "A stage starts no threads. Results never depend on their number.",
     "Use zz.parallel/0, and write only to places that belong to the index.", nothing_ran},
    {"M3", "Streams may migrate between threads.",
     "Keep the state of a stream in the stream; hold no lock and nothing thread-local across a pull.",
     nothing_ran},
    {"M4",
     "Rounding mode, flush-to-zero, signal handlers, locale and working folder stay as they were "
     "found.",
     "Restore what was changed before the function returns.", nothing_ran},
    {"M5", "A stage does not crash: it would end the run, with the name of stage, plugin and place.",
     "Run zz-host check-plugin under a debugger (gdb: set follow-fork-mode child), or build the plugin "
     "with -fsanitize=address,undefined.",
     nothing_ran},
    {"D1", "A mapper leaves out only what the reducer above would drop, ties included.",
     "Leave out a result only where `keep` others of the same opening come before it in the metrics of the "
     "demand and in the order of production; or look at no demand.",
     "no stage of this plugin hands down temporal mappings"},
    {"D2", "A score is bit for bit what opening and pulling would give.",
     "Use one function for both, with the same order of additions.", no_ability},
    {"D3",
     "A stage with a ZZ_ANONYMOUS port gives layers that differ only in their names the same figures.",
     "Remove ZZ_ANONYMOUS from the port, or use the layer's id and name for messages only.", no_ability},
    {"D4", "Without that flag, layers of different names are never taken for alike.", nullptr,
     "concerns the host"},
    {"D5", "Limits that a stage states are those that it keeps.",
     "Hand up each result within the limits, once and in order, and drop every other.", no_ability},
    {"D6", "What a stage says that it makes is what opening it gives.", nullptr, reader},
};

}  // namespace

bool Rule::needs_run() const { return unchecked == nothing_ran; }

std::span<const Rule> plugin_rules() { return rules; }

const Rule& plugin_rule(std::string_view number) {
  for (const Rule& rule : rules) {
    if (number == rule.number) return rule;
  }
  throw std::out_of_range("no rule " + std::string(number));
}

}  // namespace zz::host
