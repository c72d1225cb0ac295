//! Every form of an instruction that the emulator takes, and the test that holds it to a reference.
//!
//! A test ends with [`covered`], which fails if one of its forms did not run in it; `forms.rs` fails if the decoder takes a
//! form that no row has.

use std::cell::RefCell;
use std::collections::BTreeSet;

/// Forms with one test.
///
/// A form is an opcode and one alternative of each slot; slots are apart by blanks, alternatives by bars. An alternative
/// may be empty or have several modifiers, and capitals stand for the lists below.
pub(crate) struct Row {
    /// All combinations run.
    pub(crate) forms: &'static str,
    /// More slots, that have nothing to do with each other: each alternative runs, but not in all combinations.
    pub(crate) apart: &'static str,
    /// The test: the file and the function.
    pub(crate) test: &'static str,
}

/// Alternatives that rows have in common.
const LISTS: [(&str, &str); 11] = [
    ("INTEGER", "u16|s16|u32|s32|u64|s64"),
    ("WORD", "u32|s32|u64|s64"),
    ("BITS", "b16|b32|b64"),
    ("SHORT", "b8|u8|s8|b16|u16|s16|b32|u32|s32|f32"),
    ("LONG", "b64|u64|s64|f64"),
    ("ROUND", "rn|rz|rm|rp"),
    ("WHOLE", "rni|rzi|rmi|rpi"),
    ("ORDER", "lt|le|gt|ge"),
    // The memory that can be written; nothing stands for generic addresses.
    ("SPACE", "|global|shared|shared::cta|local|param|param::func"),
    // What is moved at once: up to 16 bytes anywhere, 32 only in global memory.
    (
        "ANY",
        "b32|b8|u8|s8|b16|u16|s16|u32|s32|f32|LONG|v2.b8|v2.u8|v2.s8|v2.b16|v2.u16|v2.s16|v2.b32|v2.u32|v2.s32|v2.f32|\
         v2.b64|v2.u64|v2.s64|v2.f64|v4.b8|v4.u8|v4.s8|v4.b16|v4.u16|v4.s16|v4.b32|v4.u32|v4.s32|v4.f32",
    ),
    ("HUGE", "v4.b64|v4.u64|v4.s64|v4.f64|v8.b32|v8.u32|v8.s32|v8.f32"),
];

/// All combinations of all slots run.
const fn row(forms: &'static str, test: &'static str) -> Row {
    Row { forms, apart: "", test }
}

/// There are too many combinations.
const fn wide(forms: &'static str, apart: &'static str, test: &'static str) -> Row {
    Row { forms, apart, test }
}

/// The comparisons of floating-point numbers.
macro_rules! float_comparison {
    () => {
        "eq|ne|ORDER|equ|neu|ltu|leu|gtu|geu|num|nan"
    };
}

/// How much an access asks to stay in the first cache.
macro_rules! priority {
    () => {
        "L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate"
    };
}

/// An order with each scope.
macro_rules! scoped {
    ($order:literal) => {
        concat!($order, ".cta|", $order, ".cluster|", $order, ".gpu|", $order, ".sys")
    };
}

