//! Services for a running stage: log, progress, files, mappings, tables, programs, threads; `zz_chains.rs` has
//! chains of its own and scores. Whoever holds a `Place` may use it, from any thread. A host that lacks one of these
//! says nothing of it, shows nothing, or fails with ZZ_E_UNSUPPORTED.
use super::*;
use std::mem::size_of;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::Mutex;

/// A table of the host, found once.
pub(crate) struct Table<T>(AtomicPtr<T>);

impl<T: 'static> Table<T> {
    pub(crate) const fn new() -> Self {
        Table(AtomicPtr::new(null_mut()))
    }
    pub(crate) fn set(&self, table: *const c_void) {
        self.0.store(table as *mut T, Ordering::Release);
    }
    pub(crate) fn get(&self) -> Option<&'static T> {
        unsafe { self.0.load(Ordering::Acquire).as_ref() }
    }
    pub(crate) fn or_unsupported(&self, what: &str) -> Result<&'static T, Error> {
        self.get().ok_or_else(|| Error::new(ZZ_E_UNSUPPORTED, format!("this host does not {}", what)))
    }
}

pub(crate) static VALUES: Table<zz_values> = Table::new();
static LOG: Table<zz_log> = Table::new();
static PROGRESS: Table<zz_progress> = Table::new();
static CANCEL: Table<zz_cancel> = Table::new();
static PARALLEL: Table<zz_parallel> = Table::new();
static OUTPUT: Table<zz_output> = Table::new();
static INPUT: Table<zz_input> = Table::new();
static EVALUATIONS: Table<zz_evaluations> = Table::new();
static MAPPINGS: Table<zz_mappings> = Table::new();
static REPORT: Table<zz_report> = Table::new();
static PROCESS: Table<zz_process> = Table::new();
static ANSWERS: Table<zz_answers> = Table::new();
pub(crate) static NESTED: Table<zz_nested> = Table::new();
pub(crate) static SCORE: Table<zz_score> = Table::new();

/// False when the host lacks what no stage can do without.
pub(crate) fn find_tables(find: impl Fn(*const c_char) -> *const c_void) -> bool {
    VALUES.set(find(c!("zz.values/0")));
    LOG.set(find(c!("zz.log/0")));
    PROGRESS.set(find(c!("zz.progress/0")));
    CANCEL.set(find(c!("zz.cancel/0")));
    PARALLEL.set(find(c!("zz.parallel/0")));
    OUTPUT.set(find(c!("zz.output/0")));
    INPUT.set(find(c!("zz.input/0")));
    EVALUATIONS.set(find(c!("zz.evaluations/0")));
    MAPPINGS.set(find(c!("zz.mappings/0")));
    REPORT.set(find(c!("zz.report/0")));
    PROCESS.set(find(c!("zz.process/0")));
    ANSWERS.set(find(c!("zz.answers/0")));
    NESTED.set(find(c!("zz.nested/0")));
    SCORE.set(find(c!("zz.score/0")));
    VALUES.get().is_some()
}

fn lent(text: &str) -> (*const c_char, usize) {
    (text.as_ptr() as *const c_char, text.len())
}

fn lent_str(text: &str) -> zz_str {
    zz_str { p: text.as_ptr() as *const c_char, n: text.len() }
}

// --------------------------------------------------------------------------------- saying something

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Trace,
    Debug,
    Info,
    Warning,
    Error,
}

/// A progress display, from `Place::progress` until it is dropped.
pub struct Progress<'a>(Place<'a>);

impl Progress<'_> {
    pub fn advance(&self, steps: u64) {
        if let Some(progress) = PROGRESS.get() {
            unsafe { (progress.advance)(self.0.raw, steps) }
        }
    }
}
impl Drop for Progress<'_> {
    fn drop(&mut self) {
        if let Some(progress) = PROGRESS.get() {
            unsafe { (progress.end)(self.0.raw) }
        }
    }
}

