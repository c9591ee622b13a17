//! A roofline model, and which memory would have to be faster. README.md works an example out by hand.
use zz::abi::*;
use zz::{
    c, Description, Error, Level, Literal, Name, Outcome, Param, Place, Port, Ref, Results, Scorer, Stage,
    Value,
};

// ---------------------------------------------------------------------------------- the cost model

/// Leaf: every operand moves once through every memory that holds it, and whoever takes longest makes the latency.
struct Roofline {
    costs_file: String,
    costs: Vec<(String, f64)>, // memory, pJ per bit
}

/// Fields of a row of the file.
const COST: &[Param] = &[
    Param {
        name: c!("memory"),
        kind: ZZ_STR,
        flags: ZZ_REQUIRED,
        doc: c!("name of the memory"),
        ..zz::PARAM
    },
    Param {
        name: c!("per_bit"),
        kind: ZZ_F64,
        flags: ZZ_REQUIRED,
        allowed: c!("[0, inf]"),
        unit: c!("pJ"),
        doc: c!("what moving one bit costs"),
        ..zz::PARAM
    },
];

struct Figures {
    computing: f64, // cycles
    latency: f64,   // cycles
    mac_energy: f64,
    mem_energy: f64,
}

/// Under these names they are in an evaluation.
const FIGURES: [&str; 7] = [
    "mac_energy",
    "mem_energy",
    "energy_total",
    "ideal_temporal_cycle",
    "latency_total0",
    "latency_total1",
    "latency_total2",
];

impl Figures {
    fn named(&self, name: &str) -> f64 {
        match name {
            "mac_energy" => self.mac_energy,
            "mem_energy" => self.mem_energy,
            "energy_total" => self.mac_energy + self.mem_energy,
            "ideal_temporal_cycle" => self.computing,
            _ => self.latency,
        }
    }
}

impl Roofline {
    fn figures(&self, layer: Ref, accelerator: Ref, temporal_mapping: Ref) -> Result<Figures, Error> {
        let mut computing = 1.0;
        for step in temporal_mapping.get("loops").iter() {
            computing *= step.get("size").f64()?;
        }
        let (bits, held_as) = (layer.get("operand_bits"), layer.get("memory_operands"));
        let (mut latency, mut mem_energy) = (computing, 0.0);
        for memory in accelerator.get("memories").iter() {
            let mut moved = 0.0;
            for i in 0..bits.len() {
                let operand = held_as.at(i).str()?;
                if memory.get("operands").iter().any(|held| held.str().ok() == Some(operand)) {
                    moved += bits.at(i).f64()?;
                }
            }
            latency = f64::max(latency, moved / memory.get("ports[0].bandwidth_max").f64()?);
            let name = memory.get("name").str()?;
            if let Some((_, per_bit)) = self.costs.iter().find(|(memory, _)| memory == name) {
                mem_energy += moved * per_bit;
            }
        }
        let unit_energy = accelerator.get("operational_array.unit_energy").f64()?;
        Ok(Figures {
            computing,
            latency,
            mac_energy: layer.get("mac_count").f64()? * unit_energy,
            mem_energy,
        })
    }
}