pub(crate) const ROWS: &[Row] = &[
    // Integers.
    row("add|sub|min|max|sad INTEGER", "integer::sums_differences_and_extremes"),
    row("abs|neg s16|s32|s64", "integer::sums_differences_and_extremes"),
    row("add|sub sat s32", "integer::sums_differences_and_extremes"),
    row("min|max relu s32", "integer::sums_differences_and_extremes"),
    row("div|rem INTEGER", "integer::quotients_and_remainders"),
    row("mul|mad lo|hi INTEGER", "integer::products_in_all_parts"),
    row("mul|mad wide u16|s16|u32|s32", "integer::products_in_all_parts"),
    row("mad hi sat s32", "integer::products_in_all_parts"),
    row("mul24|mad24 lo|hi u32|s32", "integer::products_of_24_bits"),
    row("mad24 hi sat s32", "integer::products_of_24_bits"),
    row("add|sub cc WORD", "integer::carries_and_borrows"),
    row("addc|subc |cc WORD", "integer::carries_and_borrows"),
    row("mad lo|hi cc WORD", "integer::carries_and_borrows"),
    row("madc lo|hi |cc WORD", "integer::carries_and_borrows"),
    row("dp4a u32|s32 u32|s32", "integer::dot_products"),
    row("dp2a lo|hi u32|s32 u32|s32", "integer::dot_products"),
    // Bits.
    row("and|or|xor|not|cnot BITS", "integer::logic"),
    row("lop3 |and|or b32", "integer::logic"),
    row("and|or|xor|not|mov pred", "integer::predicates"),
    row("shl BITS", "integer::shifts_at_and_past_the_width"),
    row("shr BITS|INTEGER", "integer::shifts_at_and_past_the_width"),
    row("shf l|r clamp|wrap b32", "integer::shifts_at_and_past_the_width"),
    row("bfe WORD", "integer::bit_fields"),
    row("bfind |shiftamt WORD", "integer::bit_fields"),
    row("bfi|brev|clz|popc b32|b64", "integer::bit_fields"),
    row("bmsk clamp|wrap b32", "integer::masks_extensions_and_nth_bits"),
    row("szext clamp|wrap u32|s32", "integer::masks_extensions_and_nth_bits"),
    row("fns b32", "integer::masks_extensions_and_nth_bits"),
    row("prmt |f4e|b4e|rc8|ecl|ecr|rc16 b32", "integer::permuted_bytes"),
    // Comparisons and selections.
    row("setp eq|ne |and|or|xor BITS", "integer::comparisons_and_their_combinations"),
    row("setp eq|ne|ORDER |and|or|xor INTEGER", "integer::comparisons_and_their_combinations"),
    row("setp lo|ls|hi|hs |and|or|xor u16|u32|u64", "integer::comparisons_and_their_combinations"),
    row("set eq|ne |and|or|xor u32|s32|f32 BITS", "integer::comparisons_that_answer_with_numbers"),
    row("set eq|ne|ORDER |and|or|xor u32|s32|f32 INTEGER", "integer::comparisons_that_answer_with_numbers"),
    row("set lo|ls|hi|hs |and|or|xor u32|s32|f32 u16|u32|u64", "integer::comparisons_that_answer_with_numbers"),
    row(
        concat!("setp ", float_comparison!(), " |and|or|xor f32|ftz.f32|f64"),
        "float::comparisons_with_and_without_order",
    ),
    row(
        concat!("set ", float_comparison!(), " |and|or|xor |ftz u32|s32|f32 f32"),
        "float::comparisons_with_and_without_order",
    ),
    row(
        concat!("set ", float_comparison!(), " |and|or|xor u32|s32|f32 f64"),
        "float::comparisons_with_and_without_order",
    ),
    row("selp BITS|INTEGER", "integer::selections"),
    row("slct BITS|INTEGER|f32|f64 s32", "integer::selections"),
    row("slct |ftz BITS|INTEGER|f32|f64 f32", "integer::selections"),
    row("selp f32|f64", "float::selections_move_bits"),
    // Floating-point numbers.
    row("add|sub|mul |ROUND |ftz |sat f32", "float::additions_subtractions_and_products"),
    row("add|sub|mul |ROUND f64", "float::additions_subtractions_and_products"),
    row("fma|mad ROUND |ftz |sat f32", "float::fused_products_round_once"),
    row("fma|mad ROUND f64", "float::fused_products_round_once"),
    row("div ROUND|approx|full |ftz f32", "float::quotients_reciprocals_and_roots"),
    row("sqrt|rcp ROUND|approx |ftz f32", "float::quotients_reciprocals_and_roots"),
    row("div|sqrt|rcp ROUND f64", "float::quotients_reciprocals_and_roots"),
    row("min|max |ftz |NaN |xorsign.abs f32", "float::smaller_and_larger_numbers"),
    row("min|max f64", "float::smaller_and_larger_numbers"),
    row("neg|abs f32|ftz.f32|f64", "float::signs_are_bits"),
    row("copysign f32|f64", "float::signs_are_bits"),
    row("testp finite|infinite|number|notanumber|normal|subnormal f32|f64", "float::properties_of_numbers"),
    row("sin|cos|ex2|lg2|rsqrt approx |ftz f32", "float::approximate_functions_keep_to_the_bounds_of_the_isa"),
    row("tanh approx f32", "float::approximate_functions_keep_to_the_bounds_of_the_isa"),
    row("rsqrt approx f64", "float::approximate_functions_keep_to_the_bounds_of_the_isa"),
    row("rcp approx ftz f64", "float::approximate_functions_keep_to_the_bounds_of_the_isa"),
    // Conversions: saturation is only written where it can happen.
    row("cvt u8|s8|INTEGER u8|s8|INTEGER", "convert::between_integers"),
    row("cvt sat u8 s8|INTEGER", "convert::between_integers"),
    row("cvt sat s8 u8|INTEGER", "convert::between_integers"),
    row("cvt sat u16 s8|s16|WORD", "convert::between_integers"),
    row("cvt sat s16 u16|WORD", "convert::between_integers"),
    row("cvt sat u32 s8|s16|s32|u64|s64", "convert::between_integers"),
    row("cvt sat s32 u32|u64|s64", "convert::between_integers"),
    row("cvt sat u64 s8|s16|s32|s64", "convert::between_integers"),
    row("cvt sat s64 u64", "convert::between_integers"),
    row("cvt ROUND |ftz |sat f32 u8|s8|INTEGER", "convert::from_integers_to_floats"),
    row("cvt ROUND |sat f64 u8|s8|INTEGER", "convert::from_integers_to_floats"),
    row("cvt WHOLE |ftz |sat u8|s8|INTEGER f32", "convert::from_floats_to_integers"),
    row("cvt WHOLE |sat u8|s8|INTEGER f64", "convert::from_floats_to_integers"),
    row("cvt ROUND |ftz |sat f32 f64", "convert::between_floats"),
    row("cvt |ftz |sat f64 f32", "convert::between_floats"),
    row("cvt |WHOLE |ftz |sat f32 f32", "convert::to_whole_numbers_in_floats"),
    row("cvt |WHOLE |sat f64 f64", "convert::to_whole_numbers_in_floats"),
    // Moves and addresses.
    row("mov BITS|INTEGER|f32|f64", "memory::moves_of_every_type"),
    row(
        "cvta |to global|shared|shared::cta|local|const|param|param::entry u64",
        "memory::generic_addresses_of_every_space",
    ),
    row(
        "isspacep global|shared|shared::cta|local|const|param|param::entry",
        "memory::generic_addresses_of_every_space",
    ),
    // Memory. What is said to the caches goes with every width, and changes nothing.
    row("ld SPACE|const|param::entry |v2 SHORT|LONG", "access::every_width_in_every_space"),
    row("ld SPACE|const|param::entry v4 SHORT", "access::every_width_in_every_space"),
    row("st SPACE |v2 SHORT|LONG", "access::every_width_in_every_space"),
    row("st SPACE v4 SHORT", "access::every_width_in_every_space"),
    row("ld|st global v4 LONG", "access::every_width_in_every_space"),
    row("ld|st global v8 b32|u32|s32|f32", "access::every_width_in_every_space"),
    row("ldu |global |v2 SHORT|LONG", "access::every_width_in_every_space"),
    row("ldu |global v4 SHORT", "access::every_width_in_every_space"),
    wide(
        "ld",
        "|weak SPACE|const|param::entry |ca|cg|cs|lu|cv ANY",
        "access::orders_and_cache_hints_move_the_same_bytes",
    ),
    wide("st", "|weak SPACE |wb|cg|cs|wt ANY", "access::orders_and_cache_hints_move_the_same_bytes"),
    wide(
        "ld",
        concat!("|weak |global |ca|cg|cs|lu|cv|", priority!(), " |L2::64B|L2::128B|L2::256B ANY"),
        "access::orders_and_cache_hints_move_the_same_bytes",
    ),
    wide(
        "ld global nc",
        concat!("|ca|cg|cs|", priority!(), " |L2::64B|L2::128B|L2::256B ANY|HUGE"),
        "access::orders_and_cache_hints_move_the_same_bytes",
    ),
    wide(
        "ld global",
        concat!("|weak |ca|cg|cs|lu|cv|", priority!(), " |L2::64B|L2::128B|L2::256B HUGE"),
        "access::orders_and_cache_hints_move_the_same_bytes",
    ),
    wide("st", concat!("|weak |global |", priority!(), " ANY"), "access::orders_and_cache_hints_move_the_same_bytes"),
    wide(
        "st global",
        concat!("|weak |wb|cg|cs|wt|", priority!(), " HUGE"),
        "access::orders_and_cache_hints_move_the_same_bytes",
    ),
    wide(
        "ld",
        concat!("volatile|", scoped!("relaxed"), "|", scoped!("acquire"), " |global|shared|shared::cta ANY"),
        "access::orders_and_cache_hints_move_the_same_bytes",
    ),
    wide(
        "st",
        concat!("volatile|", scoped!("relaxed"), "|", scoped!("release"), " |global|shared|shared::cta ANY"),
        "access::orders_and_cache_hints_move_the_same_bytes",
    ),
    wide(
        "ld",
        concat!(
            scoped!("relaxed"),
            "|",
            scoped!("acquire"),
            " |global |",
            priority!(),
            " |L2::64B|L2::128B|L2::256B ANY"
        ),
        "access::orders_and_cache_hints_move_the_same_bytes",
    ),
    wide(
        "st",
        concat!(scoped!("relaxed"), "|", scoped!("release"), " |global |", priority!(), " ANY"),
        "access::orders_and_cache_hints_move_the_same_bytes",
    ),
    wide(
        "ld global",
        concat!(scoped!("relaxed"), "|", scoped!("acquire"), " |", priority!(), " |L2::64B|L2::128B|L2::256B HUGE"),
        "access::orders_and_cache_hints_move_the_same_bytes",
    ),
    wide(
        "st global",
        concat!(scoped!("relaxed"), "|", scoped!("release"), " |", priority!(), " HUGE"),
        "access::orders_and_cache_hints_move_the_same_bytes",
    ),
    wide("ld volatile", "|global |L2::64B|L2::128B|L2::256B ANY", "access::orders_and_cache_hints_move_the_same_bytes"),
    wide("ld volatile global", "|L2::64B|L2::128B|L2::256B HUGE", "access::orders_and_cache_hints_move_the_same_bytes"),
    wide("st volatile global", "HUGE", "access::orders_and_cache_hints_move_the_same_bytes"),
    wide("ld|st mmio.relaxed.sys |global", "SHORT|LONG", "access::orders_and_cache_hints_move_the_same_bytes"),
    // Atomics.
    wide("atom |global|shared|shared::cta add u32|s32|u64|f32|f64", ATOM, "access::atomics_of_one_thread"),
    wide("atom |global|shared|shared::cta min|max WORD", ATOM, "access::atomics_of_one_thread"),
    wide("atom |global|shared|shared::cta and|or|xor|exch b32|b64", ATOM, "access::atomics_of_one_thread"),
    wide("atom |global|shared|shared::cta inc|dec u32", ATOM, "access::atomics_of_one_thread"),
    wide("atom |global|shared|shared::cta cas BITS", ATOM, "access::atomics_of_one_thread"),
    wide("red |global|shared|shared::cta add u32|s32|u64|f32|f64", RED, "access::atomics_of_one_thread"),
    wide("red |global|shared|shared::cta min|max WORD", RED, "access::atomics_of_one_thread"),
    wide("red |global|shared|shared::cta and|or|xor b32|b64", RED, "access::atomics_of_one_thread"),
    wide("red |global|shared|shared::cta inc|dec u32", RED, "access::atomics_of_one_thread"),
    row("membar cta|gl|sys", "detect::a_message_between_warps_needs_fences"),
    row("fence |sc|acq_rel|acquire|release cta|cluster|gpu|sys", "detect::a_message_between_warps_needs_fences"),
    row("prefetch |global|local L1|L2", "access::hints_change_nothing"),
    row("prefetch global L2::evict_last|L2::evict_normal", "access::hints_change_nothing"),
    row("prefetchu L1", "access::hints_change_nothing"),
    row("applypriority |global L2::evict_normal", "access::hints_change_nothing"),
    row("nanosleep u32", "access::hints_change_nothing"),
    row("pmevent |mask", "access::hints_change_nothing"),
    // Warps and blocks.
    row("shfl |sync up|down|bfly|idx b32", "warp::shuffles_in_every_mode"),
    row("vote |sync all|any|uni pred", "warp::votes_of_whole_and_partial_warps"),
    row("vote |sync ballot b32", "warp::votes_of_whole_and_partial_warps"),
    row("match sync any|all b32|b64", "warp::matches_of_equal_values"),
    row("redux sync add|min|max u32|s32", "warp::reductions_of_a_warp"),
    row("redux sync and|or|xor b32", "warp::reductions_of_a_warp"),
    row("activemask b32", "warp::the_active_mask_follows_divergence"),
    row("bar |cta sync|arrive", "warp::producers_arrive_and_consumers_wait"),
    row("barrier |cta sync|arrive |aligned", "warp::producers_arrive_and_consumers_wait"),
    row("bar |cta red popc.u32|and.pred|or.pred", "warp::barriers_of_the_block_reduce"),
    row("barrier |cta red popc.u32|and.pred|or.pred |aligned", "warp::barriers_of_the_block_reduce"),
    row("bar warp sync", "detect::a_race_in_shared_memory"),
    // Control.
    row("bra |uni", "control::loops_of_different_lengths_meet_at_the_end"),
    row("brx idx |uni", "control::a_table_of_branches"),
    row("call |uni", "control::a_call_under_a_predicate"),
    row("ret uni", "control::a_call_under_a_predicate"),
    row("ret", "control::an_early_return_leaves_the_others_together"),
    row("exit", "control::exit_in_a_called_function_ends_the_thread"),
    row("trap|brkpt", "detect::traps_and_breakpoints"),
];

