//! Write a stage of zz in Rust, with rustc alone: a thin layer over the C interface, whose tables are in `abi`.
//!
//! A stage implements `Stage`; `plugin!` makes the one exported table of all stages of the library. Texts of
//! tables are written `c!("...")`. Whatever fails is an `Error`; a panic becomes one at every entry point, so
//! that none crosses to the host: build with the default `-C panic=unwind`.
//!
//! What is not wrapped here, such as writing files, is reached through `abi` and `host()`.
#![deny(unsafe_op_in_unsafe_fn)]

#[path = "zz_abi.rs"]
pub mod abi;

use abi::*;
use std::any::Any;
use std::cell::Cell;
use std::marker::PhantomData;
use std::mem::{size_of, MaybeUninit};
use std::os::raw::{c_char, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::{null, null_mut};
use std::sync::atomic::{AtomicPtr, Ordering};

/// A text of a static table, which ends in 0 for C.
#[macro_export]
macro_rules! c {
    ($text:expr) => {
        concat!($text, "\0").as_ptr() as *const std::os::raw::c_char
    };
}

// ---------------------------------------------------------------------------------------- failures

/// Why a stage, or something that it called, failed.
pub struct Error {
    pub code: zz_status,
    pub message: String,
    failure: Value, // as it arose below or in the host: handed on unchanged
}

impl Error {
    pub fn new(code: zz_status, message: impl Into<String>) -> Self {
        Error { code, message: message.into(), failure: Value(null_mut()) }
    }

    /// What the call into the host that just failed says about itself; `code` ZZ_OK where it gave none.
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

fn text_of_panic(panic: Box<dyn Any + Send>) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
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

static HOST: AtomicPtr<zz_host> = AtomicPtr::new(null_mut());
static VALUES: AtomicPtr<zz_values> = AtomicPtr::new(null_mut());

/// Valid once the host has met the plugin, that is, in every function of a stage.
pub fn host() -> &'static zz_host {
    unsafe { &*HOST.load(Ordering::Relaxed) }
}
pub fn values() -> &'static zz_values {
    unsafe { &*VALUES.load(Ordering::Relaxed) }
}

/// An interned field, key or path. A text becomes one by itself; make it once where that happens often.
#[derive(Clone, Copy)]
pub struct Name(pub zz_name);

impl From<&str> for Name {
    fn from(text: &str) -> Self {
        Name(unsafe { (values().name)(text.as_ptr() as *const c_char, text.len()) })
    }
}

/// A look at a value or a part of it, valid as long as the value.
#[derive(Clone, Copy)]
pub struct Ref<'a> {
    pub raw: zz_ref,
    of: PhantomData<&'a Value>,
}

