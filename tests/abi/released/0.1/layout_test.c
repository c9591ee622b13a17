/* Minor 0.1 of the boundary, on 64-bit machines: sizes, offsets, constants. Compiling it is the test,
 * against the header of that minor, which lies beside it, and against the present one. Never edited; a
 * later minor has a file of its own. */
#include <assert.h>

#include "zz/stage_abi.h"

/* Array elements and out-parameters keep their size for ever, tables grow at the end. */
#define SIZE(type, bytes) static_assert(sizeof(type) == (bytes), "the size of " #type " changed")
#define TABLE(type, bytes)                                                            \
  static_assert(ZZ_ABI_MINOR > 1 ? sizeof(type) >= (bytes) : sizeof(type) == (bytes), \
                "the size of " #type " changed")
#define AT(type, member, bytes) \
  static_assert(offsetof(type, member) == (bytes), "the place of " #type "." #member " changed")
#define CONSTANT(name, value) static_assert((name) == (value), "the value of " #name " changed")
#define ID(name, text) static_assert(sizeof(name) == sizeof(text), "the text of " #name " changed")

static_assert(ZZ_ABI_MAJOR == 0 && ZZ_ABI_MINOR >= 1,
              "this is not the version that was released, nor a later one");

SIZE(zz_ref, 16);
AT(zz_ref, word, 0);
AT(zz_ref, type, 8);

SIZE(zz_str, 16);
AT(zz_str, p, 0);
AT(zz_str, n, 8);

SIZE(zz_lit, 32);
AT(zz_lit, key, 0);
AT(zz_lit, name, 8);
AT(zz_lit, kind, 12);
AT(zz_lit, u, 16);

TABLE(zz_values, 160);
AT(zz_values, size, 0);
AT(zz_values, name, 8);
AT(zz_values, text, 16);
AT(zz_values, kind, 24);
AT(zz_values, type, 32);
AT(zz_values, i64, 40);
AT(zz_values, f64, 48);
AT(zz_values, str, 56);
AT(zz_values, count, 64);
AT(zz_values, at, 72);
AT(zz_values, get, 80);
AT(zz_values, explain, 88);
AT(zz_values, table, 96);
AT(zz_values, look, 104);
AT(zz_values, retain, 112);
AT(zz_values, release, 120);
AT(zz_values, hold, 128);
AT(zz_values, make, 136);
AT(zz_values, with, 144);
AT(zz_values, json, 152);

SIZE(zz_result, 16);
AT(zz_result, evaluation, 0);
AT(zz_result, extra, 8);

SIZE(zz_stream, 32);
AT(zz_stream, impl, 0);
AT(zz_stream, pull, 8);
AT(zz_stream, close, 16);
AT(zz_stream, more, 24);

TABLE(zz_host, 72);
AT(zz_host, size, 0);
AT(zz_host, abi_major, 4);
AT(zz_host, abi_minor, 6);
AT(zz_host, name, 8);
AT(zz_host, version, 16);
AT(zz_host, build, 24);
AT(zz_host, get_extension, 32);
AT(zz_host, fail, 40);
AT(zz_host, failure, 48);
AT(zz_host, fail_as, 56);
AT(zz_host, open, 64);

SIZE(zz_param, 64);
AT(zz_param, name, 0);
AT(zz_param, kind, 8);
AT(zz_param, flags, 12);
AT(zz_param, def, 16);
AT(zz_param, allowed, 24);
AT(zz_param, unit, 32);
AT(zz_param, doc, 40);
AT(zz_param, aliases, 48);
AT(zz_param, more, 56);

SIZE(zz_port, 40);
AT(zz_port, key, 0);
AT(zz_port, kind, 8);
AT(zz_port, flags, 12);
AT(zz_port, type, 16);
AT(zz_port, doc, 24);
AT(zz_port, more, 32);

TABLE(zz_stage_desc, 128);
AT(zz_stage_desc, size, 0);
AT(zz_stage_desc, flags, 4);
AT(zz_stage_desc, id, 8);
AT(zz_stage_desc, name, 16);
AT(zz_stage_desc, aliases, 24);
AT(zz_stage_desc, summary, 32);
AT(zz_stage_desc, doc, 40);
AT(zz_stage_desc, params, 48);
AT(zz_stage_desc, n_params, 56);
AT(zz_stage_desc, n_consumes, 60);
AT(zz_stage_desc, consumes, 64);
AT(zz_stage_desc, provides, 72);
AT(zz_stage_desc, n_provides, 80);
AT(zz_stage_desc, n_writes, 84);
AT(zz_stage_desc, writes, 88);
AT(zz_stage_desc, create, 96);
AT(zz_stage_desc, destroy, 104);
AT(zz_stage_desc, open, 112);
AT(zz_stage_desc, get_extension, 120);

TABLE(zz_plugin, 88);
AT(zz_plugin, size, 0);
AT(zz_plugin, abi_major, 4);
AT(zz_plugin, abi_minor, 6);
AT(zz_plugin, id, 8);
AT(zz_plugin, version, 16);
AT(zz_plugin, vendor, 24);
AT(zz_plugin, license, 32);
AT(zz_plugin, url, 40);
AT(zz_plugin, build, 48);
AT(zz_plugin, init, 56);
AT(zz_plugin, deinit, 64);
AT(zz_plugin, stages, 72);
AT(zz_plugin, n_stages, 80);

TABLE(zz_log, 24);
AT(zz_log, size, 0);
AT(zz_log, enabled, 8);
AT(zz_log, write, 16);

TABLE(zz_progress, 40);
AT(zz_progress, size, 0);
AT(zz_progress, begin, 8);
AT(zz_progress, advance, 16);
AT(zz_progress, end, 24);
AT(zz_progress, count, 32);

TABLE(zz_cancel, 16);
AT(zz_cancel, size, 0);
AT(zz_cancel, requested, 8);

TABLE(zz_parallel, 24);
AT(zz_parallel, size, 0);
AT(zz_parallel, width, 8);
AT(zz_parallel, for_each, 16);

TABLE(zz_output, 16);
AT(zz_output, size, 0);
AT(zz_output, write, 8);

TABLE(zz_input, 16);
AT(zz_input, size, 0);
AT(zz_input, read, 8);

TABLE(zz_evaluations, 24);
AT(zz_evaluations, size, 0);
AT(zz_evaluations, sum, 8);
AT(zz_evaluations, scale, 16);

TABLE(zz_nested, 24);
AT(zz_nested, size, 0);
AT(zz_nested, place, 8);
AT(zz_nested, describe, 16);

SIZE(zz_demand, 24);
AT(zz_demand, keep, 0);
AT(zz_demand, n, 4);
AT(zz_demand, metric, 8);

TABLE(zz_stage_demand, 16);
AT(zz_stage_demand, size, 0);
AT(zz_stage_demand, demand, 8);

TABLE(zz_demands, 16);
AT(zz_demands, size, 0);
AT(zz_demands, of, 8);

TABLE(zz_score, 40);
AT(zz_score, size, 0);
AT(zz_score, bind, 8);
AT(zz_score, score, 16);
AT(zz_score, unbind, 24);
AT(zz_score, same, 32);

TABLE(zz_stage_score, 32);
AT(zz_stage_score, size, 0);
AT(zz_stage_score, bind, 8);
AT(zz_stage_score, score, 16);
AT(zz_stage_score, unbind, 24);

CONSTANT(ZZ_OK, 0);
CONSTANT(ZZ_E_INVALID, 1);
CONSTANT(ZZ_E_MISSING, 2);
CONSTANT(ZZ_E_TYPE, 3);
CONSTANT(ZZ_E_UNSUPPORTED, 4);
CONSTANT(ZZ_E_CANCELLED, 5);
CONSTANT(ZZ_E_NO_RESULT, 6);
CONSTANT(ZZ_E_INTERNAL, 7);
CONSTANT(ZZ_NONE, 0);
CONSTANT(ZZ_NULL, 1);
CONSTANT(ZZ_BOOL, 2);
CONSTANT(ZZ_I64, 3);
CONSTANT(ZZ_F64, 4);
CONSTANT(ZZ_STR, 5);
CONSTANT(ZZ_LIST, 6);
CONSTANT(ZZ_MAP, 7);
CONSTANT(ZZ_OBJECT, 8);
CONSTANT(ZZ_LIT_REF, 32);
CONSTANT(ZZ_LIT_OWN, 33);
CONSTANT(ZZ_LIT_REMOVE, 34);
CONSTANT(ZZ_LIT_F64S, 35);
CONSTANT(ZZ_LIT_I64S, 36);
CONSTANT(ZZ_REQUIRED, 1);
CONSTANT(ZZ_INPUT_PATH, 2);
CONSTANT(ZZ_DEPRECATED, 4);
CONSTANT(ZZ_OPTIONAL, 8);
CONSTANT(ZZ_STAGES, 16);
CONSTANT(ZZ_ANONYMOUS, 32);
CONSTANT(ZZ_STAGE_LEAF, 1);
CONSTANT(ZZ_STAGE_PARALLEL_OPEN, 2);
CONSTANT(ZZ_STAGE_DETERMINISTIC, 4);
CONSTANT(ZZ_STAGE_REDUCES, 8);
CONSTANT(ZZ_STAGE_FORWARDS, 16);
CONSTANT(ZZ_STAGE_ONE, 32);

ID(ZZ_VALUES, "zz.values/0");
ID(ZZ_PLUGIN_SYMBOL, "zz_plugin_v0");
ID(ZZ_LOG, "zz.log/0");
ID(ZZ_PROGRESS, "zz.progress/0");
ID(ZZ_CANCEL, "zz.cancel/0");
ID(ZZ_PARALLEL, "zz.parallel/0");
ID(ZZ_OUTPUT, "zz.output/0");
ID(ZZ_EVALUATIONS, "zz.evaluations/0");
ID(ZZ_NESTED, "zz.nested/0");
ID(ZZ_STAGE_DEMAND, "zz.stage.demand/0");
ID(ZZ_DEMAND, "zz.demand/0");
ID(ZZ_SCORE, "zz.score/0");
ID(ZZ_STAGE_SCORE, "zz.stage.score/0");