impl Stage for Roofline {
    const DESCRIPTION: Description = Description {
        id: c!("org.example.RooflineStage"),
        name: c!("RooflineStage"),
        summary: c!("Cost model: the array or the busiest memory, whichever takes longer"),
        flags: ZZ_STAGE_LEAF | ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN,
        ..zz::DESCRIPTION
    };
    const PARAMS: &'static [Param] = &[Param {
        name: c!("costs"),
        kind: ZZ_STR,
        flags: ZZ_REQUIRED | ZZ_INPUT_PATH,
        doc: c!("path of a list of {memory, per_bit}, in pJ; other memories cost nothing"),
        ..zz::PARAM
    }];
    const CONSUMES: &'static [Port] = &[
        Port {
            key: c!("layer"),
            kind: ZZ_OBJECT,
            flags: ZZ_ANONYMOUS,
            r#type: c!("layer"),
            doc: c!("bits of its operands, and operations"),
            ..zz::PORT
        },
        Port {
            key: c!("accelerator"),
            kind: ZZ_OBJECT,
            r#type: c!("accelerator"),
            doc: c!("bandwidths, in bits a cycle"),
            ..zz::PORT
        },
        Port {
            key: c!("temporal_mapping"),
            kind: ZZ_OBJECT,
            r#type: c!("temporal_mapping"),
            doc: c!("its loops make the cycles of the array"),
            ..zz::PORT
        },
    ];
    const SCORES: bool = true;

    fn create(settings: Ref) -> Result<Self, Error> {
        Ok(Roofline { costs_file: settings.get("costs").str()?.to_string(), costs: Vec::new() })
    }

    fn prepare(&mut self, at: Place) -> Result<(), Error> {
        for row in at.read_rows(&self.costs_file, COST)?.look().iter() {
            self.costs.push((row.get("memory").str()?.to_string(), row.get("per_bit").f64()?));
        }
        if self.costs.is_empty() {
            at.log(Level::Warning, &format!("{} has no rows: memories cost nothing", self.costs_file));
        }
        Ok(())
    }

    fn run<'a>(&'a self, context: Value, at: Place<'a>) -> Result<Results<'a>, Error> {
        let (layer, accelerator) = (context.get("layer"), context.get("accelerator"));
        let temporal_mapping = context.get("temporal_mapping");
        let figures = self.figures(layer, accelerator, temporal_mapping)?;
        at.count("rooflines drawn", 1);
        let mut fields = vec![
            ("layer", Literal::Ref(layer)),
            ("accelerator", Literal::Ref(accelerator)),
            ("temporal_mapping", Literal::Ref(temporal_mapping)),
            (
                "ideal_cycle",
                Literal::F64(layer.get("mac_count").f64()? / accelerator.get("unit_count").f64()?),
            ),
        ];
        fields.extend(FIGURES.iter().map(|name| (*name, Literal::F64(figures.named(name)))));
        let evaluation = Value::make("evaluation", &fields)?;
        Ok(Box::new(std::iter::once(Ok(Outcome { evaluation, extra: Value::NULL }))))
    }

    /// Searches score their candidates here: no evaluation is made.
    fn scorer<'a>(
        &'a self,
        context: Value,
        vary: Name,
        metrics: &[Name],
    ) -> Result<Box<dyn Scorer + 'a>, Error> {
        if let Some(other) = metrics.iter().find(|metric| !FIGURES.contains(&metric.text())) {
            return Err(Error::new(ZZ_E_UNSUPPORTED, format!("a roofline has no '{}'", other.text())));
        }
        Ok(Box::new(Scores { model: self, context, vary, metrics: metrics.to_vec() }))
    }
}

struct Scores<'a> {
    model: &'a Roofline,
    context: Value,
    vary: Name,
    metrics: Vec<Name>,
}

impl Scorer for Scores<'_> {
    fn score(&mut self, rows: Ref, first: usize, n: usize, out: &mut [f64]) -> Result<(), Error> {
        for i in 0..n {
            let row = rows.at(first + i);
            let part = |key| if self.vary == Name::from(key) { row } else { self.context.get(key) };
            let figures = self.model.figures(part("layer"), part("accelerator"), part("temporal_mapping"))?;
            for (j, metric) in self.metrics.iter().enumerate() {
                out[j * n + i] = figures.named(metric.text());
            }
        }
        Ok(())
    }
}

// ---------------------------------------------------------------------------------- the bottleneck

/// Asks the chain below what each mapping would cost if one memory after the other were twice as fast.
struct Bottleneck {
    folder: String,
}

/// The accelerator with a memory of twice the bandwidth.
fn twice_as_fast(accelerator: &Value, memory: Ref) -> Result<Value, Error> {
    let mut edits = Vec::new();
    for port in memory.get("ports").iter() {
        let path = format!(
            "memories[{}].ports[{}].bandwidth_max",
            memory.get("name").str()?,
            port.get("name").str()?
        );
        edits.push((path, 2 * port.get("bandwidth_max").i64()?));
    }
    let edits: Vec<_> = edits.iter().map(|(path, bits)| (path.as_str(), Literal::I64(*bits))).collect();
    accelerator.with(&edits)
}

