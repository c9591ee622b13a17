//! Write a stage of zz in Rust, with rustc alone: a thin layer over the C interface, whose tables are in `abi`.
//!
//! A stage implements `Stage`; `plugin!` makes the one exported table of all stages of the library. Texts of
//! tables are written `c!("...")`. Whatever fails is an `Error`; a panic becomes one at every entry point, so
//! that none crosses to the host: build with the default `-C panic=unwind`.
//!
//! Four more files belong to it: `zz_services.rs` is what the host offers a running stage (log, progress, files,
//! mappings, threads), `zz_chains.rs` chains of its own and scores, `zz_entry.rs` what the host calls,
//! `zz_abi.rs` the C interface. What is not wrapped is reached through `abi` and `host()`.
#![deny(unsafe_op_in_unsafe_fn)]

#[path = "zz_abi.rs"]
pub mod abi;
#[path = "zz_chains.rs"]
mod chains;
#[path = "zz_entry.rs"]
mod entry;
#[path = "zz_services.rs"]
mod services;

pub use chains::*;
pub use entry::{init, Entry};
pub use services::*;

use abi::*;
use std::any::Any;
use std::cell::Cell;
use std::ffi::CString;
use std::fmt;
use std::marker::PhantomData;
use std::mem::{forget, MaybeUninit};
use std::os::raw::{c_char, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::{null, null_mut};

/// A text of a static table, which ends in 0 for C.
#[macro_export]
macro_rules! c {
    ($text:expr) => {
        concat!($text, "\0").as_ptr() as *const std::os::raw::c_char
    };
}

// ---------------------------------------------------------------------------------------- failures

/// Why a stage, or something that it called, failed: ZZ_E_INVALID for wrong input, ZZ_E_NO_RESULT where a search
/// found nothing, ZZ_E_INTERNAL for a bug; all codes are in `abi`.
pub struct Error {
    pub code: zz_status,
    pub message: String,
    failure: Value, // as it arose below or in the host: handed on unchanged
}

impl Error {
    pub fn new(code: zz_status, message: impl Into<String>) -> Self {
        Error { code, message: message.into(), failure: Value(null_mut()) }
    }

    /// The host's account of the call into it that just failed; `code` ZZ_OK where it gave none.
    fn of_last_call(code: zz_status) -> Self {
        let failure = Value(unsafe { (host().failure)() });
        let stored = failure.get("code").i64().unwrap_or(ZZ_E_INTERNAL as i64) as zz_status;
        let code = if code == ZZ_OK { stored } else { code };
        let message = failure.get("message").str().unwrap_or("a call into the host failed").to_string();
        Error { code, message, failure }
    }

    fn tell(&self, sink: *mut zz_error) -> zz_status {
        unsafe {
            if self.failure.0.is_null() {
                (host().fail)(sink, self.code, self.message.as_ptr() as *const c_char, self.message.len());
            } else {
                (host().fail_as)(sink, self.failure.0);
            }
        }
        self.code
    }
}

thread_local! {
    static SINK: Cell<*mut zz_error> = Cell::new(null_mut()); // of the entry point that this thread is in
}

fn sink() -> *mut zz_error {
    SINK.with(|sink| sink.get())
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}
impl fmt::Debug for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Error {}: {}", self.code, self.message)
    }
}

fn text_of_panic(panic: Box<dyn Any + Send>) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    // The thrown payload may panic once more when it goes.
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        forget(again);
    }
    format!("panicked: {}", text.unwrap_or_default())
}

/// Runs the body of an entry point: its failure or panic goes into `err`.
fn guarded(err: *mut zz_error, body: impl FnOnce() -> Result<(), Error>) -> zz_status {
    let before = SINK.with(|sink| sink.replace(err));
    let outcome = catch_unwind(AssertUnwindSafe(body));
    SINK.with(|sink| sink.set(before));
    match outcome {
        Ok(Ok(())) => ZZ_OK,
        Ok(Err(error)) => error.tell(err),
        Err(panic) => Error::new(ZZ_E_INTERNAL, text_of_panic(panic)).tell(err),
    }
}

// ------------------------------------------------------------------------------------------ values

/// Valid once the host has met the plugin, that is, in every function of a stage; else they panic.
pub fn host() -> &'static zz_host {
    entry::HOST.get().expect("the host has not met this plugin yet")
}
pub fn values() -> &'static zz_values {
    services::VALUES.get().expect("the host has not met this plugin yet")
}