impl<'a> Ref<'a> {
    fn new(raw: zz_ref) -> Self {
        Ref { raw, of: PhantomData }
    }
    /// The part of that name; one that is not there says so when it is read.
    pub fn get(self, name: impl Into<Name>) -> Ref<'a> {
        Ref::new(unsafe { (values().get)(self.raw, name.into().0) })
    }
    /// The part at that position of a list, map or object.
    pub fn at(self, position: usize) -> Ref<'a> {
        Ref::new(unsafe { (values().at)(self.raw, position as u32, null_mut()) })
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
        let text = self.read(values().str, ZZ_STR)?;
        let bytes = unsafe { std::slice::from_raw_parts(text.p as *const u8, text.n) };
        std::str::from_utf8(bytes).map_err(|_| Error::new(ZZ_E_TYPE, "a text is not UTF-8"))
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
}
/// What a value is made from, in `Value::make` and `Value::with`.
#[derive(Clone, Copy)]
pub enum Literal<'a> {
    Null,
    Bool(bool),
    I64(i64),
    F64(f64),
    Str(&'a str),
    Ref(Ref<'a>),
    Removed, // only in `with`: the key goes away
}

impl Literal<'_> {
    fn of(&(key, literal): &(&str, Literal)) -> zz_lit {
        let (kind, u) = match literal {
            Literal::Null => (ZZ_NULL, zz_lit_u { i: 0 }),
            Literal::Bool(value) => (ZZ_BOOL, zz_lit_u { i: value as i64 }),
            Literal::I64(value) => (ZZ_I64, zz_lit_u { i: value }),
            Literal::F64(value) => (ZZ_F64, zz_lit_u { d: value }),
            Literal::Str(text) => {
                (ZZ_STR, zz_lit_u { s: zz_str { p: text.as_ptr() as *const c_char, n: text.len() } })
            }
            Literal::Ref(part) => (ZZ_LIT_REF, zz_lit_u { r#ref: part.raw }),
            Literal::Removed => (ZZ_LIT_REMOVE, zz_lit_u { i: 0 }),
        };
        zz_lit { key: null(), name: Name::from(key).0, kind, u }
    }
}

impl Value {
    /// A new object of a type, checked like user input; the type is written `c!("evaluation")`, null makes a map.
    pub fn make(r#type: *const c_char, fields: &[(&str, Literal)]) -> Result<Value, Error> {
        let fields: Vec<zz_lit> = fields.iter().map(Literal::of).collect();
        let a = zz_lit_array { p: fields.as_ptr() as *const c_void, n: fields.len() };
        let map = zz_lit { key: null(), name: 0, kind: ZZ_MAP, u: zz_lit_u { a } };
        Value(unsafe { (values().make)(r#type, &map, sink()) }).or_failure()
    }
    /// A copy with parts set; keys may be paths. An evaluation takes unknown keys as metrics.
    pub fn with(&self, edits: &[(&str, Literal)]) -> Result<Value, Error> {
        let edits: Vec<zz_lit> = edits.iter().map(Literal::of).collect();
        Value(unsafe { (values().with)(self.0, edits.as_ptr(), edits.len() as u32, sink()) }).or_failure()
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

/// What flows upwards.
pub struct Outcome {
    pub evaluation: Value,
    pub extra: Value,
}

/// The results of one run; after the end or a failure nothing more is asked for.
pub type Results<'a> = Box<dyn Iterator<Item = Result<Outcome, Error>> + Send + 'a>;

/// Where a stage stands in the pipeline.
#[derive(Clone, Copy)]
pub struct Place(pub *mut zz_place);

unsafe impl Send for Place {}
unsafe impl Sync for Place {}

impl Place {
    /// Runs the chain below over a context.
    pub fn open(self, context: &Value) -> Result<Substage, Error> {
        let mut stream = zz_stream { r#impl: null_mut(), pull: None, close: None, more: null() };
        match unsafe { (host().open)(self.0, context.0, &mut stream, sink()) } {
            ZZ_OK => Ok(Substage(stream)),
            code => Err(Error::of_last_call(code)),
        }
    }
}

/// The results of the chain below.
pub struct Substage(zz_stream);

unsafe impl Send for Substage {}

impl Iterator for Substage {
    type Item = Result<Outcome, Error>;
    fn next(&mut self) -> Option<Self::Item> {
        let (mut raw, mut n) = (zz_result { evaluation: null_mut(), extra: null_mut() }, 0);
        let pull = self.0.pull?;
        match unsafe { pull(&mut self.0, &mut raw, 1, &mut n, sink()) } {
            ZZ_OK if n == 0 => None,
            ZZ_OK => Some(Ok(Outcome { evaluation: Value(raw.evaluation), extra: Value(raw.extra) })),
            code => Some(Err(Error::of_last_call(code))),
        }
    }
}
impl Drop for Substage {
    fn drop(&mut self) {
        if let Some(close) = self.0.close {
            unsafe { close(&mut self.0) }
        }
    }
}

// ---------------------------------------------------------------------------------------- a stage

/// What a stage says about itself. Start from DESCRIPTION, PARAM and PORT: `Param { name: c!("level"), ..PARAM }`.
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

/// With ZZ_STAGE_PARALLEL_OPEN among its flags, `run` is called from several threads at once.
pub trait Stage: Sized + Send + Sync {
    const DESCRIPTION: Description;
    const PARAMS: &'static [Param] = &[];
    const CONSUMES: &'static [Port] = &[];
    const PROVIDES: &'static [Port] = &[];
    const WRITES: &'static [*const c_char] = &[];

    /// `settings` are complete and checked.
    fn create(settings: Ref) -> Result<Self, Error>;
    /// One iteration. The chain below is opened through `below`.
    fn run<'a>(&'a self, context: Value, below: Place) -> Result<Results<'a>, Error>;
}

/// The tables and entry points of a stage: what `plugin!` uses.
pub struct Entry<S>(PhantomData<S>);

struct Placed<S> {
    stage: S,
    place: Place,
}

impl<S: Stage> Entry<S> {
    pub const TABLE: zz_stage_desc = zz_stage_desc {
        size: size_of::<zz_stage_desc>() as u32,
        flags: S::DESCRIPTION.flags,
        id: S::DESCRIPTION.id,
        name: S::DESCRIPTION.name,
        aliases: S::DESCRIPTION.aliases,
        summary: S::DESCRIPTION.summary,
        doc: S::DESCRIPTION.doc,
        params: S::PARAMS.as_ptr(),
        n_params: S::PARAMS.len() as u32,
        n_consumes: S::CONSUMES.len() as u32,
        consumes: S::CONSUMES.as_ptr(),
        provides: S::PROVIDES.as_ptr(),
        n_provides: S::PROVIDES.len() as u32,
        n_writes: S::WRITES.len() as u32,
        writes: S::WRITES.as_ptr(),
        create: Self::create,
        destroy: Self::destroy,
        open: Self::open,
        get_extension: None,
    };

    unsafe extern "C" fn create(
        _: *const zz_host,
        settings: zz_ref,
        at: *mut zz_place,
        out: *mut *mut zz_stage,
        err: *mut zz_error,
    ) -> zz_status {
        guarded(err, || {
            let placed = Placed { stage: S::create(Ref::new(settings))?, place: Place(at) };
            unsafe { *out = Box::into_raw(Box::new(placed)) as *mut zz_stage };
            Ok(())
        })
    }

    unsafe extern "C" fn destroy(stage: *mut zz_stage) {
        guarded(null_mut(), || {
            drop(unsafe { Box::from_raw(stage as *mut Placed<S>) });
            Ok(())
        });
    }

    unsafe extern "C" fn open(
        stage: *mut zz_stage,
        context: *mut zz_value,
        out: *mut zz_stream,
        err: *mut zz_error,
    ) -> zz_status {
        guarded(err, || {
            let Placed { stage, place } = unsafe { &*(stage as *const Placed<S>) };
            let context = Value(unsafe { (values().retain)(context) });
            let run = Box::new(Run { results: Some(stage.run(context, *place)?), failure: None });
            let stream = zz_stream {
                r#impl: Box::into_raw(run) as *mut c_void,
                pull: Some(pull),
                close: Some(close),
                more: null(),
            };
            unsafe { out.write(stream) };
            Ok(())
        })
    }
}

/// One run of a stage behind a zz_stream: what was found first, then the failure, for ever.
struct Run<'a> {
    results: Option<Results<'a>>, // None once it came to its end
    failure: Option<Error>,
}

unsafe extern "C" fn pull(
    stream: *mut zz_stream,
    out: *mut zz_result,
    cap: u32,
    n: *mut u32,
    err: *mut zz_error,
) -> zz_status {
    let run = unsafe { &mut *((*stream).r#impl as *mut Run<'static>) };
    let mut found = 0;
    guarded(err, || {
        while found < cap {
            let next = match run.results.as_mut() {
                Some(results) => catch_unwind(AssertUnwindSafe(|| results.next())),
                None => break,
            };
            match next {
                Ok(Some(Ok(outcome))) => {
                    let Outcome { mut evaluation, mut extra } = outcome;
                    let (evaluation, extra) = (evaluation.give(), extra.give());
                    unsafe { out.add(found as usize).write(zz_result { evaluation, extra }) };
                    found += 1;
                    continue;
                }
                Ok(None) => {}
                Ok(Some(Err(error))) => run.failure = Some(error),
                Err(panic) => run.failure = Some(Error::new(ZZ_E_INTERNAL, text_of_panic(panic))),
            }
            run.results = None;
        }
        Ok(())
    });
    unsafe { *n = found };
    match &run.failure {
        Some(failure) if found == 0 => failure.tell(err),
        _ => ZZ_OK,
    }
}

unsafe extern "C" fn close(stream: *mut zz_stream) {
    guarded(null_mut(), || {
        drop(unsafe { Box::from_raw((*stream).r#impl as *mut Run<'static>) });
        Ok(())
    });
}

impl Value {
    fn give(&mut self) -> *mut zz_value {
        std::mem::replace(&mut self.0, null_mut())
    }
}

/// Called by the host when it meets the plugin.
pub unsafe extern "C" fn init(host: *const zz_host, err: *mut zz_error) -> zz_status {
    HOST.store(host as *mut zz_host, Ordering::Relaxed);
    let values = unsafe { ((*host).get_extension)(c!("zz.values/0")) };
    VALUES.store(values as *mut zz_values, Ordering::Relaxed);
    if values.is_null() {
        return Error::new(ZZ_E_UNSUPPORTED, "this host does not offer zz.values/0").tell(err);
    }
    ZZ_OK
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
