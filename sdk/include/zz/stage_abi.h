/* zz/stage_abi.h - the C ABI between zz-host and stage plugins.
 *
 * A plugin is a shared library that exports one constant table, `zz_plugin_v0`. The table lists
 * the stages it brings; each stage describes its settings and the context keys it takes and hands
 * down, and gives the host two functions: `create`, once per place in a pipeline, and `open`, once
 * per iteration, which starts a pull stream of results.
 *
 * Rules that hold everywhere in this header. They are numbered in docs/abi.md, each with what
 * checks it.
 *  - C11 and C++20, no dependency beyond <stddef.h> and <stdint.h>. Every enumeration crosses as
 *    int32_t, every truth value as an integer, every text as UTF-8.
 *  - Tables (zz_host, zz_stage_desc, zz_plugin and every extension) start with `size`, set by
 *    whoever filled them in, and only grow at the end. A member that was added later is read
 *    through ZZ_HAS() only.
 *  - Array elements and out-parameters (zz_param, zz_port, zz_lit, zz_ref, zz_result, zz_stream)
 *    never change size.
 *  - Three verbs and nothing else describe ownership. *Borrow*: valid while the object that it came
 *    from lives. *Take*: the callee now holds one reference. *Give*: the caller now holds one.
 *  - Whoever allocates frees: a reference goes back through zz_values.release. No plugin ever frees
 *    host memory and the host never frees plugin memory.
 *  - No C++ exception, longjmp or panic may cross a function declared here.
 *  - Texts that are handed over are copied during the call, unless it says otherwise; a zz_str of
 *    length 0 may have no address.
 *  - Units: energy in pJ, time in cycles, sizes in bits, bandwidths in bits a cycle, areas in mm2.
 *    Fields and units of all objects are in docs/values.md.
 *  - A stage leaves rounding mode, flush-to-zero and signal handlers as it found them, and starts
 *    no threads of its own (zz.parallel/0 has some).
 *  - Each function carries its thread contract:
 *      [main]    one call at a time, on the thread that runs the pipeline
 *      [serial]  one call at a time per object, on any thread (objects may migrate)
 *      [any]     callable concurrently from any thread
 *
 * In this order: status, values, results, the host (zz_host), a stage (zz_stage_desc), a plugin
 * (zz_plugin); these make a plugin that works. Then, each table by itself and to be looked up when it is
 * wanted: what a stage may be able to do besides (zz_stage_*), and what the host offers (the others).
 *
 * Versions: 0.1 is the first that was released. What a released minor has stays as it is; a later one
 * only appends members to tables, constants, and extensions. So a plugin that was built against a released
 * header loads in every later host of the same major.
 */
