//! A leaf that makes evaluations, and a stage that adds a metric and panics where it is told to.
use zz::abi::*;
use zz::{
    c, Description, Error, Level, Literal, Name, Order, Outcome, Param, Place, Port, Ref, Results, Scorer,
    Stage, Value,
};

struct RustLeaf {
    energy: f64,
}

impl Stage for RustLeaf {
    const DESCRIPTION: Description = Description {
        id: c!("org.test.RustLeafStage"),
        name: c!("RustLeafStage"),
        summary: c!("the same energy for every multiplication"),
        flags: ZZ_STAGE_LEAF | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN,
        ..zz::DESCRIPTION
    };
    const PARAMS: &'static [Param] =
        &[Param { name: c!("energy"), kind: ZZ_F64, flags: ZZ_REQUIRED, unit: c!("pJ"), ..zz::PARAM }];

    fn create(settings: Ref) -> Result<Self, Error> {
        Ok(RustLeaf { energy: settings.get("energy").f64()? })
    }

    fn run<'a>(&'a self, context: Value, _: Place<'a>) -> Result<Results<'a>, Error> {
        let multiplications = context.get("layer.mac_count").f64()?;
        let evaluation = Value::make(
            "evaluation",
            &[
                ("layer", Literal::Ref(context.get("layer"))),
                ("energy_total", Literal::F64(self.energy * multiplications)),
                ("latency_total2", Literal::F64(multiplications)),
            ],
        )?;
        let extra = Value::map(&[("made", Literal::Str("in Rust"))])?;
        Ok(Box::new(std::iter::once(Ok(Outcome { evaluation, extra }))))
    }
}

struct RustMetric {
    field: String,
    panics_in: String,
}

struct Dropped(bool);

impl Drop for Dropped {
    fn drop(&mut self) {
        assert!(!self.0, "on purpose in drop");
    }
}

impl Stage for RustMetric {
    const DESCRIPTION: Description = Description {
        id: c!("org.test.RustMetricStage"),
        name: c!("RustMetricStage"),
        summary: c!("doubles a figure"),
        flags: ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN,
        ..zz::DESCRIPTION
    };
    const PARAMS: &'static [Param] = &[
        Param { name: c!("field"), kind: ZZ_STR, def: c!("energy_total"), ..zz::PARAM },
        Param {
            name: c!("panics_in"),
            kind: ZZ_STR,
            def: c!("''"),
            allowed: c!("|create|run|next|drop"),
            ..zz::PARAM
        },
    ];
    const WRITES: &'static [*const std::os::raw::c_char] = &[c!("doubled")];

    fn create(settings: Ref) -> Result<Self, Error> {
        let panics_in = settings.get("panics_in").str()?.to_string();
        assert!(panics_in != "create", "on purpose in create");
        Ok(RustMetric { field: settings.get("field").str()?.to_string(), panics_in })
    }

    fn run<'a>(&'a self, context: Value, below: Place<'a>) -> Result<Results<'a>, Error> {
        assert!(self.panics_in != "run", "on purpose in run");
        let dropped = Dropped(self.panics_in == "drop");
        Ok(Box::new(below.open(&context)?.map(move |result| {
            let _kept = &dropped;
            assert!(self.panics_in != "next", "on purpose in {}", self.panics_in);
            let Outcome { evaluation, extra } = result?;
            let doubled = 2.0 * evaluation.get(self.field.as_str()).f64()?;
            Ok(Outcome { evaluation: evaluation.with(&[("doubled", Literal::F64(doubled))])?, extra })
        })))
    }
}

/// Uses what the host offers, and panics in the midst of it where it is told to.
struct RustServices {
    panics_in: String,
    prices: Vec<(String, f64)>,
}

const PRICES: &[Param] = &[
    Param { name: c!("memory"), kind: ZZ_STR, flags: ZZ_REQUIRED, doc: c!("its name"), ..zz::PARAM },
    Param {
        name: c!("read"),
        kind: ZZ_F64,
        def: c!("2"),
        allowed: c!("[0, inf]"),
        unit: c!("pJ"),
        ..zz::PARAM
    },
];

struct RustScorer<'a>(&'a RustServices);

impl Scorer for RustScorer<'_> {
    fn score(&mut self, rows: Ref, first: usize, n: usize, out: &mut [f64]) -> Result<(), Error> {
        assert!(self.0.panics_in != "score", "on purpose in score");
        for i in 0..n {
            let row = rows.at(first + i).get("energy");
            if !row.is_null() {
                out[i] = row.f64()?; // else it stays infeasible
            }
        }
        Ok(())
    }
}