/// An interned field, key or path. A text becomes one by itself; make it once where that happens often.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct Name(zz_name);

impl Name {
    pub fn id(self) -> zz_name {
        self.0
    }
    pub fn text(self) -> &'static str {
        unsafe { text_of((values().text)(self.0)) }.unwrap_or_default()
    }
}

/// # Safety
/// The text must live as long as `'a`.
unsafe fn text_of<'a>(text: zz_str) -> Result<&'a str, Error> {
    // An empty text may have no address.
    let bytes = match text.n {
        0 => &[],
        n => unsafe { std::slice::from_raw_parts(text.p as *const u8, n) },
    };
    std::str::from_utf8(bytes).map_err(|_| Error::new(ZZ_E_TYPE, "a text is not UTF-8"))
}

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Name(unsafe { (values().name)(text.as_ptr() as *const c_char, text.len()) })
    }
}

/// A look at a value or a part of it, valid as long as the value.
#[derive(Clone, Copy)]
pub struct Ref<'a> {
    raw: zz_ref,
    of: PhantomData<&'a Value>,
}

unsafe impl Send for Ref<'_> {}
unsafe impl Sync for Ref<'_> {}

impl<'a> Ref<'a> {
    fn new(raw: zz_ref) -> Self {
        Ref { raw, of: PhantomData }
    }
    /// For what is not wrapped.
    pub fn raw(self) -> zz_ref {
        self.raw
    }
    /// Its kind: ZZ_NONE where it does not exist, ZZ_NULL, ZZ_F64, ZZ_LIST, ...
    pub fn kind(self) -> i32 {
        unsafe { (values().kind)(self.raw) }
    }
    /// Null, or not there at all.
    pub fn is_null(self) -> bool {
        self.kind() <= ZZ_NULL
    }
    /// The part of that name; one that is not there says so when it is read.
    pub fn get(self, name: impl Into<Name>) -> Ref<'a> {
        Ref::new(unsafe { (values().get)(self.raw, name.into().0) })
    }
    /// The part at that position of a list, map or object.
    pub fn at(self, position: usize) -> Ref<'a> {
        let position = u32::try_from(position).unwrap_or(u32::MAX);
        Ref::new(unsafe { (values().at)(self.raw, position, null_mut()) })
    }
    pub fn len(self) -> usize {
        unsafe { (values().count)(self.raw) as usize }
    }
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
    pub fn iter(self) -> impl Iterator<Item = Ref<'a>> {
        (0..self.len()).map(move |position| self.at(position))
    }
    pub fn i64(self) -> Result<i64, Error> {
        self.read(values().i64, ZZ_I64)
    }
    pub fn f64(self) -> Result<f64, Error> {
        self.read(values().f64, ZZ_F64)
    }
    pub fn str(self) -> Result<&'a str, Error> {
        unsafe { text_of(self.read(values().str, ZZ_STR)?) }
    }
    /// What `Place::bytes` gave.
    pub(crate) fn bytes(self) -> Result<Vec<u8>, Error> {
        let raw = self.read(values().str, ZZ_STR)?;
        if raw.n == 0 {
            return Ok(Vec::new());
        }
        Ok(unsafe { std::slice::from_raw_parts(raw.p as *const u8, raw.n) }.to_vec())
    }
    pub fn bool(self) -> Result<bool, Error> {
        Ok(self.read(values().i64, ZZ_BOOL)? != 0)
    }
    /// The key of the part at that position; empty in a list.
    pub fn key(self, position: usize) -> &'a str {
        let mut key = zz_str { p: null(), n: 0 };
        let position = u32::try_from(position).unwrap_or(u32::MAX);
        unsafe {
            (values().at)(self.raw, position, &mut key);
            text_of(key).unwrap_or_default()
        }
    }
    /// The part as a value of its own, which may outlive what it was read from.
    pub fn to_value(self) -> Result<Value, Error> {
        let list = Value::list(&[Literal::Ref(self)])?;
        Value(unsafe { (values().hold)(list.0, list.look().at(0).raw) }).or_failure()
    }
    /// As JSON text.
    pub fn json(self) -> Result<String, Error> {
        let text = Value(unsafe { (values().json)(self.raw, sink()) }).or_failure()?;
        Ok(text.look().str()?.to_string())
    }

    fn read<T>(
        self,
        function: unsafe extern "C" fn(zz_ref, *mut T) -> zz_status,
        wanted: i32,
    ) -> Result<T, Error> {
        let mut out = MaybeUninit::uninit();
        unsafe {
            if function(self.raw, out.as_mut_ptr()) == ZZ_OK {
                return Ok(out.assume_init());
            }
            Err(Error::of_last_call((values().explain)(self.raw, wanted, sink())))
        }
    }
}

