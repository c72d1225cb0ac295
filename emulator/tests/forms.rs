//! The table of instruction forms against the decoder and against the kernels that are shipped.

#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

mod common;

use common::HEAD;
use common::forms::{REGISTERS, ROWS, Row, canonical, covered, forms_of};
use fracas_emulator::Module;
use rayon::prelude::*;
use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::PathBuf;

/// Whether the decoder has a form. It looks at the operands last, and here there are none.
fn takes(form: &str) -> bool {
    let text = format!("{HEAD}.visible .entry test() {{ {form}; }}");
    Module::parse(&text).err().is_none_or(|error| {
        let complaints = ["expected ", "a barrier has a number", "operands are missing", "no function is named"];
        complaints.iter().any(|complaint| error.message.contains(complaint))
    })
}

fn source(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// What stands between quotes in the sources of the decoder: the words that it knows are among them.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('"').skip(1).step_by(2).filter(|word| {
        word.starts_with(|letter: char| letter.is_ascii_alphabetic() || letter == '%')
            && word.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | ':' | '%' | '.'))
    })
}

fn decoder() -> String {
    let mut files = vec![source("src/ptx/types.rs"), source("src/number/float.rs")];
    files.extend(fs::read_dir(source("src/lower")).unwrap().map(|entry| entry.unwrap().path()));
    files.iter().map(|file| fs::read_to_string(file).unwrap()).collect()
}

fn listed() -> HashSet<String> {
    let forms = ROWS.par_iter().flat_map_iter(Row::all);
    forms.map(|words| canonical(words[0], words[1..].iter().copied())).collect()
}

#[test]
fn every_form_of_the_table_is_taken() {
    let refused: Vec<String> =
        ROWS.iter().flat_map(Row::all).map(|words| words.join(".")).filter(|form| !takes(form)).collect();
    assert!(refused.is_empty(), "{} forms are refused: {}", refused.len(), refused.join(" "));
}

#[test]
fn every_opcode_of_the_decoder_is_in_the_table() {
    let text = fs::read_to_string(source("src/lower/mod.rs")).unwrap();
    let dispatch = text.split("match statement.opcode.as_str() {").nth(1).unwrap();
    let dispatch = dispatch.split("_ => Err(self.unsupported").next().unwrap();
    let known: BTreeSet<&str> = quoted(dispatch).collect();
    let listed: BTreeSet<&str> = ROWS.iter().flat_map(Row::runs).map(|words| words[0]).collect();
    assert_eq!(known, listed);
}

/// A form with a word less, with another one, and with one more: at the end, and in front of the last type.
fn near<'word>(form: &[&'word str], words: &BTreeSet<&'word str>) -> Vec<Vec<&'word str>> {
    let mut near: Vec<Vec<&str>> = Vec::new();
    for place in 1..form.len() {
        near.push([&form[..place], &form[place + 1..]].concat());
        near.extend(words.iter().map(|word| [&form[..place], &[*word][..], &form[place + 1..]].concat()));
    }
    for place in [form.len().max(2) - 1, form.len()] {
        near.extend(words.iter().map(|word| [&form[..place], &[*word][..], &form[place..]].concat()));
    }
    near
}

/// A form that the decoder takes and the table does not have would be one that nothing checks. All that lie one word away
/// from a form of the table are tried.
#[test]
fn the_decoder_takes_no_form_that_the_table_does_not_have() {
    let (listed, decoder) = (listed(), decoder());
    let words: BTreeSet<&str> = quoted(&decoder).filter(|word| !word.starts_with('%')).collect();
    assert!(words.len() > 150, "{words:?}");
    let forms: BTreeSet<Vec<&str>> = ROWS.iter().flat_map(Row::pairs).collect();
    let near: HashSet<Vec<&str>> = forms.par_iter().flat_map_iter(|form| near(form, &words)).collect();
    let is_listed = |form: &[&str]| listed.contains(&canonical(form[0], form[1..].iter().copied()));
    let unlisted = near.par_iter().filter(|form| !is_listed(form)).map(|form| form.join("."));
    let found: BTreeSet<String> = unlisted.filter(|form| takes(form)).collect();
    println!("{} forms near {}", near.len(), forms.len());
    assert!(found.is_empty(), "{} forms have no row: {}", found.len(), Vec::from_iter(found).join(" "));
}

#[test]
fn every_special_register_of_the_decoder_is_in_the_table() {
    let text = fs::read_to_string(source("src/lower/operands.rs")).unwrap();
    let known: BTreeSet<&str> = quoted(&text).filter(|word| word.starts_with('%')).collect();
    let listed: BTreeSet<&str> = REGISTERS.iter().flat_map(|(names, _)| names.split('|')).collect();
    let families = ["%tid.", "%ntid.", "%ctaid.", "%nctaid."];
    let without_families = |names: &BTreeSet<&str>| -> BTreeSet<String> {
        let family =
            |name: &&str| families.iter().find(|family| name.starts_with(**family)).map(|name| (*name).to_owned());
        names.iter().map(|name| family(name).unwrap_or_else(|| (*name).to_owned())).collect()
    };
    assert_eq!(without_families(&known), without_families(&listed));
}

#[test]
#[should_panic(expected = "integer::logic did not run")]
fn a_test_that_does_not_run_its_forms_fails() {
    covered("integer::logic");
}

/// A row is checked by a test that says so.
#[test]
fn every_test_of_the_table_looks_at_its_forms() {
    let tests = ROWS.iter().map(|row| row.test).chain(REGISTERS.iter().map(|(_, test)| *test));
    for test in tests.collect::<BTreeSet<_>>() {
        let (file, function) = test.split_once("::").unwrap();
        let text = fs::read_to_string(source(&format!("tests/{file}.rs"))).unwrap();
        assert!(text.contains(&format!("fn {function}()")), "{test} does not exist");
        assert!(text.contains(&format!("covered(\"{test}\")")), "{test} does not end with `covered`");
    }
}

#[test]
fn every_form_of_the_shipped_kernels_is_in_the_table() {
    let text = fs::read_to_string(source("../kernels/ptx/fracas.ptx")).unwrap();
    let (listed, forms) = (listed(), forms_of(&text).collect::<BTreeSet<_>>());
    assert!(forms.len() > 100, "{forms:?}");
    let missing: Vec<&String> = forms.iter().filter(|form| !listed.contains(*form)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