impl Bottleneck {
    /// The latency with each of these accelerators.
    fn latencies(&self, context: &Value, accelerators: &[Value], at: Place) -> Result<Vec<f64>, Error> {
        let rows: Vec<_> = accelerators.iter().map(Literal::Value).collect();
        if let Some(mut scorer) = at.scorer(context, "accelerator", &["latency_total2".into()])? {
            return scorer.score(Value::list(&rows)?.look(), 0..rows.len());
        }
        // A stage below searches or sums, so it has to run for each accelerator.
        let shown = at.progress("faster memories", rows.len() as u64);
        let mut latencies = Vec::new();
        for row in rows {
            let below = at.open(&context.with(&[("accelerator", row)])?)?;
            let mut shortest = f64::NAN;
            for result in below {
                shortest = f64::min(shortest, result?.evaluation.get("latency_total2").f64()?);
            }
            latencies.push(shortest);
            shown.advance(1);
        }
        Ok(latencies)
    }

    /// Writes the table of a result, and adds the metric.
    fn explain(&self, context: &Value, result: Outcome, at: Place) -> Result<Outcome, Error> {
        let accelerator = context.get("accelerator").to_value()?;
        let (mut names, mut faster) = (Vec::new(), Vec::new());
        for memory in accelerator.get("memories").iter() {
            names.push(memory.get("name").str()?);
            faster.push(twice_as_fast(&accelerator, memory)?);
        }
        let before = result.evaluation.get("latency_total2").f64()?;
        let after = self.latencies(context, &faster, at)?;
        at.count("accelerators compared", after.len() as u64);

        let mut table = String::from("memory,cycles,cycles with twice the bandwidth\n");
        let (mut best, mut best_name) = (0.0, None);
        for (name, cycles) in names.iter().zip(after) {
            table += &format!("{},{},{}\n", name, before, cycles);
            let gain = 1.0 - cycles / before;
            if gain > best {
                (best, best_name) = (gain, Some(name));
            }
        }
        let layer = context.get("layer.name").str()?;
        at.write_file(&format!("{}/{}.csv", self.folder, layer.replace('/', "_")), table)?;
        match best_name {
            Some(name) => at.log(Level::Info, &format!("{}: {} holds it back the most", layer, name)),
            None => at.log(Level::Info, &format!("{}: no memory holds it back", layer)),
        }
        let evaluation = result.evaluation.with(&[("bandwidth_gain", Literal::F64(best))])?;
        Ok(Outcome { evaluation, ..result })
    }
}

impl Stage for Bottleneck {
    const DESCRIPTION: Description = Description {
        id: c!("org.example.BottleneckStage"),
        name: c!("BottleneckStage"),
        summary: c!("Says which memory would have to be faster"),
        doc: c!(
            "For every result: what the chain below gives when the bandwidth of one memory after the other is \
             doubled. A table for each layer; the metric `bandwidth_gain` is the share of the latency that the \
             best choice saves."
        ),
        // It does not forward (ZZ_STAGE_FORWARDS): files are written, result by result.
        flags: ZZ_STAGE_ONE | ZZ_STAGE_DETERMINISTIC | ZZ_STAGE_PARALLEL_OPEN,
        ..zz::DESCRIPTION
    };
    const PARAMS: &'static [Param] = &[Param {
        name: c!("folder"),
        kind: ZZ_STR,
        def: c!("bottlenecks"),
        doc: c!("where the tables go: <folder>/<layer>.csv"),
        ..zz::PARAM
    }];
    const CONSUMES: &'static [Port] = &[
        Port {
            key: c!("layer"),
            kind: ZZ_OBJECT,
            r#type: c!("layer"),
            doc: c!("its name is that of the table"),
            ..zz::PORT
        },
        Port {
            key: c!("accelerator"),
            kind: ZZ_OBJECT,
            r#type: c!("accelerator"),
            doc: c!("its memories are made faster"),
            ..zz::PORT
        },
    ];
    const PROVIDES: &'static [Port] = &[Port {
        key: c!("accelerator"),
        kind: ZZ_OBJECT,
        r#type: c!("accelerator"),
        doc: c!("with one memory of twice the bandwidth"),
        ..zz::PORT
    }];
    const WRITES: &'static [*const std::os::raw::c_char] = &[c!("bandwidth_gain")];

    fn create(settings: Ref) -> Result<Self, Error> {
        Ok(Bottleneck { folder: settings.get("folder").str()?.to_string() })
    }

    fn run<'a>(&'a self, context: Value, below: Place<'a>) -> Result<Results<'a>, Error> {
        let results = below.open(&context)?;
        Ok(Box::new(results.map(move |result| self.explain(&context, result?, below))))
    }
}

zz::plugin!("org.example.bottlenecks", "1.0", "MIT", Roofline, Bottleneck);