impl<'a> Place<'a> {
    /// True if anybody reads what is logged at that level: ask before a text that is dear to make.
    pub fn logs(self, level: Level) -> bool {
        LOG.get().map_or(false, |log| unsafe { (log.enabled)(level as i32) } != 0)
    }
    /// The host puts the name of the stage in front.
    pub fn log(self, level: Level, text: &str) {
        if !self.logs(level) {
            return;
        }
        if let Some(log) = LOG.get() {
            let (text, n) = lent(text);
            unsafe { (log.write)(self.raw, level as i32, text, n) }
        }
    }
    /// Shows how far a long step is; `total` 0 where that is not known.
    pub fn progress(self, label: &str, total: u64) -> Progress<'a> {
        if let Some(progress) = PROGRESS.get() {
            let (label, n) = lent(label);
            unsafe { (progress.begin)(self.raw, label, n, total) }
        }
        Progress(self)
    }
    /// Adds to a counter of the run's summary, for example "mappings evaluated".
    pub fn count(self, what: &str, amount: u64) {
        if let Some(progress) = PROGRESS.get() {
            let (what, n) = lent(what);
            unsafe { (progress.count)(self.raw, what, n, amount) }
        }
    }

    // ------------------------------------------------------------------------------------- files

    /// Writes a file that appears whole or not at all; makes missing folders. A relative path counts from the
    /// working directory.
    pub fn write_file(self, path: &str, data: impl AsRef<[u8]>) -> Result<(), Error> {
        let output = OUTPUT.or_unsupported("write files")?;
        let data = data.as_ref();
        let bytes = data.as_ptr() as *const c_char;
        match unsafe { (output.write)(self.raw, lent_str(path), bytes, data.len(), sink()) } {
            ZZ_OK => Ok(()),
            code => Err(Error::of_last_call(code)),
        }
    }
    /// A YAML file, unchecked. A relative path counts from the working directory; that of a setting flagged
    /// ZZ_INPUT_PATH has been completed by the host. Failures have line and column.
    pub fn read_yaml(self, path: &str) -> Result<Value, Error> {
        self.read_input(path, ZZ_NULL, &[])
    }
    /// A YAML file that is a map of settings, checked and completed as the settings of a stage are.
    pub fn read_settings(self, path: &str, settings: &[Param]) -> Result<Value, Error> {
        self.read_input(path, ZZ_MAP, settings)
    }
    /// The same for a list of such maps.
    pub fn read_rows(self, path: &str, settings: &[Param]) -> Result<Value, Error> {
        self.read_input(path, ZZ_LIST, settings)
    }
    fn read_input(self, path: &str, form: i32, settings: &[Param]) -> Result<Value, Error> {
        let input = INPUT.or_unsupported("read files for stages")?;
        let (params, n) = (settings.as_ptr(), settings.len() as u32);
        Value(unsafe { (input.read)(self.raw, lent_str(path), form, params, n, sink()) }).or_failure()
    }
    /// The value that a text, or a file, in the format of the built-in readers says: an "accelerator", a
    /// "mapping_file", a "workload" (YAML; `choose_entries` gives its layers their mapping), or a plain tree from
    /// "yaml" or "json". `name` stands for the file in messages, which have line and column.
    pub fn parse(self, r#type: &str, text: &str, name: &str) -> Result<Value, Error> {
        let parse = Self::later_input()?.parse.ok_or_else(Self::no_reader)?;
        let (r#type, text, name) = (lent_str(r#type), lent_str(text), lent_str(name));
        Value(unsafe { parse(self.raw, r#type, text, name, sink()) }).or_failure()
    }
    pub fn load(self, r#type: &str, path: &str) -> Result<Value, Error> {
        let load = Self::later_input()?.load.ok_or_else(Self::no_reader)?;
        Value(unsafe { load(self.raw, lent_str(r#type), lent_str(path), sink()) }).or_failure()
    }
    /// A layer or workload with what a mapping file says of it, as the built-in readers choose it: each layer gets
    /// the first entry with its name, else with its type, else "default".
    pub fn choose_entries(self, network: Ref, mapping_file: Ref) -> Result<Value, Error> {
        let choose = Self::later_input()?.choose.ok_or_else(Self::no_reader)?;
        Value(unsafe { choose(self.raw, network.raw, mapping_file.raw, sink()) }).or_failure()
    }
    /// All that is in a file, of at most 256 MiB of UTF-8. A file that a program brought in memory is read from
    /// there; a folder, a pipe or a device is refused. Paths as for `read_yaml`.
    pub fn text(self, path: &str) -> Result<String, Error> {
        let text = Self::later_input()?.text.ok_or_else(Self::no_reader)?;
        let whole = Value(unsafe { text(self.raw, lent_str(path), sink()) }).or_failure()?;
        Ok(whole.look().str()?.to_string())
    }
    /// The same for a file of any bytes, of at most 2 GiB.
    pub fn bytes(self, path: &str) -> Result<Vec<u8>, Error> {
        let bytes = Self::later_input()?.bytes.ok_or_else(Self::no_reader)?;
        let whole = Value(unsafe { bytes(self.raw, lent_str(path), sink()) }).or_failure()?;
        whole.look().bytes()
    }
    /// The table of a host of minor 0.2 or later, which has these five.
    fn later_input() -> Result<&'static zz_input, Error> {
        let input = INPUT.get().filter(|input| input.size as usize >= size_of::<zz_input>());
        input.ok_or_else(Self::no_reader)
    }
    fn no_reader() -> Error {
        Error::new(ZZ_E_UNSUPPORTED, "this host does not read texts for stages")
    }

    // ---------------------------------------------------------------------------------- mappings

    /// The temporal mapping of a loop order, a list of {dimension, size} from the innermost out, over the layer,
    /// accelerator and spatial_mapping of the context. ZZ_E_NO_RESULT when it does not fit the memories. `even`:
    /// operands that share a memory cut the nest at one loop.
    pub fn allocate(self, context: &Value, order: Ref, even: bool) -> Result<Value, Error> {
        let mappings = MAPPINGS.or_unsupported("allocate loop orders")?;
        let even = even as i32;
        Value(unsafe { (mappings.allocate)(self.raw, context.0, order.raw, even, sink()) }).or_failure()
    }
    /// None when the temporal mapping can be over the context, else what is wrong: iterations that it leaves out or
    /// that are too many, a memory without room. An error when it is none of this layer.
    pub fn why_not(self, context: &Value, mapping: Ref) -> Result<Option<String>, Error> {
        let mappings = MAPPINGS.or_unsupported("check mappings")?;
        match unsafe { (mappings.check)(self.raw, context.0, mapping.raw, sink()) } {
            ZZ_OK => Ok(None),
            ZZ_E_NO_RESULT => Ok(Some(Error::of_last_call(ZZ_E_NO_RESULT).message)),
            code => Err(Error::of_last_call(code)),
        }
    }

    // ----------------------------------------------------------------------------------- answers

    /// What a stage of this kind has kept under an equal question, a map of all that decides the answer, in this run
    /// or in the store (a file or a URL; "": none). What comes from a store is input: check it.
    pub fn find_answer(self, question: Ref, store: &str) -> Result<Option<Value>, Error> {
        let answers = match ANSWERS.get() {
            Some(answers) => answers,
            None => return Ok(None),
        };
        let mut found = null_mut();
        match unsafe { (answers.find)(self.raw, question.raw, lent_str(store), &mut found, sink()) } {
            ZZ_OK if found.is_null() => Ok(None),
            ZZ_OK => Ok(Some(Value(found))),
            code => Err(Error::of_last_call(code)),
        }
    }
    /// Keeps a plain tree; objects within become maps.
    pub fn keep_answer(self, question: Ref, answer: Ref, store: &str) -> Result<(), Error> {
        let answers = match ANSWERS.get() {
            Some(answers) => answers,
            None => return Ok(()),
        };
        match unsafe { (answers.keep)(self.raw, question.raw, answer.raw, lent_str(store), sink()) } {
            ZZ_OK => Ok(()),
            code => Err(Error::of_last_call(code)),
        }
    }

    // ---------------------------------------------------------------------------- tables, programs

    /// A table behind those of the run: `columns` is a list of texts, `rows` a list of lists of as many texts,
    /// numbers, truth values or nulls. Of several of one title the last one counts.
    pub fn report(self, title: &str, columns: Ref, rows: Ref) -> Result<(), Error> {
        let report = match REPORT.get() {
            Some(report) => report,
            None => return Ok(()),
        };
        match unsafe { (report.table)(self.raw, lent_str(title), columns.raw, rows.raw, sink()) } {
            ZZ_OK => Ok(()),
            code => Err(Error::of_last_call(code)),
        }
    }
    /// Runs a program with arguments, without a shell, and waits for it; ends it when the run is asked to stop.
    /// `input` is its standard input, `folder` where it runs ("": where the host does), `seconds` the most that it
    /// may take (0: no limit).
    pub fn execute(
        self,
        command: &[&str],
        input: &str,
        folder: &str,
        seconds: f64,
    ) -> Result<Answer, Error> {
        let process = PROCESS.or_unsupported("run programs")?;
        let words: Vec<zz_str> = command.iter().map(|word| lent_str(word)).collect();
        let (argv, n) = (words.as_ptr(), words.len() as u32);
        let (input, folder) = (lent_str(input), lent_str(folder));
        let answer =
            Value(unsafe { (process.run)(self.raw, argv, n, input, folder, seconds, sink()) }).or_failure()?;
        Ok(Answer {
            status: answer.get("status").i64()?,
            output: answer.get("output").str()?.to_string(),
            errors: answer.get("errors").str()?.to_string(),
        })
    }
}

/// Exit and output of a program that `Place::execute` ran.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Its exit code, or 128 plus the number of the signal that ended it.
    pub status: i64,
    pub output: String,
    pub errors: String,
}

// ---------------------------------------------------------------------------------- evaluations

impl Value {
    /// The sum of evaluations, added in order from zero: what SumStage yields.
    pub fn sum(evaluations: &[&Value]) -> Result<Value, Error> {
        let table = EVALUATIONS.or_unsupported("add evaluations")?;
        let handles: Vec<*mut zz_value> = evaluations.iter().map(|evaluation| evaluation.0).collect();
        Value(unsafe { (table.sum)(handles.as_ptr(), handles.len() as u32, sink()) }).or_failure()
    }
    /// An evaluation repeated `factor` times in sequence.
    pub fn scale(&self, factor: f64) -> Result<Value, Error> {
        let table = EVALUATIONS.or_unsupported("scale evaluations")?;
        Value(unsafe { (table.scale)(self.0, factor, sink()) }).or_failure()
    }
}

// -------------------------------------------------------------------------------------- threads

/// True when the run was asked to stop: poll it in long loops, and give up with ZZ_E_CANCELLED.
pub fn cancelled() -> bool {
    CANCEL.get().map_or(false, |cancel| unsafe { (cancel.requested)() } != 0)
}

/// For a search that was interrupted and hands up the best that it has: from now on `cancelled` is false, until the
/// run is interrupted again.
pub fn take_interruption() {
    let cancel = CANCEL.get().filter(|cancel| cancel.size as usize >= size_of::<zz_cancel>());
    if let Some(take) = cancel.and_then(|cancel| cancel.take) {
        unsafe { take() }
    }
}

/// Calls `body` once for every i < n on the host's pool and this thread; back when all are done. Of several
/// failures or panics the one of the lowest i is the result, whatever the number of threads.
pub fn for_each(n: u32, body: impl Fn(u32) -> Result<(), Error> + Sync) -> Result<(), Error> {
    struct Loop<F> {
        body: F,
        failure: Mutex<Option<(u32, Error)>>,
    }
    impl<F: Fn(u32) -> Result<(), Error> + Sync> Loop<F> {
        fn call(&self, i: u32) {
            // A sink belongs to the thread that was called with it.
            let before = SINK.with(|sink| sink.replace(null_mut()));
            let outcome = catch_unwind(AssertUnwindSafe(|| (self.body)(i)));
            SINK.with(|sink| sink.set(before));
            let error = match outcome {
                Ok(Ok(())) => return,
                Ok(Err(error)) => error,
                Err(panic) => Error::new(ZZ_E_INTERNAL, text_of_panic(panic)),
            };
            let mut failure = self.failure.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
            if failure.as_ref().map_or(true, |(lowest, _)| i < *lowest) {
                *failure = Some((i, error));
            }
        }
    }
    unsafe extern "C" fn turn<F: Fn(u32) -> Result<(), Error> + Sync>(user: *mut c_void, i: u32) {
        unsafe { &*(user as *const Loop<F>) }.call(i);
    }
    fn turns<F: Fn(u32) -> Result<(), Error> + Sync>(_: &Loop<F>) -> unsafe extern "C" fn(*mut c_void, u32) {
        turn::<F>
    }

    let run = Loop { body, failure: Mutex::new(None) };
    match PARALLEL.get() {
        Some(parallel) => unsafe {
            (parallel.for_each)(n, turns(&run), &run as *const _ as *mut c_void);
        },
        None => (0..n).for_each(|i| run.call(i)),
    }
    match run.failure.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner()) {
        Some((_, error)) => Err(error),
        None => Ok(()),
    }
}
