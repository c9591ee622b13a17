//! Chains of stages that are settings of a stage, and scores of many candidates by a chain.
use super::services::{NESTED, SCORE};
use super::*;
use std::ops::Range;

impl<'a> Place<'a> {
    /// The chain of stages that is a setting (ZZ_LIST with ZZ_STAGES) of this stage.
    pub fn chain(self, setting: impl Into<Name>) -> Result<Chain<'a>, Error> {
        let nested = NESTED.or_unsupported("make chains of settings")?;
        let raw = unsafe { (nested.place)(self.raw, setting.into().0) };
        if raw.is_null() {
            return Err(Error::new(ZZ_E_UNSUPPORTED, "the setting is no list of stages, or it is empty"));
        }
        Ok(Chain(Place::new(raw)))
    }
    /// Metrics of many candidates from the chain below, without a result each: candidate i is the context with
    /// the key `vary` set to row i. None where the chain below cannot be scored: open it for each row instead.
    pub fn scorer(
        self,
        context: &Value,
        vary: impl Into<Name>,
        metrics: &[Name],
    ) -> Result<Option<RowScorer<'a>>, Error> {
        let table = match SCORE.get() {
            Some(table) => table,
            None => return Ok(None),
        };
        let (names, m) = (metrics.as_ptr() as *const zz_name, metrics.len() as u32);
        let mut raw = null_mut();
        match unsafe { (table.bind)(self.raw, context.0, vary.into().0, names, m, &mut raw, sink()) } {
            ZZ_OK => Ok(Some(RowScorer { raw, table, metrics: metrics.len(), of: PhantomData })),
            ZZ_E_UNSUPPORTED => Ok(None),
            code => Err(Error::of_last_call(code)),
        }
    }
}

/// A chain of stages that is a setting of a stage.
#[derive(Clone, Copy)]
pub struct Chain<'a>(Place<'a>);

impl<'a> Chain<'a> {
    pub fn open(self, context: &Value) -> Result<Substage<'a>, Error> {
        self.0.open(context)
    }
    /// As `Place::scorer`.
    pub fn scorer(
        self,
        context: &Value,
        vary: impl Into<Name>,
        metrics: &[Name],
    ) -> Result<Option<RowScorer<'a>>, Error> {
        self.0.scorer(context, vary, metrics)
    }
    /// Everything that decides about the results over the context, apart from the objects in it: a list of maps
    /// {stage, plugin, settings, chains, reads}, see zz_nested. For stages that keep results from run to run.
    pub fn describe(self, context: &Value) -> Result<Value, Error> {
        let nested = NESTED.or_unsupported("make chains of settings")?;
        Value(unsafe { (nested.describe)(self.0.raw, context.0, sink()) }).or_failure()
    }
}

/// Made by `Place::scorer`. One call at a time; several scorers may be used at once.
pub struct RowScorer<'a> {
    raw: *mut zz_scorer,
    table: &'static zz_score,
    metrics: usize,
    of: PhantomData<Place<'a>>,
}

unsafe impl Send for RowScorer<'_> {}

impl RowScorer<'_> {
    /// The figures of some of the rows: metric j of the i-th of n rows is at j * n + i, NaN in every column of a
    /// row that is infeasible.
    pub fn score(&mut self, rows: Ref, which: Range<usize>) -> Result<Vec<f64>, Error> {
        if which.start > which.end || which.end > rows.len() {
            let text = format!("the rows {} to {} of {} were asked for", which.start, which.end, rows.len());
            return Err(Error::new(ZZ_E_INTERNAL, text));
        }
        let (first, n) = (which.start as u32, which.len() as u32);
        let mut out = vec![f64::NAN; self.metrics * which.len()];
        match unsafe { (self.table.score)(self.raw, rows.raw, first, n, out.as_mut_ptr(), sink()) } {
            ZZ_OK => Ok(out),
            code => Err(Error::of_last_call(code)),
        }
    }
}
impl Drop for RowScorer<'_> {
    fn drop(&mut self) {
        unsafe { (self.table.unbind)(self.raw) }
    }
}