impl Stage for RustServices {
    const DESCRIPTION: Description = Description {
        id: c!("org.test.RustServicesStage"),
        name: c!("RustServicesStage"),
        summary: c!("reads, writes, logs, counts, scores"),
        flags: ZZ_STAGE_LEAF | ZZ_STAGE_ONE | ZZ_STAGE_PARALLEL_OPEN,
        ..zz::DESCRIPTION
    };
    const PARAMS: &'static [Param] = &[
        Param {
            name: c!("prices"),
            kind: ZZ_STR,
            flags: ZZ_REQUIRED | ZZ_INPUT_PATH,
            doc: c!("a file"),
            ..zz::PARAM
        },
        Param {
            name: c!("panics_in"),
            kind: ZZ_STR,
            def: c!("''"),
            allowed: c!("|prepare|loop|scorer|score|progress"),
            ..zz::PARAM
        },
    ];
    const SCORES: bool = true;

    fn create(settings: Ref) -> Result<Self, Error> {
        let prices = vec![(settings.get("prices").str()?.to_string(), 0.0)];
        Ok(RustServices { panics_in: settings.get("panics_in").str()?.to_string(), prices })
    }

    fn prepare(&mut self, at: Place) -> Result<(), Error> {
        assert!(self.panics_in != "prepare", "on purpose in prepare");
        let rows = at.read_rows(&self.prices[0].0, PRICES)?;
        self.prices.clear();
        for row in rows.look().iter() {
            self.prices.push((row.get("memory").str()?.to_string(), row.get("read").f64()?));
        }
        Ok(())
    }

    fn run<'a>(&'a self, context: Value, at: Place<'a>) -> Result<Results<'a>, Error> {
        let progress = at.progress("prices", self.prices.len() as u64);
        let doubled = std::sync::Mutex::new(vec![0.0; self.prices.len()]);
        zz::for_each(self.prices.len() as u32, |i| {
            assert!(self.panics_in != "loop", "on purpose in turn {}", i);
            doubled.lock().unwrap()[i as usize] = 2.0 * self.prices[i as usize].1;
            progress.advance(1);
            Ok(())
        })?;
        assert!(self.panics_in != "progress", "on purpose under a progress display");
        let total: f64 = doubled.lock().unwrap().iter().sum();
        at.log(Level::Warning, &format!("{} prices", self.prices.len()));
        at.count("prices", self.prices.len() as u64);
        let names: Vec<Literal> = self.prices.iter().map(|(memory, _)| Literal::Str(memory)).collect();
        let spoken = at.execute(&["tr", "a-z", "A-Z"], "loud", "", 10.0)?;
        let rows = at.parse("json", r#"[["l1", 0.5]]"#, "rows")?;
        let columns = Value::list(&[Literal::Str("memory"), Literal::Str("price")])?;
        at.report("prices", columns.look(), rows.look())?;
        // Without a layer nothing can be mapped.
        let mapped = match at.allocate(&context, rows.look(), false) {
            Ok(mapping) => at.why_not(&context, mapping.look())?.unwrap_or_default(),
            Err(error) => error.message,
        };
        // What is no mapping file has no entries.
        let chosen = match at.choose_entries(context.look(), rows.look()) {
            Ok(_) => String::new(),
            Err(error) => error.message,
        };
        let kept = [
            ("names", Literal::List(&names)),
            ("total", Literal::F64s(&[total])),
            ("said", Literal::Str(&spoken.output)),
            ("mapped", Literal::Str(&mapped)),
            ("chosen", Literal::Str(&chosen)),
        ];
        let tree = Value::map(&[("kept", Literal::Map(&kept)), ("none", Literal::Null)])?;
        at.write_file("out/prices.json", tree.get("kept").to_value()?.look().json()?)?;
        let figures = [("energy_total", Literal::F64(total)), ("latency_total2", Literal::F64(1.0))];
        let evaluation = Value::make("evaluation", &figures)?;
        let twice = Value::sum(&[&evaluation, &evaluation])?.scale(0.5)?;
        assert!(!zz::cancelled() && twice.get("energy_total").f64()? == total);
        Ok(Box::new(std::iter::once(Ok(Outcome { evaluation, extra: tree }))))
    }

    fn scorer<'a>(&'a self, _: Value, _: Name, metrics: &[Name]) -> Result<Box<dyn Scorer + 'a>, Error> {
        assert!(self.panics_in != "scorer", "on purpose in scorer");
        match metrics {
            [metric] if metric.text() == "energy_total" => Ok(Box::new(RustScorer(self))),
            _ => Err(Error::new(ZZ_E_UNSUPPORTED, "energies only")),
        }
    }
}

/// Scores rows over the chain that is its setting, and says what decides about it.
struct RustChain;

impl Stage for RustChain {
    const DESCRIPTION: Description = Description {
        id: c!("org.test.RustChainStage"),
        name: c!("RustChainStage"),
        summary: c!("scores rows over a chain of its own"),
        flags: ZZ_STAGE_LEAF | ZZ_STAGE_ONE | ZZ_STAGE_PARALLEL_OPEN,
        ..zz::DESCRIPTION
    };
    const PARAMS: &'static [Param] =
        &[Param { name: c!("stages"), kind: ZZ_LIST, flags: ZZ_REQUIRED | ZZ_STAGES, ..zz::PARAM }];

    fn create(_: Ref) -> Result<Self, Error> {
        Ok(RustChain)
    }