/// The orders and scopes of atomics: the scope may be left out.
const ATOM: &str = "|relaxed|acquire|release|acq_rel |cta|cluster|gpu|sys";
const RED: &str = "|relaxed|release |cta|cluster|gpu|sys";

/// The special registers, and the tests that know what they hold.
pub(crate) const REGISTERS: &[(&str, &str)] = &[
    ("%tid.x|%tid.y|%tid.z|%ntid.x|%ntid.y|%ntid.z", "warp::indices_in_three_directions"),
    ("%ctaid.x|%ctaid.y|%ctaid.z|%nctaid.x|%nctaid.y|%nctaid.z", "warp::indices_in_three_directions"),
    ("%laneid|%warpid", "warp::indices_in_three_directions"),
    ("%lanemask_eq|%lanemask_lt|%lanemask_le|%lanemask_gt|%lanemask_ge", "warp::masks_of_lanes"),
    ("%nwarpid|%smid|%nsmid|%gridid", "warp::numbers_of_the_machine"),
    ("%clock|%clock_hi|%clock64|%globaltimer", "warp::clocks_only_move_on_and_sizes_are_known"),
    ("%dynamic_smem_size|%total_smem_size", "warp::clocks_only_move_on_and_sizes_are_known"),
];

/// A form as it is compared: the modifiers that are no types in the order of the alphabet, then the types as they stand.
pub(crate) fn canonical<'word>(opcode: &str, modifiers: impl IntoIterator<Item = &'word str>) -> String {
    let (types, mut others): (Vec<&str>, Vec<&str>) = modifiers.into_iter().partition(|word| is_type(word));
    others.sort_unstable();
    others.iter().chain(&types).fold(opcode.to_owned(), |form, word| form + "." + word)
}

