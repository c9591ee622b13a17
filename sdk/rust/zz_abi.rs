//! zz/stage_abi.h in Rust: the same names, the same layout, and no word of documentation, which is there.
//!
//! A function that a table may lack is an Option. A member that a later version appends is declared as an
//! Option too, and read only where `size` says that the table has it.
#![allow(non_camel_case_types)]

use std::os::raw::{c_char, c_void};

pub const ZZ_ABI_MAJOR: u16 = 0;
pub const ZZ_ABI_MINOR: u16 = 2;

pub type zz_status = i32;
pub const ZZ_OK: zz_status = 0;
pub const ZZ_E_INVALID: zz_status = 1;
pub const ZZ_E_MISSING: zz_status = 2;
pub const ZZ_E_TYPE: zz_status = 3;
pub const ZZ_E_UNSUPPORTED: zz_status = 4;
pub const ZZ_E_CANCELLED: zz_status = 5;
pub const ZZ_E_NO_RESULT: zz_status = 6;
pub const ZZ_E_INTERNAL: zz_status = 7;

macro_rules! opaque {
    ($($name:ident)*) => { $(#[repr(C)] pub struct $name { _private: [u8; 0] })* };
}
opaque! { zz_error zz_value zz_place zz_stage zz_scorer zz_stage_scorer }

pub type zz_name = u32;

pub const ZZ_NONE: i32 = 0;
pub const ZZ_NULL: i32 = 1;
pub const ZZ_BOOL: i32 = 2;
pub const ZZ_I64: i32 = 3;
pub const ZZ_F64: i32 = 4;
pub const ZZ_STR: i32 = 5;
pub const ZZ_LIST: i32 = 6;
pub const ZZ_MAP: i32 = 7;
pub const ZZ_OBJECT: i32 = 8;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct zz_ref {
    pub word: u64,
    pub r#type: *const c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct zz_str {
    pub p: *const c_char,
    pub n: usize,
}

pub const ZZ_LIT_REF: i32 = 32;
pub const ZZ_LIT_OWN: i32 = 33;
pub const ZZ_LIT_REMOVE: i32 = 34;
pub const ZZ_LIT_F64S: i32 = 35;
pub const ZZ_LIT_I64S: i32 = 36;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct zz_lit_array {
    pub p: *const c_void,
    pub n: usize,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union zz_lit_u {
    pub i: i64,
    pub d: f64,
    pub s: zz_str,
    pub a: zz_lit_array,
    pub r#ref: zz_ref,
    pub own: *mut zz_value,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct zz_lit {
    pub key: *const c_char,
    pub name: zz_name,
    pub kind: i32,
    pub u: zz_lit_u,
}

#[repr(C)]
pub struct zz_values {
    pub size: u32,
    pub name: unsafe extern "C" fn(*const c_char, usize) -> zz_name,
    pub text: unsafe extern "C" fn(zz_name) -> zz_str,
    pub kind: unsafe extern "C" fn(zz_ref) -> i32,
    pub r#type: unsafe extern "C" fn(zz_ref) -> zz_str,
    pub i64: unsafe extern "C" fn(zz_ref, *mut i64) -> zz_status,
    pub f64: unsafe extern "C" fn(zz_ref, *mut f64) -> zz_status,
    pub str: unsafe extern "C" fn(zz_ref, *mut zz_str) -> zz_status,
    pub count: unsafe extern "C" fn(zz_ref) -> u32,
    pub at: unsafe extern "C" fn(zz_ref, u32, *mut zz_str) -> zz_ref,
    pub get: unsafe extern "C" fn(zz_ref, zz_name) -> zz_ref,
    pub explain: unsafe extern "C" fn(zz_ref, i32, *mut zz_error) -> zz_status,
    pub table: unsafe extern "C" fn(*const *mut zz_value, u32, *const zz_name, u32, *mut f64),
    pub look: unsafe extern "C" fn(*const zz_value) -> zz_ref,
    pub retain: unsafe extern "C" fn(*mut zz_value) -> *mut zz_value,
    pub release: unsafe extern "C" fn(*mut zz_value),
    pub hold: unsafe extern "C" fn(*mut zz_value, zz_ref) -> *mut zz_value,
    pub make: unsafe extern "C" fn(*const c_char, *const zz_lit, *mut zz_error) -> *mut zz_value,
    pub with: unsafe extern "C" fn(*mut zz_value, *const zz_lit, u32, *mut zz_error) -> *mut zz_value,
    pub json: unsafe extern "C" fn(zz_ref, *mut zz_error) -> *mut zz_value,
}

#[repr(C)]
pub struct zz_result {
    pub evaluation: *mut zz_value,
    pub extra: *mut zz_value,
}

#[repr(C)]
pub struct zz_stream {
    pub r#impl: *mut c_void,
    pub pull: Option<
        unsafe extern "C" fn(*mut zz_stream, *mut zz_result, u32, *mut u32, *mut zz_error) -> zz_status,
    >,
    pub close: Option<unsafe extern "C" fn(*mut zz_stream)>,
    pub more: *const c_void,
}

#[repr(C)]
pub struct zz_host {
    pub size: u32,
    pub abi_major: u16,
    pub abi_minor: u16,
    pub name: *const c_char,
    pub version: *const c_char,
    pub build: *const c_char,
    pub get_extension: unsafe extern "C" fn(*const c_char) -> *const c_void,
    pub fail: unsafe extern "C" fn(*mut zz_error, zz_status, *const c_char, usize),
    pub failure: unsafe extern "C" fn() -> *mut zz_value,
    pub fail_as: unsafe extern "C" fn(*mut zz_error, *const zz_value),
    pub open:
        unsafe extern "C" fn(*mut zz_place, *mut zz_value, *mut zz_stream, *mut zz_error) -> zz_status,
}

pub const ZZ_REQUIRED: u32 = 1 << 0;
pub const ZZ_INPUT_PATH: u32 = 1 << 1;
pub const ZZ_DEPRECATED: u32 = 1 << 2;
pub const ZZ_OPTIONAL: u32 = 1 << 3;
pub const ZZ_STAGES: u32 = 1 << 4;
pub const ZZ_ANONYMOUS: u32 = 1 << 5;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct zz_param {
    pub name: *const c_char,
    pub kind: i32,
    pub flags: u32,
    pub def: *const c_char,
    pub allowed: *const c_char,
    pub unit: *const c_char,
    pub doc: *const c_char,
    pub aliases: *const c_char,
    pub more: *const c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct zz_port {
    pub key: *const c_char,
    pub kind: i32,
    pub flags: u32,
    pub r#type: *const c_char,
    pub doc: *const c_char,
    pub more: *const c_void,
}

pub const ZZ_SUM_ADD: i32 = 0;
pub const ZZ_SUM_MAX: i32 = 1;
pub const ZZ_SUM_NONE: i32 = 2;
pub const ZZ_METRIC_COLUMN: u32 = 1 << 0;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct zz_metric {
    pub name: *const c_char,
    pub sum: i32,
    pub flags: u32,
    pub unit: *const c_char,
    pub doc: *const c_char,
    pub more: *const c_void,
}

pub const ZZ_STAGE_LEAF: u32 = 1 << 0;
pub const ZZ_STAGE_PARALLEL_OPEN: u32 = 1 << 1;
pub const ZZ_STAGE_DETERMINISTIC: u32 = 1 << 2;
pub const ZZ_STAGE_REDUCES: u32 = 1 << 3;
pub const ZZ_STAGE_FORWARDS: u32 = 1 << 4;
pub const ZZ_STAGE_ONE: u32 = 1 << 5;
pub const ZZ_STAGE_IN_FILE: u32 = 1 << 6;

#[repr(C)]
pub struct zz_stage_desc {
    pub size: u32,
    pub flags: u32,
    pub id: *const c_char,
    pub name: *const c_char,
    pub aliases: *const c_char,
    pub summary: *const c_char,
    pub doc: *const c_char,
    pub params: *const zz_param,
    pub n_params: u32,
    pub n_consumes: u32,
    pub consumes: *const zz_port,
    pub provides: *const zz_port,
    pub n_provides: u32,
    pub n_writes: u32,
    pub writes: *const *const c_char,
    pub create: unsafe extern "C" fn(
        *const zz_host,
        zz_ref,
        *mut zz_place,
        *mut *mut zz_stage,
        *mut zz_error,
    ) -> zz_status,
    pub destroy: unsafe extern "C" fn(*mut zz_stage),
    pub open:
        unsafe extern "C" fn(*mut zz_stage, *mut zz_value, *mut zz_stream, *mut zz_error) -> zz_status,
    pub get_extension: Option<unsafe extern "C" fn(*const zz_stage, *const c_char) -> *const c_void>,
    pub metrics: *const zz_metric,
    pub n_metrics: usize,
}

#[repr(C)]
pub struct zz_plugin {
    pub size: u32,
    pub abi_major: u16,
    pub abi_minor: u16,
    pub id: *const c_char,
    pub version: *const c_char,
    pub vendor: *const c_char,
    pub license: *const c_char,
    pub url: *const c_char,
    pub build: *const c_char,
    pub init: Option<unsafe extern "C" fn(*const zz_host, *mut zz_error) -> zz_status>,
    pub deinit: Option<unsafe extern "C" fn()>,
    pub stages: *const *const zz_stage_desc,
    pub n_stages: u32,
}

/// A constant table may be read by every thread.
unsafe impl Sync for zz_plugin {}

#[repr(C)]
pub struct zz_log {
    pub size: u32,
    pub enabled: unsafe extern "C" fn(i32) -> i32,
    pub write: unsafe extern "C" fn(*mut zz_place, i32, *const c_char, usize),
}

#[repr(C)]
pub struct zz_progress {
    pub size: u32,
    pub begin: unsafe extern "C" fn(*mut zz_place, *const c_char, usize, u64),
    pub advance: unsafe extern "C" fn(*mut zz_place, u64),
    pub end: unsafe extern "C" fn(*mut zz_place),
    pub count: unsafe extern "C" fn(*mut zz_place, *const c_char, usize, u64),
}

#[repr(C)]
pub struct zz_cancel {
    pub size: u32,
    pub requested: unsafe extern "C" fn() -> i32,
    pub take: Option<unsafe extern "C" fn()>,
}

#[repr(C)]
pub struct zz_parallel {
    pub size: u32,
    pub width: unsafe extern "C" fn() -> u32,
    pub for_each: unsafe extern "C" fn(u32, unsafe extern "C" fn(*mut c_void, u32), *mut c_void),
}

#[repr(C)]
pub struct zz_output {
    pub size: u32,
    pub write:
        unsafe extern "C" fn(*mut zz_place, zz_str, *const c_char, usize, *mut zz_error) -> zz_status,
}

#[repr(C)]
pub struct zz_input {
    pub size: u32,
    pub read: unsafe extern "C" fn(
        *mut zz_place,
        zz_str,
        i32,
        *const zz_param,
        u32,
        *mut zz_error,
    ) -> *mut zz_value,
    pub parse: Option<
        unsafe extern "C" fn(*mut zz_place, zz_str, zz_str, zz_str, *mut zz_error) -> *mut zz_value,
    >,
    pub load: Option<unsafe extern "C" fn(*mut zz_place, zz_str, zz_str, *mut zz_error) -> *mut zz_value>,
    pub choose: Option<unsafe extern "C" fn(*mut zz_place, zz_ref, zz_ref, *mut zz_error) -> *mut zz_value>,
    pub text: Option<unsafe extern "C" fn(*mut zz_place, zz_str, *mut zz_error) -> *mut zz_value>,
    pub bytes: Option<unsafe extern "C" fn(*mut zz_place, zz_str, *mut zz_error) -> *mut zz_value>,
}

#[repr(C)]
pub struct zz_evaluations {
    pub size: u32,
    pub sum: unsafe extern "C" fn(*const *mut zz_value, u32, *mut zz_error) -> *mut zz_value,
    pub scale: unsafe extern "C" fn(*mut zz_value, f64, *mut zz_error) -> *mut zz_value,
}

#[repr(C)]
pub struct zz_mappings {
    pub size: u32,
    pub allocate:
        unsafe extern "C" fn(*mut zz_place, *mut zz_value, zz_ref, i32, *mut zz_error) -> *mut zz_value,
    pub check: unsafe extern "C" fn(*mut zz_place, *mut zz_value, zz_ref, *mut zz_error) -> zz_status,
}

#[repr(C)]
pub struct zz_report {
    pub size: u32,
    pub table: unsafe extern "C" fn(*mut zz_place, zz_str, zz_ref, zz_ref, *mut zz_error) -> zz_status,
}

#[repr(C)]
pub struct zz_process {
    pub size: u32,
    pub run: unsafe extern "C" fn(
        *mut zz_place,
        *const zz_str,
        u32,
        zz_str,
        zz_str,
        f64,
        *mut zz_error,
    ) -> *mut zz_value,
}

#[repr(C)]
pub struct zz_nested {
    pub size: u32,
    pub place: unsafe extern "C" fn(*mut zz_place, zz_name) -> *mut zz_place,
    pub describe: unsafe extern "C" fn(*mut zz_place, *mut zz_value, *mut zz_error) -> *mut zz_value,
    pub makes: unsafe extern "C" fn(*mut zz_place, *mut zz_value, *mut zz_error) -> *mut zz_value,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct zz_demand {
    pub keep: u32,
    pub n: u32,
    pub metric: [zz_name; 4],
}

#[repr(C)]
pub struct zz_stage_demand {
    pub size: u32,
    pub demand: unsafe extern "C" fn(*const zz_stage, *mut zz_demand),
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct zz_limits {
    pub n: u32,
    pub metric: [zz_name; 4],
    pub at_most: [f64; 4],
}

#[repr(C)]
pub struct zz_stage_limits {
    pub size: u32,
    pub limits: unsafe extern "C" fn(*const zz_stage, *mut zz_limits),
}

#[repr(C)]
pub struct zz_stage_makes {
    pub size: u32,
    pub makes: unsafe extern "C" fn(*const zz_stage, *mut zz_error) -> *mut zz_value,
}

#[repr(C)]
pub struct zz_stage_check {
    pub size: u32,
    pub check: unsafe extern "C" fn(
        *mut zz_stage,
        *mut zz_value,
        *mut *mut zz_value,
        *mut zz_error,
    ) -> zz_status,
}

#[repr(C)]
pub struct zz_stage_files {
    pub size: u32,
    pub suffix: *const c_char,
    pub load: unsafe extern "C" fn(*const zz_host, zz_str, *mut zz_error) -> *const zz_plugin,
}

#[repr(C)]
pub struct zz_demands {
    pub size: u32,
    pub of: unsafe extern "C" fn(*mut zz_place, *mut zz_demand),
    pub within: Option<unsafe extern "C" fn(*mut zz_place, *mut zz_demand, *mut zz_limits)>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct zz_order {
    pub dimension: *const u8,
    pub size: *const i64,
    pub cuts: *const u8,
    pub loops: u32,
    pub levels: u32,
    pub even: i32,
}

#[repr(C)]
pub struct zz_score {
    pub size: u32,
    pub bind: unsafe extern "C" fn(
        *mut zz_place,
        *mut zz_value,
        zz_name,
        *const zz_name,
        u32,
        *mut *mut zz_scorer,
        *mut zz_error,
    ) -> zz_status,
    pub score: unsafe extern "C" fn(*mut zz_scorer, zz_ref, u32, u32, *mut f64, *mut zz_error) -> zz_status,
    pub unbind: unsafe extern "C" fn(*mut zz_scorer),
    pub same: Option<unsafe extern "C" fn(*mut zz_place, *mut zz_value, *mut zz_value, zz_name) -> i32>,
    pub orders: Option<
        unsafe extern "C" fn(*mut zz_scorer, *const zz_order, u32, *mut f64, *mut zz_error) -> zz_status,
    >,
    pub mapping:
        Option<unsafe extern "C" fn(*mut zz_scorer, *const zz_order, *mut zz_error) -> *mut zz_value>,
}

#[repr(C)]
pub struct zz_answers {
    pub size: u32,
    pub find: unsafe extern "C" fn(
        *mut zz_place,
        zz_ref,
        zz_str,
        *mut *mut zz_value,
        *mut zz_error,
    ) -> zz_status,
    pub keep: unsafe extern "C" fn(*mut zz_place, zz_ref, zz_ref, zz_str, *mut zz_error) -> zz_status,
}

#[repr(C)]
pub struct zz_stage_score {
    pub size: u32,
    pub bind: unsafe extern "C" fn(
        *mut zz_stage,
        *mut zz_value,
        zz_name,
        *const zz_name,
        u32,
        *mut *mut zz_stage_scorer,
        *mut zz_error,
    ) -> zz_status,
    pub score:
        unsafe extern "C" fn(*mut zz_stage_scorer, zz_ref, u32, u32, *mut f64, *mut zz_error) -> zz_status,
    pub unbind: unsafe extern "C" fn(*mut zz_stage_scorer),
}