    fn run<'a>(&'a self, context: Value, at: Place<'a>) -> Result<Results<'a>, Error> {
        let chain = at.chain("stages")?;
        let row = |energy| Value::map(&[("energy", energy)]);
        let rows = [row(Literal::F64(1.5))?, row(Literal::Null)?, row(Literal::F64(4.0))?];
        let rows: Vec<Literal> = rows.iter().map(Literal::Value).collect();
        let rows = Value::list(&rows)?;
        let mut scorer = match chain.scorer(&context, "row", &["energy_total".into()])? {
            Some(scorer) => scorer,
            None => return Err(Error::new(ZZ_E_INTERNAL, "the chain cannot be scored")),
        };
        let energies = scorer.score(rows.look(), 1..3)?;
        assert!(energies[0].is_nan() && scorer.score(rows.look(), 2..4).is_err());
        let described = chain.describe(&context)?;
        at.log(Level::Warning, &format!("{} from {}", energies[1], described.look().json()?));
        let mut results = chain.open(&context)?;
        let first =
            results.next().unwrap_or_else(|| Err(Error::new(ZZ_E_NO_RESULT, "the chain is empty")))?;
        Ok(Box::new(std::iter::once(Ok(first)).chain(results)))
    }
}

/// Scores the order of the mapping from above as numbers, keeps it, and names what it hands up.
struct RustOrders;

impl RustOrders {
    fn order_of(context: &Value) -> Result<Order, Error> {
        let mut order = Order::default();
        for of_mapping in context.get("temporal_mapping.loops").iter() {
            let name = of_mapping.get("dimension").str()?;
            let position = context.get("layer.loops").iter().position(|known| matches!(known.get("name").str(), Ok(known) if known == name));
            order.loops.push((position.unwrap_or(255) as u8, of_mapping.get("size").i64()?));
        }
        for operand in context.get("temporal_mapping.operands").iter() {
            let cuts = operand.get("stationary").iter().map(|cut| Ok(cut.i64()? as u8));
            order.cuts.push(cuts.collect::<Result<Vec<u8>, Error>>()?);
        }
        Ok(order)
    }
}

impl Stage for RustOrders {
    const DESCRIPTION: Description = Description {
        id: c!("org.test.RustOrdersStage"),
        name: c!("RustOrdersStage"),
        summary: c!("scores orders as numbers"),
        flags: ZZ_STAGE_DETERMINISTIC,
        ..zz::DESCRIPTION
    };
    const CONSUMES: &'static [Port] = &[
        Port { key: c!("layer"), kind: ZZ_OBJECT, r#type: c!("layer"), ..zz::PORT },
        Port { key: c!("temporal_mapping"), kind: ZZ_OBJECT, r#type: c!("temporal_mapping"), ..zz::PORT },
    ];
    const PROVIDES: &'static [Port] =
        &[Port { key: c!("temporal_mapping"), kind: ZZ_OBJECT, r#type: c!("temporal_mapping"), ..zz::PORT }];

    fn create(_: Ref) -> Result<Self, Error> {
        Ok(RustOrders)
    }

    fn run<'a>(&'a self, context: Value, at: Place<'a>) -> Result<Results<'a>, Error> {
        let text = at.text("pipeline.yaml")?;
        assert!(at.bytes("pipeline.yaml")? == text.as_bytes() && at.text("/dev/zero").is_err());
        let kept = Value::list(&[Literal::Str("an answer")])?;
        let question = Value::map(&[("text", Literal::Str(&text))])?;
        at.keep_answer(question.look(), kept.look(), "")?;
        let answer = at.find_answer(question.look(), "")?.map(|answer| answer.look().json());
        assert!(matches!(answer, Some(Ok(json)) if json == kept.look().json()?));
        let metrics = ["energy_total".into(), "latency_total2".into()];
        let mut scorer = match at.scorer(&context, "temporal_mapping", &metrics)? {
            Some(scorer) => scorer,
            None => return Err(Error::new(ZZ_E_INTERNAL, "the chain cannot be scored")),
        };
        let mut order = RustOrders::order_of(&context)?;
        let cut = scorer.score_orders(&[order.clone()])?;
        order.cuts.clear();
        let shared = scorer.score_orders(&[order.clone(), order.clone()])?;
        assert!(cut[0] == shared[0] && cut[1] == shared[2] && shared[0] == shared[1]);
        let mapping = scorer.mapping(&order)?;
        order.loops.pop();
        assert!(scorer.score_orders(&[order]).is_err());
        zz::take_interruption(); // nobody interrupts: without effect
        let below = context.with(&[("temporal_mapping", Literal::Value(&mapping))])?;
        let results = at.open(&below)?.map(move |result| {
            let result = result?;
            assert!(result.evaluation.get("energy_total").f64()? == cut[0]);
            let named = zz::point(&[("order", Literal::Str("from above"))], result)?;
            assert!(named.extra.get("settings.order").str()? == "from above");
            Ok(named)
        });
        Ok(Box::new(results))
    }
}

zz::plugin!("org.test.rust", "1.0", "MIT", RustLeaf, RustMetric, RustServices, RustChain, RustOrders);
