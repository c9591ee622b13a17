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
/// A temporal mapping in numbers, for `RowScorer::score_orders`: see zz_order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// Of each loop, innermost first: an index into `layer.loops`, and its iterations.
    pub loops: Vec<(u8, i64)>,
    /// Of each operand, at its memories from the lowest up: the loops that they hold. Empty: the host shares the
    /// loops out, evenly or not.
    pub cuts: Vec<Vec<u8>>,
    pub even: bool,
}

/// The columns of orders, as zz_order points at them.
struct Columns {
    dimension: Vec<u8>,
    size: Vec<i64>,
    cuts: Vec<u8>,
    levels: usize,
}

impl Columns {
    fn of(order: &Order) -> Columns {
        let levels = order.cuts.iter().map(Vec::len).max().unwrap_or(0);
        let mut cuts = Vec::with_capacity(levels * order.cuts.len());
        for of_operand in &order.cuts {
            cuts.extend(of_operand);
            cuts.resize(cuts.len() + levels - of_operand.len(), 0);
        }
        let (dimension, size) = order.loops.iter().copied().unzip();
        Columns { dimension, size, cuts, levels }
    }
    fn raw(&self, even: bool) -> zz_order {
        zz_order {
            dimension: self.dimension.as_ptr(),
            size: self.size.as_ptr(),
            cuts: if self.cuts.is_empty() { null() } else { self.cuts.as_ptr() },
            loops: self.size.len() as u32,
            levels: self.levels as u32,
            even: even as i32,
        }
    }
}

impl RowScorer<'_> {
    /// What `score` would give for temporal mappings of which no value is made, of a scorer that was bound with
    /// "temporal_mapping": metric j of the i-th of n orders is at j * n + i, NaN where it does not fit.
    pub fn score_orders(&mut self, orders: &[Order]) -> Result<Vec<f64>, Error> {
        let score = self.later()?.orders.ok_or_else(Self::no_orders)?;
        let columns: Vec<Columns> = orders.iter().map(Columns::of).collect();
        let raw: Vec<zz_order> =
            columns.iter().zip(orders).map(|(columns, order)| columns.raw(order.even)).collect();
        let mut out = vec![f64::NAN; self.metrics * orders.len()];
        match unsafe { score(self.raw, raw.as_ptr(), raw.len() as u32, out.as_mut_ptr(), sink()) } {
            ZZ_OK => Ok(out),
            code => Err(Error::of_last_call(code)),
        }
    }
    /// The mapping that such an order is, to be handed down; ZZ_E_NO_RESULT where it does not fit.
    pub fn mapping(&mut self, order: &Order) -> Result<Value, Error> {
        let mapping = self.later()?.mapping.ok_or_else(Self::no_orders)?;
        let columns = Columns::of(order);
        Value(unsafe { mapping(self.raw, &columns.raw(order.even), sink()) }).or_failure()
    }
    fn later(&self) -> Result<&'static zz_score, Error> {
        if (self.table.size as usize) < std::mem::size_of::<zz_score>() {
            return Err(Self::no_orders());
        }
        Ok(self.table)
    }
    fn no_orders() -> Error {
        Error::new(ZZ_E_UNSUPPORTED, "this host does not score orders in numbers")
    }
}

impl Drop for RowScorer<'_> {
    fn drop(&mut self) {
        unsafe { (self.table.unbind)(self.raw) }
    }
}
