//! Calls by the host: tables and entry points of a stage, from an implementation of `Stage`. Every one catches
//! panics. Authors use `plugin!` only.
use super::*;
use std::ffi::CStr;
use std::mem::size_of;

pub(crate) static HOST: Table<zz_host> = Table::new();

/// The tables and entry points of a stage: what `plugin!` uses.
pub struct Entry<S>(PhantomData<S>);

struct Placed<S> {
    stage: S,
    at: *mut zz_place,
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
        get_extension: Some(Self::get_extension),
        metrics: S::METRICS.as_ptr(),
        n_metrics: S::METRICS.len(),
    };
    const SCORE: &'static zz_stage_score =
        &zz_stage_score { size: size_of::<zz_stage_score>() as u32, bind: Self::bind, score, unbind };

    unsafe extern "C" fn create(
        _: *const zz_host,
        settings: zz_ref,
        at: *mut zz_place,
        out: *mut *mut zz_stage,
        err: *mut zz_error,
    ) -> zz_status {
        guarded(err, || {
            let mut stage = S::create(Ref::new(settings))?;
            stage.prepare(Place::new(at))?;
            unsafe { *out = Box::into_raw(Box::new(Placed { stage, at })) as *mut zz_stage };
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
            let Placed { stage, at } = unsafe { &*(stage as *const Placed<S>) };
            let context = Value(unsafe { (values().retain)(context) });
            let run = Box::new(Run { results: Some(stage.run(context, Place::new(*at))?), failure: None });
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

    unsafe extern "C" fn get_extension(_: *const zz_stage, id: *const c_char) -> *const c_void {
        if S::SCORES && unsafe { CStr::from_ptr(id) }.to_bytes() == b"zz.stage.score/0" {
            return Self::SCORE as *const zz_stage_score as *const c_void;
        }
        null()
    }

    unsafe extern "C" fn bind(
        stage: *mut zz_stage,
        context: *mut zz_value,
        vary: zz_name,
        metric: *const zz_name,
        m: u32,
        out: *mut *mut zz_stage_scorer,
        err: *mut zz_error,
    ) -> zz_status {
        guarded(err, || {
            let Placed { stage, .. } = unsafe { &*(stage as *const Placed<S>) };
            let context = Value(unsafe { (values().retain)(context) });
            let metrics: Vec<Name> = (0..m as usize).map(|j| Name(unsafe { *metric.add(j) })).collect();
            let scorer = stage.scorer(context, Name(vary), &metrics)?;
            let bound = Box::new(Bound { scorer, metrics: metrics.len() });
            unsafe { *out = Box::into_raw(bound) as *mut zz_stage_scorer };
            Ok(())
        })
    }
}

struct Bound<'a> {
    scorer: Box<dyn Scorer + 'a>,
    metrics: usize,
}

unsafe extern "C" fn score(
    scorer: *mut zz_stage_scorer,
    rows: zz_ref,
    first: u32,
    n: u32,
    out: *mut f64,
    err: *mut zz_error,
) -> zz_status {
    guarded(err, || {
        let bound = unsafe { &mut *(scorer as *mut Bound<'static>) };
        let (first, n) = (first as usize, n as usize);
        let figures: &mut [f64] = match bound.metrics * n {
            0 => &mut [],
            count => unsafe {
                (0..count).for_each(|i| out.add(i).write(f64::NAN));
                std::slice::from_raw_parts_mut(out, count)
            },
        };
        bound.scorer.score(Ref::new(rows), first, n, figures)
    })
}

unsafe extern "C" fn unbind(scorer: *mut zz_stage_scorer) {
    guarded(null_mut(), || {
        drop(unsafe { Box::from_raw(scorer as *mut Bound<'static>) });
        Ok(())
    });
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
///
/// # Safety
/// `host` is the table of a host, which lives as long as the process.
pub unsafe extern "C" fn init(host: *const zz_host, err: *mut zz_error) -> zz_status {
    HOST.set(host as *const c_void);
    if services::find_tables(|id| unsafe { ((*host).get_extension)(id) }) {
        return ZZ_OK;
    }
    Error::new(ZZ_E_UNSUPPORTED, "this host does not offer zz.values/0").tell(err)
}
