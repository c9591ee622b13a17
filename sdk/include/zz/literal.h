/* zz/literal.h - literals in C for zz_values.make and .with: one short function for each kind.
 *
 *   zz_lit fields[] = {zz_lit_f64("energy_total", 12.5), zz_lit_f64("latency_total2", 40)};
 *   zz_lit evaluation = zz_lit_map(NULL, fields, 2);
 *   zz_value *made = values->make("evaluation", &evaluation, err);
 *
 * `key` is NULL in a list and at the top. Nothing is copied: the data of a literal must live until the call
 * that takes it returns.
 */
#ifndef ZZ_LITERAL_H
#define ZZ_LITERAL_H

#include <string.h>

#include "zz/stage_abi.h"

static inline zz_lit zz_lit_null(const char* key) {
  zz_lit lit;
  memset(&lit, 0, sizeof lit);
  lit.key = key;
  lit.kind = ZZ_NULL;
  return lit;
}

static inline zz_lit zz_lit_bool(const char* key, int value) {
  zz_lit lit = zz_lit_null(key);
  lit.kind = ZZ_BOOL;
  lit.u.i = value != 0;
  return lit;
}

static inline zz_lit zz_lit_i64(const char* key, int64_t value) {
  zz_lit lit = zz_lit_null(key);
  lit.kind = ZZ_I64;
  lit.u.i = value;
  return lit;
}

static inline zz_lit zz_lit_f64(const char* key, double value) {
  zz_lit lit = zz_lit_null(key);
  lit.kind = ZZ_F64;
  lit.u.d = value;
  return lit;
}

static inline zz_lit zz_lit_str(const char* key, const char* text) {
  zz_lit lit = zz_lit_null(key);
  lit.kind = ZZ_STR;
  lit.u.s.p = text;
  lit.u.s.n = strlen(text);
  return lit;
}

static inline zz_lit zz_lit_parts(const char* key, int32_t kind, const void* parts, size_t n) {
  zz_lit lit = zz_lit_null(key);
  lit.kind = kind;
  lit.u.a.p = parts;
  lit.u.a.n = n;
  return lit;
}
static inline zz_lit zz_lit_map(const char* key, const zz_lit* entries, size_t n) {
  return zz_lit_parts(key, ZZ_MAP, entries, n);
}
static inline zz_lit zz_lit_list(const char* key, const zz_lit* items, size_t n) {
  return zz_lit_parts(key, ZZ_LIST, items, n);
}
static inline zz_lit zz_lit_f64s(const char* key, const double* numbers, size_t n) {
  return zz_lit_parts(key, ZZ_LIT_F64S, numbers, n);
}
static inline zz_lit zz_lit_i64s(const char* key, const int64_t* numbers, size_t n) {
  return zz_lit_parts(key, ZZ_LIT_I64S, numbers, n);
}

static inline zz_lit zz_lit_ref(const char* key,
                                zz_ref ref) { /* shares or copies what the reference shows */
  zz_lit lit = zz_lit_null(key);
  lit.kind = ZZ_LIT_REF;
  lit.u.ref = ref;
  return lit;
}

static inline zz_lit zz_lit_own(const char* key,
                                zz_value* value) { /* shares; the caller keeps its reference */
  zz_lit lit = zz_lit_null(key);
  lit.kind = ZZ_LIT_OWN;
  lit.u.own = value;
  return lit;
}

static inline zz_lit zz_lit_remove(const char* key) { /* only in `with`: the key goes away */
  zz_lit lit = zz_lit_null(key);
  lit.kind = ZZ_LIT_REMOVE;
  return lit;
}

#endif /* ZZ_LITERAL_H */