#ifndef ZZ_STAGE_ABI_H
#define ZZ_STAGE_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define ZZ_NOEXCEPT noexcept
extern "C" {
#else
#define ZZ_NOEXCEPT
#endif

#if defined(__GNUC__)
#define ZZ_EXPORT __attribute__((visibility("default")))
#else
#define ZZ_EXPORT
#endif

#define ZZ_ABI_MAJOR 0 /* layout or meaning of something that exists changed: hosts refuse */
#define ZZ_ABI_MINOR 2 /* something was appended: older plugins still load */

/* True when the table `p` is new enough to carry `member` and the member is set. */
#define ZZ_HAS(p, member) \
  ((size_t)(p)->size >= (size_t)((const char*)(&(p)->member + 1) - (const char*)(p)) && (p)->member)

/* --------------------------------------------------------------------------------- status */

typedef int32_t zz_status;
enum {
  ZZ_OK = 0,
  ZZ_E_INVALID = 1,     /* the user's input is wrong; the message says where and what is allowed */
  ZZ_E_MISSING = 2,     /* a context key, field or setting that was required is not there */
  ZZ_E_TYPE = 3,        /* it is there, with another type */
  ZZ_E_UNSUPPORTED = 4, /* understood, not offered by this host or stage */
  ZZ_E_CANCELLED = 5,   /* stopped because the host asked */
  ZZ_E_NO_RESULT = 6,   /* the search space was empty: no legal mapping */
  ZZ_E_INTERNAL = 7     /* a bug in the stage or the host */
};

/* Where a failing call puts its message. Host-owned, passed into every call that can fail; a stage
 * hands on the one of the call that it is in. Never kept beyond that call, nor used on another thread
 * (calls from within zz_parallel.for_each pass NULL, and zz_host.failure has the reason). May be NULL. */
typedef struct zz_error zz_error;

/* --------------------------------------------------------------------------------- values */

/* One reference to an immutable, reference-counted value owned by the host: a number, a text, a
 * list, a map, a context, an evaluation, or an object of the domain (a layer, an accelerator, ...).
 * A pointer to one may be shared between threads; the count is atomic. */
typedef struct zz_value zz_value;

/* An interned text: a field, a context key, a metric, or a path through several of them, such as
 * "accelerator.memories[l1].size" or "operands[0].levels[2]". Stable for the process. */
typedef uint32_t zz_name;

enum {              /* what a reference points at */
       ZZ_NONE = 0, /* nothing: the part does not exist, and the reference carries the missing name */
       ZZ_NULL,
       ZZ_BOOL,
       ZZ_I64,
       ZZ_F64,
       ZZ_STR,
       ZZ_LIST,
       ZZ_MAP,
       ZZ_OBJECT /* named fields of a known type: "layer", "accelerator", "evaluation", ... */
};

/* A borrowed look at a value or a part of one; two words, passed by value, never freed. Valid as
 * long as the value that it was read from. `type` is NULL for a part that does not exist; every
 * function of zz_values accepts such a reference, so look-ups chain and the error still names the
 * key that was missing. Opaque: only zz_values reads it. */
typedef struct zz_ref {
  uint64_t word;
  const void* type;
} zz_ref;

typedef struct zz_str { /* borrowed text, not terminated */
  const char* p;
  size_t n;
} zz_str;

enum {                  /* zz_lit.kind beyond ZZ_NULL .. ZZ_MAP */
       ZZ_LIT_REF = 32, /* u.ref: the host copies what the reference shows, or shares it */
       ZZ_LIT_OWN,      /* u.own: the value itself, shared; the caller keeps its reference; NULL is null */
       ZZ_LIT_REMOVE,   /* only in `with`: the key goes away */
       ZZ_LIT_F64S,     /* u.a: a list of `n` doubles */
       ZZ_LIT_I64S      /* u.a: a list of `n` int64_t */
};

/* A literal: what a plugin writes down, on its own stack, to make or change a value. */
typedef struct zz_lit {
  const char* key; /* field, map key or path; NULL in a list, or when `name` is used instead */
  zz_name name;    /* interned key, 0 when `key` is used */
  int32_t kind;
  union {
    int64_t i; /* ZZ_BOOL, ZZ_I64 */
    double d;
    zz_str s;
    struct {
      const void* p; /* ZZ_LIST, ZZ_MAP: zz_lit[n]; ZZ_LIT_F64S, ZZ_LIT_I64S: the numbers */
      size_t n;
    } a;
    zz_ref ref;
    zz_value* own;
  } u;
} zz_lit;

/* Everything that can be done with values. Host extension "zz.values/0". Every function [any]. */
typedef struct zz_values {
  uint32_t size;

  zz_name (*name)(const char* s, size_t n) ZZ_NOEXCEPT; /* interns; do it once, in `create`. 0: no name */
  zz_str (*text)(zz_name n) ZZ_NOEXCEPT;                /* borrowed for the life of the process */

  int32_t (*kind)(zz_ref v) ZZ_NOEXCEPT;
  zz_str (*type)(zz_ref v) ZZ_NOEXCEPT;                 /* "layer"; empty unless ZZ_OBJECT */
  zz_status (*i64)(zz_ref v, int64_t* out) ZZ_NOEXCEPT; /* booleans are 0 and 1; integral doubles convert */
  zz_status (*f64)(zz_ref v, double* out) ZZ_NOEXCEPT;  /* integers convert */
  zz_status (*str)(zz_ref v, zz_str* out) ZZ_NOEXCEPT;  /* borrowed */
  uint32_t (*count)(zz_ref v) ZZ_NOEXCEPT;              /* parts of a list, map or object */
  /* The i-th part, one that does not exist where i >= count. `key` may be NULL; borrowed, empty in a list.
   */
  zz_ref (*at)(zz_ref v, uint32_t i, zz_str* key) ZZ_NOEXCEPT;
  zz_ref (*get)(zz_ref v, zz_name field_or_path) ZZ_NOEXCEPT;
  /* Why `v` cannot be read as `wanted_kind` (or, with ZZ_NONE, why it is missing): code and message
   * into err; returns that code. For the author who wants the host's words. */
  zz_status (*explain)(zz_ref v, int32_t wanted_kind, zz_error* err) ZZ_NOEXCEPT;

  /* m fields of n values (borrowed, NULL is allowed) into out[j * n + i], NaN where missing or no number:
   * the hot path of every reducer is one call and one loop over doubles. */
  void (*table)(zz_value* const* v, uint32_t n, const zz_name* f, uint32_t m, double* out) ZZ_NOEXCEPT;

  zz_ref (*look)(const zz_value* v) ZZ_NOEXCEPT; /* borrow; NULL gives a null reference */
  zz_value* (*retain)(zz_value* v)ZZ_NOEXCEPT;   /* give */
  void (*release)(zz_value* v) ZZ_NOEXCEPT;      /* take; NULL is allowed */
  /* Give a value for a part that must outlive `root` (borrowed: what the part was read from, and nothing
   * else). NULL where the part does not exist. */
  zz_value* (*hold)(zz_value* root, zz_ref part)ZZ_NOEXCEPT;

  /* Give a new value, or NULL with a message in err. `type` NULL makes a plain tree from a literal
   * of kind ZZ_MAP, ZZ_LIST or a scalar; else an object of that type from a ZZ_MAP literal, checked
   * like user input. Types that can be made: docs/values.md. */
  zz_value* (*make)(const char* type, const zz_lit* lit, zz_error* err)ZZ_NOEXCEPT;
  /* Give a copy of `base` with `n` parts set; keys may be paths. Of a context: a layer above it.
   * Objects are checked again. An evaluation takes unknown keys as new metrics. */
  zz_value* (*with)(zz_value* base, const zz_lit* edits, uint32_t n, zz_error* err)ZZ_NOEXCEPT;
  /* Give the value as JSON text (a ZZ_STR value). */
  zz_value* (*json)(zz_ref v, zz_error* err)ZZ_NOEXCEPT;
} zz_values;
#define ZZ_VALUES "zz.values/0"

/* ---------------------------------------------------------------- results, pulled upwards */

typedef struct zz_result {
  zz_value* evaluation; /* one reference, to an object "evaluation" or a list of them; may be NULL */
  zz_value* extra;      /* one reference; may be NULL. Free form: reducers and iterators nest it */
} zz_result;

/* One iteration of one stage. Filled in by the producer. */
typedef struct zz_stream {
  void* impl; /* the producer's own */

  /* cap >= 1. Writes 1..cap results into out (given) and their number into *n. ZZ_OK with *n == 0 is the
   * end. The end and a failure are final: later calls repeat them. A producer that fails after it found
   * something hands that over first and fails on the next call, so that what a consumer sees never
   * depends on cap. On failure *n is 0. cap 1 runs in lockstep. [serial] */
  zz_status (*pull)(struct zz_stream* s, zz_result* out, uint32_t cap, uint32_t* n,
                    zz_error* err) ZZ_NOEXCEPT;

  /* Releases everything that the stream holds, finished or not; results that were handed over stay with
   * their new owner. Called once, perhaps on another thread than pull. [serial] */
  void (*close)(struct zz_stream* s) ZZ_NOEXCEPT;

  const void* more; /* NULL in 0.x and 1.x */
} zz_stream;

/* A stage's place in the pipeline: who is calling, and the chain below. Host-owned, lives as long
 * as the stage. */
typedef struct zz_place zz_place;

/* ------------------------------------------------------------------------------- the host */

typedef struct zz_host {
  uint32_t size;
  uint16_t abi_major, abi_minor;
  const char* name;    /* "zz-host" */
  const char* version; /* "0.1.0" */
  const char* build;   /* exact build; gates the internal tier and nothing else */

  /* A table of functions by id ("zz.log/0"), or NULL. Lives as long as the process. [any] */
  const void* (*get_extension)(const char* id)ZZ_NOEXCEPT;

  /* Puts code and message (copied) into err. The host adds stage, plugin and place itself. [any] */
  void (*fail)(zz_error* err, zz_status code, const char* msg, size_t len) ZZ_NOEXCEPT;

  /* The last failure that a call into the host or the chain below gave within the current call, as
   * a value {code, message, stage, cause} (given), or NULL: to be kept, recorded, or passed on. [any] */
  zz_value* (*failure)(void)ZZ_NOEXCEPT;
  void (*fail_as)(zz_error* err, const zz_value* failure) ZZ_NOEXCEPT; /* [any] */

  /* Starts an iteration of the chain below `at` over ctx (borrowed for the call). On ZZ_OK the caller owns
   * *out and closes it before its own stage is destroyed. ZZ_E_UNSUPPORTED below a leaf. [serial] per
   * place, [any] when every stage below is ZZ_STAGE_PARALLEL_OPEN. */
  zz_status (*open)(zz_place* at, zz_value* ctx, zz_stream* out, zz_error* err) ZZ_NOEXCEPT;
} zz_host;

/* ------------------------------------------------------------------------------- a stage */

enum { /* zz_param.flags, zz_port.flags */
       ZZ_REQUIRED = 1u << 0,
       ZZ_INPUT_PATH = 1u << 1, /* a file that is read, or (since 0.2) a list of such: relative to the file
                                   that it is written in */
       ZZ_DEPRECATED = 1u << 2,
       ZZ_OPTIONAL = 1u << 3, /* a port: used when it is there, no error when not */
       ZZ_STAGES = 1u << 4,   /* a setting of kind ZZ_LIST: stages, written as in a pipeline, of which the
                                 host makes a chain of its own; see zz_nested */
       ZZ_ANONYMOUS = 1u << 5 /* a port with a layer: which one it is (its id and name, and where its
                                 operands come from) counts for messages only */
};

typedef struct zz_param { /* one setting of a stage in the pipeline file */
  const char* name;
  int32_t kind; /* ZZ_BOOL, ZZ_I64, ZZ_F64, ZZ_STR, ZZ_LIST, ZZ_MAP; ZZ_NULL for any */
  uint32_t flags;
  const char* def;     /* default as YAML text; NULL when there is none (and then null is allowed
                          unless ZZ_REQUIRED) */
  const char* allowed; /* "energy|latency|EDP", "[1, 64]", "[1, inf]", "(0, 1]"; NULL when free. Of a list:
                          what each of its items must be */
  const char* unit;    /* "cycles", "pJ"; NULL when none */
  const char* doc;     /* one sentence */
  const char* aliases; /* older spellings, "accelerator_path|acc"; NULL when none */
  const void* more;    /* NULL in 0.x and 1.x */
} zz_param;

typedef struct zz_port { /* a context key that the stage takes from above or hands down */
  const char* key;       /* "*": the keys of its settings that are maps, {key: [values]}, several
                            names in one as {"key, key": [[values], ...]}; keys may be paths */
  int32_t kind;          /* ZZ_OBJECT and scalars as above; ZZ_NULL for any */
  uint32_t flags;
  const char* type; /* of a ZZ_OBJECT: "layer"; NULL otherwise */
  const char* doc;  /* one sentence, with the unit */
  const void* more; /* NULL in 0.x and 1.x */
} zz_port;

enum {                                   /* zz_stage_desc.flags */
       ZZ_STAGE_LEAF = 1u << 0,          /* the last of a pipeline: opens nothing below */
       ZZ_STAGE_PARALLEL_OPEN = 1u << 1, /* open() and its streams are [any]; else [serial] per stage */
       ZZ_STAGE_DETERMINISTIC = 1u << 2, /* same context and settings, same results in the same order */
       ZZ_STAGE_REDUCES = 1u << 3,       /* yields one result for its whole substage */
       ZZ_STAGE_FORWARDS = 1u << 4,      /* yields what its openings yield: each result once, in order, its
                                            metrics as they were but for `writes`, and nothing is done
                                            per result that anyone can see */
       ZZ_STAGE_ONE = 1u << 5,           /* one result per opening: of its own (leaf), or for one below */
       ZZ_STAGE_IN_FILE = 1u << 6 /* stands for stages that are written in files, of which its settings
                                     `file` and `stage` name one; see zz_stage_files. Since 0.2 */
};

/* The figure of several layers together, for zz_metric.sum. */
enum {
  ZZ_SUM_ADD = 0, /* the sum of theirs, in order */
  ZZ_SUM_MAX = 1, /* the largest */
  ZZ_SUM_NONE = 2 /* nothing: sums do not have the metric */
};

enum {                            /* zz_metric.flags */
       ZZ_METRIC_COLUMN = 1u << 0 /* a column of the table at the end of the run */
};

typedef struct zz_metric { /* a figure that a stage adds to evaluations; since 0.2 */
  const char* name;        /* also in `writes`, or not: the host counts it as written */
  int32_t sum;             /* ZZ_SUM_... */
  uint32_t flags;
  const char* unit; /* "kg"; NULL when none */
  const char* doc;  /* one sentence */
  const void* more; /* NULL in 0.x and 1.x */
} zz_metric;

typedef struct zz_stage zz_stage; /* the plugin's own; nobody else looks inside */

typedef struct zz_stage_desc {
  uint32_t size;
  uint32_t flags;
  const char* id;      /* "org.example.ParetoStage": unique, never reused for another meaning */
  const char* name;    /* short name for pipeline files: "ParetoStage" */
  const char* aliases; /* further short names, "OldStage|OlderStage"; NULL when none */
  const char* summary; /* one line, shown by `zz-host stages` */
  const char* doc;     /* Markdown, shown by `zz-host describe` */
  const zz_param* params;
  uint32_t n_params;
  uint32_t n_consumes;
  const zz_port* consumes;
  const zz_port* provides;
  uint32_t n_provides;
  uint32_t n_writes;
  const char* const* writes; /* metrics that it adds to or changes in what passes; "*" for any */

  /* `settings` is a map, complete and checked against `params`; borrowed for the call. `at` is the
   * stage's place and outlives it. Called once per place, and again where a stage above overrides
   * one of the settings in the context. [main] or, for the latter, as open */
  zz_status (*create)(const zz_host* host, zz_ref settings, zz_place* at, zz_stage** out,
                      zz_error* err) ZZ_NOEXCEPT;
  void (*destroy)(zz_stage* stage) ZZ_NOEXCEPT; /* after every stream of it is closed */

  /* Starts a run over ctx (borrowed for the call: what is needed later is retained). Fills all of
   * *out on ZZ_OK. [serial] or [any], see flags */
  zz_status (*open)(zz_stage* stage, zz_value* ctx, zz_stream* out, zz_error* err) ZZ_NOEXCEPT;

  /* Optional abilities of the stage by id ("zz.stage.score/0"), or NULL. May be NULL. [any] */
  const void* (*get_extension)(const zz_stage* stage, const char* id)ZZ_NOEXCEPT;

  /* Since 0.2. The metrics that the stage adds, with their meaning. A metric that no stage describes is
   * added up. Two stages that describe one name must give the same sum. NULL when there are none. */
  const zz_metric* metrics;
  size_t n_metrics;
} zz_stage_desc;

/* ---------------------------------------------------------------------- a plugin library */

typedef struct zz_plugin {
  uint32_t size;
  uint16_t abi_major; /* must equal the host's */
  uint16_t abi_minor; /* the oldest minor that the plugin can live with; at most the host's */
  const char* id;     /* "org.example.pareto" */
  const char* version;
  const char* vendor;
  const char* license; /* SPDX */
  const char* url;     /* may be NULL */
  const char* build;   /* NULL; for the internal tier: the host build that it must meet */

  /* Called before any other function of the plugin; `host` lives as long as the process. Cheap; may be
   * NULL. [main] */
  zz_status (*init)(const zz_host* host, zz_error* err) ZZ_NOEXCEPT;
  void (*deinit)(void) ZZ_NOEXCEPT; /* pairs with init, may be NULL. [main] */

  const zz_stage_desc* const* stages; /* static: readable without calling any plugin code */
  uint32_t n_stages;
} zz_plugin;

/* The one symbol that a plugin exports: ZZ_EXPORT extern const zz_plugin zz_plugin_v0; */
#define ZZ_PLUGIN_SYMBOL "zz_plugin_v0"

/* -------------------------------------- abilities of a stage: zz_stage_desc.get_extension */

/* What the reducers above need from an opening: at most the `keep` best by `metric`, compared one
 * after the other, smaller is better, earlier wins what is left. keep 0: everything, and the metrics only
 * say by what the stage compares.
 * A stage that reduces states it through its ability "zz.stage.demand/0"; the host carries it down
 * over stages that only forward; a mapper reads it and may leave out a result if it yields `keep`
 * others of the same opening that come before it in (metrics, order of production). It keeps the
 * order of production among what it yields. */
typedef struct zz_demand {
  uint32_t keep;
  uint32_t n;
  zz_name metric[4];
} zz_demand;

typedef struct zz_stage_demand { /* ability of a stage, asked once after create. [main] */
  uint32_t size;
  void (*demand)(const zz_stage* stage, zz_demand* out) ZZ_NOEXCEPT;
} zz_stage_demand;
#define ZZ_STAGE_DEMAND "zz.stage.demand/0"

/* Limits that a stage sets. It hands up the results from below whose every `metric` is at most `at_most`,
 * each once and in order, and drops the others. A stage states limits through its ability
 * "zz.stage.limits/0", and is then no ZZ_STAGE_FORWARDS. Since 0.2. */
typedef struct zz_limits {
  uint32_t n;
  zz_name metric[4];
  double at_most[4];
} zz_limits;

typedef struct zz_stage_limits { /* ability of a stage, asked once after create. [main] */
  uint32_t size;
  void (*limits)(const zz_stage* stage, zz_limits* out) ZZ_NOEXCEPT;
} zz_stage_limits;
#define ZZ_STAGE_LIMITS "zz.stage.limits/0"

/* What is wrong for a stage with its context, told before anything runs: `zz-host check` asks it with the
 * context that `open` would get, as far as that is known without a search. It opens nothing below, writes
 * nothing and takes no time; warnings are logged as in `open`. `*below` becomes what the stage hands down
 * first, as far as it knows (given), or stays NULL: then the stage below is asked with the same context, or
 * not at all where this one hands down objects or varies settings. Since 0.2. */
typedef struct zz_stage_check { /* ability of a stage, as `open`. [serial] or [any], see flags */
  uint32_t size;
  zz_status (*check)(zz_stage* stage, zz_value* ctx, zz_value** below, zz_error* err) ZZ_NOEXCEPT;
} zz_stage_check;
#define ZZ_STAGE_CHECK "zz.stage.check/0"

/* What a stage makes of its openings, in words that others know: a stage above may then find the same
 * without opening the chain, bound it, or ask for more of it. Gives a map {makes: WORD, ...}, or NULL,
 * without an error, where none of the words is true with these settings. docs/abi.md has the words and the
 * keys beside them. A stage without the ability is opened, and nothing is taken for granted. Since 0.2. */
typedef struct zz_stage_makes { /* ability of a stage, as `open`. [serial] or [any], see flags */
  uint32_t size;
  zz_value* (*makes)(const zz_stage* stage, zz_error* err)ZZ_NOEXCEPT;
} zz_stage_makes;
#define ZZ_STAGE_MAKES "zz.stage.makes/0"

typedef struct zz_stage_scorer zz_stage_scorer; /* the plugin's own */

/* Ability of a leaf that can do it faster than open and pull; ownership as in zz_score. `bind` is [serial]
 * or [any] as `open`, a scorer is [serial]. ZZ_E_UNSUPPORTED from `bind`: not for these metrics or this
 * key, and the host opens the stage for each row instead. */
typedef struct zz_stage_score { /* "zz.stage.score/0" */
  uint32_t size;
  zz_status (*bind)(zz_stage* stage, zz_value* ctx, zz_name vary, const zz_name* metric, uint32_t m,
                    zz_stage_scorer** out, zz_error* err) ZZ_NOEXCEPT;
  zz_status (*score)(zz_stage_scorer* s, zz_ref rows, uint32_t first, uint32_t n, double* out,
                     zz_error* err) ZZ_NOEXCEPT;
  void (*unbind)(zz_stage_scorer* s) ZZ_NOEXCEPT;
} zz_stage_score;
#define ZZ_STAGE_SCORE "zz.stage.score/0"

/* Stages that are written in another language, in files that are no libraries. Ability of a stage with the
 * flag ZZ_STAGE_IN_FILE, asked of the stage NULL, after the plugin's init. In a pipeline the stage is
 * replaced by the one that it stands for, with all settings; and a file with the suffix is a plugin itself.
 * Since 0.2. */
typedef struct zz_stage_files { /* "zz.stage.files/0" */
  uint32_t size;
  const char* suffix; /* ".py" */
  /* The stages in the file as a plugin that lives as long as the process, or NULL with a message. Among the
   * settings of each are `file` and `stage`, with the place of the stage as default. [main] */
  const zz_plugin* (*load)(const zz_host* host, zz_str path, zz_error* err)ZZ_NOEXCEPT;
} zz_stage_files;
#define ZZ_STAGE_FILES "zz.stage.files/0"

/* ---------------------------------------------------- extensions of the host: the run */

/* Lines on standard error. The host writes the name of the stage in front and the end of the line behind;
 * an error that is logged fails no stage, but the run: it ends with exit status 1. */
typedef struct zz_log { /* "zz.log/0", [any]. level: 0 trace, 1 debug, 2 info, 3 warning, 4 error */
  uint32_t size;
  /* Whether messages of that level are shown. Ask before making a costly text. */
  int32_t (*enabled)(int32_t level) ZZ_NOEXCEPT;
  void (*write)(zz_place* at, int32_t level, const char* text, size_t n) ZZ_NOEXCEPT;
} zz_log;
#define ZZ_LOG "zz.log/0"

typedef struct zz_progress { /* "zz.progress/0", [any]. Shown at the host's pace, never per call */
  uint32_t size;
  /* A display, until the next `end` of that place. `total` 0: unknown */
  void (*begin)(zz_place* at, const char* label, size_t n, uint64_t total) ZZ_NOEXCEPT;
  void (*advance)(zz_place* at, uint64_t steps) ZZ_NOEXCEPT;
  void (*end)(zz_place* at) ZZ_NOEXCEPT;
  /* Adds to a counter of the run's summary, for example "mappings evaluated". */
  void (*count)(zz_place* at, const char* what, size_t n, uint64_t amount) ZZ_NOEXCEPT;
} zz_progress;
#define ZZ_PROGRESS "zz.progress/0"

/* Not 0 once the run was asked to stop, or the time is over that a stage above gave: end soon, with
 * ZZ_E_CANCELLED. Takes nanoseconds: poll it in long loops. */
typedef struct zz_cancel { /* "zz.cancel/0", [any] */
  uint32_t size;
  int32_t (*requested)(void) ZZ_NOEXCEPT;
  /* Since 0.2. For a search that was interrupted and hands up the best that it has: from now on `requested`
   * answers 0, until the run is interrupted again; what comes up is shown as cut short. Without effect when
   * the run was not asked to stop: the time of a stage above stays over. */
  void (*take)(void) ZZ_NOEXCEPT;
} zz_cancel;
#define ZZ_CANCEL "zz.cancel/0"

typedef struct zz_parallel { /* "zz.parallel/0", [any] */
  uint32_t size;
  /* How many threads a loop of the calling stage may use, at least 1. */
  uint32_t (*width)(void) ZZ_NOEXCEPT;
  /* Calls fn(user, i) once for every i < n on the host's pool and the calling thread, and returns
   * when all are done. Calls may nest. fn only writes data indexed by i, so that results do not depend
   * on the number of threads. No exception leaves fn; it reports failures through `user`. */
  void (*for_each)(uint32_t n, void (*fn)(void* user, uint32_t i), void* user) ZZ_NOEXCEPT;
} zz_parallel;
#define ZZ_PARALLEL "zz.parallel/0"

/* Tables of a stage after those of the run: on standard output, and with `--format=json` under "tables".
 * Since 0.2. */
typedef struct zz_report { /* "zz.report/0", [any] */
  uint32_t size;
  /* `columns` is a list of texts; `rows` a list of lists of as many texts, numbers, truth values or nulls.
   * Of several tables of one place and title the last one counts. Tables are shown in the order of the
   * places, then by title. */
  zz_status (*table)(zz_place* at, zz_str title, zz_ref columns, zz_ref rows, zz_error* err) ZZ_NOEXCEPT;
} zz_report;
#define ZZ_REPORT "zz.report/0"

/* ----------------------------------------- extensions of the host: files and programs */

/* YAML files of a stage (a cost table, a technology file, a section that no other stage knows). The host
 * reads them like pipelines, with the same messages, for stages in any language. */
typedef struct zz_input { /* "zz.input/0", [any] */
  uint32_t size;
  /* Gives what is in the file at `path`, or NULL with a message in err. A relative path counts from the
   * working directory; that of a setting flagged ZZ_INPUT_PATH has been completed by the host. `form` is
   *   ZZ_NULL  anything, as a plain tree; `params` is not looked at
   *   ZZ_MAP   a map of settings
   *   ZZ_LIST  a list of such maps
   * Settings are those of `params`, treated like the settings of a stage: names, types and what is allowed
   * are checked, defaults put in. ZZ_INPUT_PATH counts from the folder of the file. All problems are
   * reported at once, with line and column (ZZ_E_INVALID). Warnings go to the log of `at`. */
  zz_value* (*read)(zz_place* at, zz_str path, int32_t form, const zz_param* params, uint32_t n,
                    zz_error* err)ZZ_NOEXCEPT;
  /* Since 0.2. Gives the value of a text in the format of the built-in readers, or NULL with a message in
   * err. `type` is "accelerator" (one core), "mapping_file", "workload" (YAML, one core; `choose` gives its
   * layers what a mapping file says of them), "yaml" or "json", the last two giving plain trees; `name`
   * stands for the file in messages. Warnings go to the log of `at`. Where the leaf below `at` reproduces
   * defects (its setting `compat`), readers do. */
  zz_value* (*parse)(zz_place* at, zz_str type, zz_str text, zz_str name, zz_error* err)ZZ_NOEXCEPT;
  /* Since 0.2. The same for a file; paths as for `read`. */
  zz_value* (*load)(zz_place* at, zz_str type, zz_str path, zz_error* err)ZZ_NOEXCEPT;
  /* Since 0.2. Gives a copy of `network`, a layer or a workload, with what `mapping_file` says of it, as
   * the built-in readers choose it, or NULL with a message in err. Each layer gets as its `mapping` the
   * first entry with its name, else with its type, else "default", and the bits that the entry names. What
   * the entry's ordering says of loops that the layer lacks is dropped, with a warning in the log of `at`.
   */
  zz_value* (*choose)(zz_place* at, zz_ref network, zz_ref mapping_file, zz_error* err)ZZ_NOEXCEPT;
  /* Since 0.2. Gives all that is in the file at `path` as a ZZ_STR value, or NULL with a message in err
   * that names the file. Paths as for `read`. A file that a program brought in memory is read from there.
   * One of more than 256 MiB, a folder, a pipe or a device is refused, and so is a text that is not UTF-8.
   */
  zz_value* (*text)(zz_place* at, zz_str path, zz_error* err)ZZ_NOEXCEPT;
  /* Since 0.2. The same for a file of any bytes, of at most 2 GiB. */
  zz_value* (*bytes)(zz_place* at, zz_str path, zz_error* err)ZZ_NOEXCEPT;
} zz_input;
#define ZZ_INPUT "zz.input/0"

typedef struct zz_output { /* "zz.output/0", [any]: files appear whole or not at all */
  uint32_t size;
  /* Creates missing folders, writes to a temporary name beside `path`, renames. A relative path
   * counts from the working directory. A file of that name is replaced, and left alone when writing fails.
   * Of several calls for one path at the same time the last one counts. */
  zz_status (*write)(zz_place* at, zz_str path, const char* data, size_t n, zz_error* err) ZZ_NOEXCEPT;
} zz_output;
#define ZZ_OUTPUT "zz.output/0"

/* Other programs. Since 0.2. */
typedef struct zz_process { /* "zz.process/0", [any] */
  uint32_t size;
  /* Runs the program argv[0], looked for in PATH unless it has a slash, with the arguments that follow; no
   * shell reads them. `input` is its standard input, `folder` its working directory (empty: that of the
   * host), `seconds` the most that it may take (0: no limit). Returns when it has ended, and gives a map
   * {status, output, errors}: its exit code, or 128 plus the number of the signal that ended it, and what
   * it wrote. NULL with a message in err when it cannot be started (ZZ_E_INVALID), takes too long
   * (ZZ_E_NO_RESULT) or writes more than 256 MiB (ZZ_E_NO_RESULT). When the run is asked to stop the
   * program and those that it started are ended, and the answer is ZZ_E_CANCELLED. */
  zz_value* (*run)(zz_place* at, const zz_str* argv, uint32_t n, zz_str input, zz_str folder,
                   double seconds, zz_error* err)ZZ_NOEXCEPT;
} zz_process;
#define ZZ_PROCESS "zz.process/0"

/* Answers of a stage's own searches, kept for the run, for a session of runs, and in a store for others. A
 * stage asks before it searches, and keeps what it found. Since 0.2. */
typedef struct zz_answers { /* "zz.answers/0", [any] */
  uint32_t size;
  /* `*out` becomes the answer that a stage of this id, of a plugin of this id and version, has kept under
   * an equal question (given), or NULL. `question` is a map of all that decides the answer: settings, and
   * the objects that the search looks at, which are compared by all that they say. `store` is the path of a
   * file or a URL, as the setting `store` of built-in stages; empty: nothing outlives the run or session.
   */
  zz_status (*find)(zz_place* at, zz_ref question, zz_str store, zz_value** out, zz_error* err) ZZ_NOEXCEPT;
  /* Keeps a plain tree; objects within become maps. An earlier answer is replaced. A store is a file that
   * others may have written: check what comes back as any input. */
  zz_status (*keep)(zz_place* at, zz_ref question, zz_ref answer, zz_str store, zz_error* err) ZZ_NOEXCEPT;
} zz_answers;
#define ZZ_ANSWERS "zz.answers/0"

/* ----------------------------------------- extensions of the host: costs and mappings */

typedef struct zz_evaluations { /* "zz.evaluations/0", [any] */
  uint32_t size;
  /* Gives the sum of n evaluations (borrowed), added in order from zero: what SumStage yields. */
  zz_value* (*sum)(zz_value* const* evaluations, uint32_t n, zz_error* err)ZZ_NOEXCEPT;
  /* Gives `evaluation` repeated `factor` times in sequence. */
  zz_value* (*scale)(zz_value* evaluation, double factor, zz_error* err)ZZ_NOEXCEPT;
} zz_evaluations;
#define ZZ_EVALUATIONS "zz.evaluations/0"

/* Temporal mappings by the rules of the built-in searches. Since 0.2. `ctx` (borrowed) has the keys layer,
 * accelerator and spatial_mapping. The rules are those of the leaf below `at`, which may reproduce defects
 * (its setting `compat`). */
typedef struct zz_mappings { /* "zz.mappings/0", [any] */
  uint32_t size;
  /* Gives the temporal mapping of a loop order, shared out over the memories from the innermost up, or
   * NULL: ZZ_E_NO_RESULT when it does not fit into them, ZZ_E_INVALID when it has other loops than the
   * layer. `order` is a list of {dimension, size}, innermost first. `even`: operands that share a memory
   * cut the nest at one loop. */
  zz_value* (*allocate)(zz_place* at, zz_value* ctx, zz_ref order, int32_t even, zz_error* err)ZZ_NOEXCEPT;
  /* ZZ_OK when the mapping is legal: its loops are exactly those that the spatial mapping leaves in time,
   * and its data fit into every memory. Else ZZ_E_NO_RESULT with a message that names the problem;
   * ZZ_E_INVALID for a mapping of another layer. The host checks mappings that a stage hands down in the
   * same way. */
  zz_status (*check)(zz_place* at, zz_value* ctx, zz_ref mapping, zz_error* err) ZZ_NOEXCEPT;
} zz_mappings;
#define ZZ_MAPPINGS "zz.mappings/0"

/* -------------------------------------------- extensions of the host: the chain below */

typedef struct zz_demands { /* "zz.demand/0", [any] */
  uint32_t size;
  /* keep 0 where a stage above sets limits: see `within` */
  void (*of)(zz_place* at, zz_demand* out) ZZ_NOEXCEPT;
  /* Since 0.2. The same for a mapper that knows limits: it may leave out each result beyond one of them,
   * and of the others those that the demand does not need. */
  void (*within)(zz_place* at, zz_demand* out, zz_limits* limits) ZZ_NOEXCEPT;
} zz_demands;
#define ZZ_DEMAND "zz.demand/0"

/* Scoring: metrics of many candidates without a result object each. `ctx` and `metric` are borrowed by
 * `bind`, which retains what the scorer needs; `rows` by each call of `score`, which writes all n * m
 * doubles of `out` or fails. Every scorer is unbound before the stage that bound it is destroyed. `rows` is
 * a list; row i stands for the context `ctx` with the key `vary` set to that row. out[j * n + i] is metric
 * j of row first + i; NaN in every column where the row is infeasible. Bit for bit what opening and pulling
 * would give. A row that fails fails the call, and the message names the row.
 * Only over chains in which every stage below is ZZ_STAGE_ONE and, above the leaf, forwards without
 * writing one of the metrics; else bind answers ZZ_E_UNSUPPORTED, and the stage opens per row. */
typedef struct zz_scorer zz_scorer;

/* A temporal mapping in numbers, all borrowed. Never changes size. Since 0.2. */
typedef struct zz_order {
  const uint8_t* dimension; /* of each loop, innermost first: an index into `layer.loops` */
  const int64_t* size;      /* of each loop: its iterations */
  /* cuts[i * levels + j]: loops, counted from the innermost, whose data memory j of operand i and those
   * below it hold; operands as in `layer.operands`, memories from the lowest up. They do not decrease, and
   * the last one is `loops`. NULL: the host shares the loops out, as zz_mappings.allocate does. */
  const uint8_t* cuts;
  uint32_t loops;
  uint32_t levels; /* the memories of the operand that has most; not looked at without `cuts` */
  int32_t even;    /* without `cuts`: as for zz_mappings.allocate */
} zz_order;

typedef struct zz_score { /* "zz.score/0". A scorer is [serial]; several may be used at once */
  uint32_t size;
  zz_status (*bind)(zz_place* at, zz_value* ctx, zz_name vary, const zz_name* metric, uint32_t m,
                    zz_scorer** out, zz_error* err) ZZ_NOEXCEPT;
  zz_status (*score)(zz_scorer* s, zz_ref rows, uint32_t first, uint32_t n, double* out,
                     zz_error* err) ZZ_NOEXCEPT;
  void (*unbind)(zz_scorer* s) ZZ_NOEXCEPT;
  /* 1 when the chain below scores every row over `a` as over `b`, so that a mapper need not score the
   * same rows again; 0 when it does not, or when the host cannot tell. It can where each stage below is
   * ZZ_STAGE_DETERMINISTIC and finds the same under the keys that it consumes, layers for which the port
   * is ZZ_ANONYMOUS being compared without their names. [any] */
  int32_t (*same)(zz_place* at, zz_value* a, zz_value* b, zz_name vary) ZZ_NOEXCEPT;
  /* Since 0.2. What `score` would write for n mappings, of which no value is made: for a scorer that was
   * bound with "temporal_mapping", over a context with layer, accelerator and spatial_mapping. NaN where
   * the order, or what its cuts say, does not fit into the memories. ZZ_E_INVALID for loops that are not
   * exactly those which the spatial mapping leaves in time. A microsecond or less each over the host's own
   * cost model, where orders of the same loops come one after the other. */
  zz_status (*orders)(zz_scorer* s, const zz_order* orders, uint32_t n, double* out,
                      zz_error* err) ZZ_NOEXCEPT;
  /* Since 0.2. Gives the temporal_mapping that such an order is, to be handed down; or NULL with
   * ZZ_E_NO_RESULT where it does not fit. */
  zz_value* (*mapping)(zz_scorer* s, const zz_order* order, zz_error* err)ZZ_NOEXCEPT;
} zz_score;
#define ZZ_SCORE "zz.score/0"

/* Chains that are settings of a stage (ZZ_STAGES), so that a stage can run a pipeline. Their stages see the
 * context of the opening, and the parameters of the pipeline as settings. */
typedef struct zz_nested { /* "zz.nested/0", [any] */
  uint32_t size;
  /* The place above the chain of that setting of the stage at `at`: opened (zz_host.open) and scored like
   * the chain below. Lives as long as `at`. NULL when the setting is null or no list of stages. */
  zz_place* (*place)(zz_place* at, zz_name setting)ZZ_NOEXCEPT;
  /* Gives everything that decides the results of such a chain over ctx (borrowed), except the objects in
   * ctx: a list of maps, outermost stage first, {stage: id, plugin: "id version", settings: as they count
   * over ctx, chains: settings that are chains, each such a list, reads: other keys of ctx that the stage
   * takes}. A setting that names an input file is {file, sha256}. Equal descriptions and objects give equal
   * results, as far as the stages are ZZ_STAGE_DETERMINISTIC: for stages that keep results from run to run.
   * ctx NULL: with the settings as they are written, for what can be told before a run.
   */
  zz_value* (*describe)(zz_place* above, zz_value* ctx, zz_error* err)ZZ_NOEXCEPT;
  /* Since 0.2. Gives a list with an item for each stage of such a chain, outermost first: what it says that
   * it makes (zz_stage_makes), with its settings as they count over ctx (borrowed; NULL: as written), or
   * null where it says nothing. */
  zz_value* (*makes)(zz_place* above, zz_value* ctx, zz_error* err)ZZ_NOEXCEPT;
} zz_nested;
#define ZZ_NESTED "zz.nested/0"

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* ZZ_STAGE_ABI_H */