fn is_type(word: &str) -> bool {
    let (kind, bits) = word.split_at(1.min(word.len()));
    word == "pred" || (matches!(kind, "b" | "u" | "s" | "f") && matches!(bits, "8" | "16" | "32" | "64"))
}

/// The forms of all instructions in a text, as they are compared.
pub(crate) fn forms_of(text: &str) -> impl Iterator<Item = String> {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    let statements = lines.flat_map(|line| line.split([';', '{', '}']));
    statements.filter_map(|statement| {
        let is_word = |word: &&str| !word.ends_with(':') && !word.starts_with('@');
        let name = statement.split_whitespace().find(is_word)?;
        let mut words = name.split('.');
        let opcode = words.next()?;
        let is_known = ROWS.iter().any(|row| slot(row.forms.split(' ').next().unwrap_or_default()).contains(&opcode));
        is_known.then(|| canonical(opcode, words))
    })
}

/// The alternatives of a slot.
fn slot(text: &'static str) -> Vec<&'static str> {
    let list = |word: &'static str| LISTS.iter().find(|(name, _)| *name == word).map(|(_, words)| *words);
    text.split('|').flat_map(|word| list(word).map_or_else(|| vec![word], slot)).collect()
}

/// The combinations of one alternative of each slot in which at most so many are not the first of their slot.
fn combinations(slots: &'static str, others: usize) -> Vec<Vec<&'static str>> {
    let slots = slots.split(' ').filter(|slot| !slot.is_empty());
    let found = slots.fold(vec![(0, vec![])], |found, text| {
        let extended = |(count, words): &(usize, Vec<&'static str>)| {
            let (count, words) = (*count, words.clone());
            let alternatives = slot(text).into_iter().enumerate();
            alternatives.map(move |(place, word)| (count + place.min(1), [&words[..], &[word]].concat()))
        };
        found.iter().flat_map(extended).filter(|(count, _)| *count <= others).collect()
    });
    found.into_iter().map(|(_, words)| words).collect()
}

impl Row {
    /// The opcode and the modifiers of forms: how many slots of the two kinds may have another alternative than their first.
    fn forms(&self, others: usize, apart: usize) -> Vec<Vec<&'static str>> {
        let apart = combinations(self.apart, apart);
        let forms = combinations(self.forms, others);
        let joined = forms.iter().flat_map(|form| apart.iter().map(move |apart| [&form[..], &apart[..]].concat()));
        let words = |form: Vec<&'static str>| {
            form.iter().flat_map(|words| words.split('.')).filter(|word| !word.is_empty()).collect()
        };
        joined.map(words).collect()
    }

    /// Every form, as its words.
    pub(crate) fn all(&self) -> Vec<Vec<&'static str>> {
        self.forms(usize::MAX, usize::MAX)
    }

    /// Some that have each two alternatives together.
    pub(crate) fn pairs(&self) -> Vec<Vec<&'static str>> {
        [self.forms(2, 0), self.forms(0, 1)].concat()
    }

    /// Those that have to run.
    pub(crate) fn runs(&self) -> Vec<Vec<&'static str>> {
        [self.forms(usize::MAX, 0), self.forms(0, 1)].concat()
    }
}

