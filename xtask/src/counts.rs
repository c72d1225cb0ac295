//! What the launches of a kernel did, summed, and the table of all kernels.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::{Value, json};

/// The counts of the emulator that are sums; its README says what they are.
const SUMS: [&str; 13] = [
    "thread_instructions",
    "branches",
    "divergent_branches",
    "global_requests",
    "global_sectors",
    "global_sectors_ideal",
    "shared_requests",
    "shared_bank_conflicts",
    "atomic_requests",
    "atomic_lanes",
    "atomic_conflicts",
    "barriers",
    "shuffles_from_inactive_lanes",
];

/// Classes of instructions that stand in one column.
const GROUPS: [(&str, &[&str]); 5] = [
    ("integer", &["integer", "bits", "comparison", "conversion", "move"]),
    ("float", &["float32", "float64", "special_function"]),
    ("memory", &["load_global", "store_global", "load_shared", "store_shared", "local", "constant"]),
    ("atomic", &["atomic"]),
    ("control", &["control", "warp", "synchronisation"]),
];

/// What the launches of one kernel did.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) kernel: String,
    launches: u64,
    threads: u64,
    /// Instructions of warps, by class.
    classes: BTreeMap<String, u64>,
    sums: [u64; SUMS.len()],
}

impl Counts {
    /// Those of a kernel that was not launched yet.
    pub(crate) fn new(kernel: &str) -> Counts {
        Counts { kernel: kernel.to_owned(), ..Counts::default() }
    }

    /// Adds a launch, as the emulator writes it.
    pub(crate) fn add(&mut self, launch: &Value) {
        let product = |key: &str| -> u64 {
            launch[key].as_array().into_iter().flatten().filter_map(Value::as_u64).product::<u64>()
        };
        self.launches += 1;
        self.threads += product("grid") * product("block");
        for (class, count) in launch["warp_instructions"].as_object().into_iter().flatten() {
            *self.classes.entry(class.clone()).or_default() += count.as_u64().unwrap_or(0);
        }
        for (sum, key) in self.sums.iter_mut().zip(SUMS) {
            *sum += launch[key].as_u64().unwrap_or(0);
        }
    }

    fn join(&mut self, other: &Counts) {
        self.launches += other.launches;
        self.threads += other.threads;
        for (class, count) in &other.classes {
            *self.classes.entry(class.clone()).or_default() += count;
        }
        for (sum, more) in self.sums.iter_mut().zip(other.sums) {
            *sum += more;
        }
    }

    /// Instructions of warps.
    pub(crate) fn instructions(&self) -> u64 {
        self.classes.values().sum()
    }

    fn sum(&self, key: &str) -> u64 {
        SUMS.iter().position(|known| *known == key).map_or(0, |place| self.sums[place])
    }

    fn ratio(&self, count: &str, of: &str) -> f64 {
        self.sum(count) as f64 / self.sum(of).max(1) as f64
    }

    /// The share of lanes that were active.
    fn lanes(&self) -> f64 {
        self.sum("thread_instructions") as f64 / (32 * self.instructions()).max(1) as f64
    }

    /// All counts.
    pub(crate) fn json(&self) -> Value {
        let mut value = json!({
            "kernel": self.kernel,
            "launches": self.launches,
            "threads": self.threads,
            "instructions": self.instructions(),
            "instructions_by_class": self.classes,
            "lane_efficiency": self.lanes(),
        });
        for (key, sum) in SUMS.iter().zip(self.sums) {
            value[*key] = sum.into();
        }
        value
    }

    fn cells(&self) -> Vec<String> {
        let percent = |share: f64| format!("{:.0} %", 100.0 * share);
        let instructions = self.instructions().max(1) as f64;
        let group = |classes: &[&str]| {
            let count: u64 = classes.iter().filter_map(|class| self.classes.get(*class)).sum();
            percent(count as f64 / instructions)
        };
        let mut cells = vec![
            self.kernel.clone(),
            self.launches.to_string(),
            self.threads.to_string(),
            self.instructions().to_string(),
        ];
        cells.extend(GROUPS.iter().map(|(_, classes)| group(classes)));
        cells.extend([
            percent(self.lanes()),
            percent(self.ratio("divergent_branches", "branches")),
            format!("{:.1}", self.ratio("global_sectors", "global_requests")),
            format!("{:.1}", self.ratio("global_sectors_ideal", "global_requests")),
            format!("{:.2}", self.ratio("shared_bank_conflicts", "shared_requests")),
            self.sum("atomic_lanes").to_string(),
            percent(self.ratio("atomic_conflicts", "atomic_lanes")),
        ]);
        cells
    }
}

/// The table of some kernels and of all together.
pub(crate) fn table(kernels: &[Counts]) -> String {
    let mut total = Counts::new(&format!("all {}", kernels.len()));
    kernels.iter().for_each(|counts| total.join(counts));
    let mut heads = ["kernel", "launches", "threads", "instructions"].map(str::to_owned).to_vec();
    heads.extend(GROUPS.iter().map(|(name, _)| (*name).to_owned()));
    heads.extend(["lanes", "diverged", "sectors", "ideal", "conflicts", "atomics", "waiting"].map(str::to_owned));
    let rows: Vec<Vec<String>> =
        std::iter::once(heads).chain(kernels.iter().chain([&total]).map(Counts::cells)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let _ = write!(text, "{:<width$}", row[0], width = widths[0]);
        for (cell, width) in row.iter().zip(&widths).skip(1) {
            let _ = write!(text, "  {cell:>width$}");
        }
        text.push('\n');
    }
    text.push_str(
        "\nInstructions are those of warps, and the five columns after them their kinds. lanes: the share that was active;\n\
         diverged: branches in which the lanes of a warp parted; sectors of 32 bytes for each request to global memory,\n\
         and as many as an ideal one would take; bank conflicts for each request to shared memory; lanes of atomics, and\n\
         those that wait for another lane of their warp.\n",
    );
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_of_a_kernel_are_summed() {
        let launch = json!({
            "kernel": "a", "grid": [2, 1, 1], "block": [256, 1, 1],
            "warp_instructions": { "integer": 30, "load_global": 10 },
            "thread_instructions": 640, "branches": 4, "divergent_branches": 1,
            "global_requests": 10, "global_sectors": 40, "global_sectors_ideal": 20,
        });
        let mut counts = Counts::new("a");
        counts.add(&launch);
        counts.add(&launch);
        let cells = counts.cells();
        assert_eq!(cells[..4], ["a", "2", "1024", "80"]);
        assert_eq!(cells[4..9], ["75 %", "0 %", "25 %", "0 %", "0 %"]);
        assert_eq!(cells[9..13], ["50 %", "25 %", "4.0", "2.0"]);
        assert_eq!(counts.json()["global_sectors"], 80);
        let text = table(&[counts]);
        assert!(text.lines().nth(2).unwrap().starts_with("all 1"), "{text}");
    }
}