/// One reference to an immutable value, null perhaps; any thread may use it.
pub struct Value(*mut zz_value);

unsafe impl Send for Value {}
unsafe impl Sync for Value {}

impl Value {
    pub fn look(&self) -> Ref<'_> {
        Ref::new(unsafe { (values().look)(self.0) })
    }
    pub fn get(&self, name: impl Into<Name>) -> Ref<'_> {
        self.look().get(name)
    }
    /// Null, as an evaluation or as what an Outcome has no more of.
    pub const NULL: Value = Value(null_mut());
    /// For what is not wrapped; borrowed.
    pub fn raw(&self) -> *mut zz_value {
        self.0
    }
}

/// Source of a value, in `Value::make`, `Value::map`, `Value::list` and `Value::with`.
#[derive(Clone, Copy)]
pub enum Literal<'a> {
    Null,
    Bool(bool),
    I64(i64),
    F64(f64),
    Str(&'a str),
    Ref(Ref<'a>),
    Value(&'a Value),
    F64s(&'a [f64]),
    I64s(&'a [i64]),
    List(&'a [Literal<'a>]),
    Map(&'a [(&'a str, Literal<'a>)]),
    Removed, // only in `with`: the key goes away
}

/// Literals as the host reads them, and what they point at.
#[derive(Default)]
struct Literals(Vec<Vec<zz_lit>>);

impl Literals {
    fn one(&mut self, key: &str, literal: &Literal) -> zz_lit {
        fn array<T>(items: &[T]) -> zz_lit_u {
            zz_lit_u { a: zz_lit_array { p: items.as_ptr() as *const c_void, n: items.len() } }
        }
        let (kind, u) = match *literal {
            Literal::Null => (ZZ_NULL, zz_lit_u { i: 0 }),
            Literal::Bool(value) => (ZZ_BOOL, zz_lit_u { i: value as i64 }),
            Literal::I64(value) => (ZZ_I64, zz_lit_u { i: value }),
            Literal::F64(value) => (ZZ_F64, zz_lit_u { d: value }),
            Literal::Str(text) => {
                (ZZ_STR, zz_lit_u { s: zz_str { p: text.as_ptr() as *const c_char, n: text.len() } })
            }
            Literal::Ref(part) => (ZZ_LIT_REF, zz_lit_u { r#ref: part.raw }),
            Literal::Value(value) => (ZZ_LIT_OWN, zz_lit_u { own: value.0 }),
            Literal::F64s(numbers) => (ZZ_LIT_F64S, array(numbers)),
            Literal::I64s(numbers) => (ZZ_LIT_I64S, array(numbers)),
            Literal::List(items) => {
                let items = items.iter().map(|item| self.one("", item)).collect();
                (ZZ_LIST, array(self.keep(items)))
            }
            Literal::Map(entries) => {
                let entries = self.entries(entries);
                (ZZ_MAP, array(self.keep(entries)))
            }
            Literal::Removed => (ZZ_LIT_REMOVE, zz_lit_u { i: 0 }),
        };
        let name = if key.is_empty() { 0 } else { Name::from(key).0 };
        zz_lit { key: null(), name, kind, u }
    }
    fn entries(&mut self, entries: &[(&str, Literal)]) -> Vec<zz_lit> {
        entries.iter().map(|(key, literal)| self.one(key, literal)).collect()
    }
    /// The literals stay where they are when the Vec around them moves.
    fn keep(&mut self, literals: Vec<zz_lit>) -> &[zz_lit] {
        self.0.push(literals);
        self.0.last().map_or(&[], |kept| kept)
    }
}

impl Value {
    /// A new object of a type ("evaluation"), checked like user input. Types that can be made: docs/values.md.
    pub fn make(r#type: &str, fields: &[(&str, Literal)]) -> Result<Value, Error> {
        let name =
            CString::new(r#type).map_err(|_| Error::new(ZZ_E_INVALID, "a type's name has no 0 in it"))?;
        Value::made(name.as_ptr(), &Literal::Map(fields))
    }
    pub fn map(entries: &[(&str, Literal)]) -> Result<Value, Error> {
        Value::made(null(), &Literal::Map(entries))
    }
    pub fn list(items: &[Literal]) -> Result<Value, Error> {
        Value::made(null(), &Literal::List(items))
    }
    /// A copy with parts set; keys may be paths. An evaluation takes unknown keys as metrics.
    pub fn with(&self, edits: &[(&str, Literal)]) -> Result<Value, Error> {
        let mut literals = Literals::default();
        let edits = literals.entries(edits);
        Value(unsafe { (values().with)(self.0, edits.as_ptr(), edits.len() as u32, sink()) }).or_failure()
    }

    fn made(r#type: *const c_char, literal: &Literal) -> Result<Value, Error> {
        let mut literals = Literals::default();
        let literal = literals.one("", literal);
        Value(unsafe { (values().make)(r#type, &literal, sink()) }).or_failure()
    }
    fn or_failure(self) -> Result<Value, Error> {
        if self.0.is_null() {
            Err(Error::of_last_call(ZZ_OK))
        } else {
            Ok(self)
        }
    }
}

impl Clone for Value {
    fn clone(&self) -> Self {
        Value(if self.0.is_null() { null_mut() } else { unsafe { (values().retain)(self.0) } })
    }
}
impl Drop for Value {
    fn drop(&mut self) {
        if !self.0.is_null() {
            unsafe { (values().release)(self.0) }
        }
    }
}

// ----------------------------------------------------------------------------------------- results

/// A result on its way upwards.
pub struct Outcome {
    pub evaluation: Value,
    pub extra: Value,
}

/// A result of a stage that varies something, with what it varied: `point(&[("size", Literal::I64(4096))], &result)`.
/// Tables show "with size = 4096" and the layers and total within.
pub fn point(settings: &[(&str, Literal)], result: Outcome) -> Result<Outcome, Error> {
    let extra = Value::map(&[
        ("settings", Literal::Map(settings)),
        ("extra", if result.extra.0.is_null() { Literal::Null } else { Literal::Value(&result.extra) }),
    ])?;
    Ok(Outcome { evaluation: result.evaluation, extra })
}

/// The results of one run; after the end or a failure nothing more is asked for.
pub type Results<'a> = Box<dyn Iterator<Item = Result<Outcome, Error>> + Send + 'a>;

/// Where a stage stands in the pipeline, and lives no longer than it: the chain below is opened here, and what a
/// stage logs, shows, reads and writes goes through here (`zz_services.rs`, `zz_chains.rs`).
#[derive(Clone, Copy)]
pub struct Place<'a> {
    raw: *mut zz_place,
    of: PhantomData<&'a ()>,
}

unsafe impl Send for Place<'_> {}
unsafe impl Sync for Place<'_> {}

impl<'a> Place<'a> {
    fn new(raw: *mut zz_place) -> Self {
        Place { raw, of: PhantomData }
    }
    /// For what is not wrapped.
    pub fn raw(self) -> *mut zz_place {
        self.raw
    }
    /// Runs the chain below over a context.
    pub fn open(self, context: &Value) -> Result<Substage<'a>, Error> {
        let mut stream = zz_stream { r#impl: null_mut(), pull: None, close: None, more: null() };
        match unsafe { (host().open)(self.raw, context.0, &mut stream, sink()) } {
            ZZ_OK => Ok(Substage { stream, of: PhantomData }),
            code => Err(Error::of_last_call(code)),
        }
    }
}

/// The results of the chain below. After the end or a failure there is nothing more; dropping it earlier closes
/// the chain.
pub struct Substage<'a> {
    stream: zz_stream,
    of: PhantomData<Place<'a>>,
}

unsafe impl Send for Substage<'_> {}

impl Iterator for Substage<'_> {
    type Item = Result<Outcome, Error>;
    fn next(&mut self) -> Option<Self::Item> {
        let (mut raw, mut n) = (zz_result { evaluation: null_mut(), extra: null_mut() }, 0);
        let pull = self.stream.pull?;
        match unsafe { pull(&mut self.stream, &mut raw, 1, &mut n, sink()) } {
            ZZ_OK if n == 0 => None,
            ZZ_OK => Some(Ok(Outcome { evaluation: Value(raw.evaluation), extra: Value(raw.extra) })),
            code => Some(Err(Error::of_last_call(code))),
        }
    }
}
impl Drop for Substage<'_> {
    fn drop(&mut self) {
        if let Some(close) = self.stream.close {
            unsafe { close(&mut self.stream) }
        }
    }
}

// ---------------------------------------------------------------------------------------- a stage

/// A stage's account of itself. Start from DESCRIPTION, PARAM and PORT: `Param { name: c!("level"), ..PARAM }`.
#[derive(Clone, Copy)]
pub struct Description {
    pub id: *const c_char,
    pub name: *const c_char,
    pub aliases: *const c_char,
    pub summary: *const c_char,
    pub doc: *const c_char,
    pub flags: u32,
}
pub type Param = zz_param;
pub type Port = zz_port;
pub type Metric = zz_metric;

pub const DESCRIPTION: Description =
    Description { id: null(), name: null(), aliases: null(), summary: null(), doc: null(), flags: 0 };
pub const PARAM: Param = Param {
    name: null(),
    kind: ZZ_NULL,
    flags: 0,
    def: null(),
    allowed: null(),
    unit: null(),
    doc: null(),
    aliases: null(),
    more: null(),
};
pub const PORT: Port =
    Port { key: null(), kind: ZZ_NULL, flags: 0, r#type: null(), doc: null(), more: null() };

pub const METRIC: Metric =
    Metric { name: null(), sum: ZZ_SUM_ADD, flags: 0, unit: null(), doc: null(), more: null() };

/// With ZZ_STAGE_PARALLEL_OPEN among its flags, `run` and `scorer` are called from several threads at once.
pub trait Stage: Sized + Send + Sync {
    const DESCRIPTION: Description;
    const PARAMS: &'static [Param] = &[];
    const CONSUMES: &'static [Port] = &[];
    const PROVIDES: &'static [Port] = &[];
    /// Figures of its own, with what they mean; `WRITES` are others that it changes.
    const METRICS: &'static [Metric] = &[];
    const WRITES: &'static [*const c_char] = &[];
    /// True if `scorer` is there.
    const SCORES: bool = false;

    /// `settings` are complete and checked.
    fn create(settings: Ref) -> Result<Self, Error>;
    /// Called once after `create`: the moment to read files.
    fn prepare(&mut self, _at: Place) -> Result<(), Error> {
        Ok(())
    }
    /// One iteration. The chain below is opened through `below`.
    fn run<'a>(&'a self, context: Value, below: Place<'a>) -> Result<Results<'a>, Error>;
    /// A leaf's fast way, for searches that score many candidates and want no result of each: candidate i is the
    /// context with the key `vary` set to row i. ZZ_E_UNSUPPORTED: the host opens the stage for each row instead.
    fn scorer<'a>(
        &'a self,
        _context: Value,
        _vary: Name,
        _metrics: &[Name],
    ) -> Result<Box<dyn Scorer + 'a>, Error> {
        Err(Error::new(ZZ_E_UNSUPPORTED, "this stage has no scores"))
    }
}

/// Made by `Stage::scorer`.
pub trait Scorer: Send {
    /// out[j * n + i] becomes metric j of row first + i; NaN, which it is before, in every column of a row that
    /// is infeasible. Bit for bit what `run` would give.
    fn score(&mut self, rows: Ref, first: usize, n: usize, out: &mut [f64]) -> Result<(), Error>;
}

/// The one exported symbol: `zz::plugin!("org.example.filters", "1.0", "MIT", FirstStage, SecondStage);`
#[macro_export]
macro_rules! plugin {
    ($id:literal, $version:literal, $license:literal, $($stage:ty),+) => {
        #[no_mangle]
        #[allow(non_upper_case_globals)]
        pub static zz_plugin_v0: $crate::abi::zz_plugin = {
            const STAGES: &[*const $crate::abi::zz_stage_desc] = &[$(&$crate::Entry::<$stage>::TABLE),+];
            $crate::abi::zz_plugin {
                size: std::mem::size_of::<$crate::abi::zz_plugin>() as u32,
                abi_major: $crate::abi::ZZ_ABI_MAJOR,
                abi_minor: $crate::abi::ZZ_ABI_MINOR,
                id: $crate::c!($id),
                version: $crate::c!($version),
                vendor: std::ptr::null(),
                license: $crate::c!($license),
                url: std::ptr::null(),
                build: std::ptr::null(),
                init: Some($crate::init),
                deinit: None,
                stages: STAGES.as_ptr(),
                n_stages: STAGES.len() as u32,
            }
        };
    };
}