thread_local! {
    /// The forms and the special registers of the instructions that this test ran.
    static RAN: RefCell<BTreeSet<String>> = const { RefCell::new(BTreeSet::new()) };
}

/// Remembers what a text has. A test runs on one thread.
pub(crate) fn ran(text: &str) {
    RAN.with_borrow_mut(|ran| {
        ran.extend(forms_of(text));
        let words = text.split(|letter: char| letter.is_whitespace() || matches!(letter, ',' | ';'));
        ran.extend(words.filter(|word| word.starts_with('%')).map(str::to_owned));
    });
}

/// The end of a test: it ran all that the table says it checks.
pub(crate) fn covered(test: &str) {
    let forms = ROWS.iter().filter(|row| row.test == test).flat_map(Row::runs);
    let forms = forms.map(|words| canonical(words[0], words[1..].iter().copied()));
    let registers = REGISTERS.iter().filter(|(_, by)| *by == test).flat_map(|(names, _)| names.split('|'));
    let expected: BTreeSet<String> = forms.chain(registers.map(str::to_owned)).collect();
    assert!(!expected.is_empty(), "{test} is not in the table of forms");
    let missing: Vec<String> = RAN.with_borrow(|ran| expected.difference(ran).cloned().collect());
    assert!(missing.is_empty(), "{test} did not run {} forms: {}", missing.len(), missing.join(" "));
}
