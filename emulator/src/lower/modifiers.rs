//! The modifiers of a statement, taken one by one until none is left.

use super::Lowerer;
use crate::error::PtxError;
use crate::number::float::Mode;
use crate::number::soft::Rounding;
use crate::ptx::ast::Statement;
use crate::ptx::types::ScalarType;

/// Whether the instruction works on floating-point numbers.
pub(crate) fn is_float(statement: &Statement) -> bool {
    statement.modifiers.last().is_some_and(|last| {
        // Half precision is no type here, but must not be taken for an integer either.
        ScalarType::from_name(last).is_some_and(ScalarType::is_float) || last.starts_with('f') || last.starts_with("bf")
    })
}

pub(crate) struct Modifiers<'statement> {
    left: Vec<&'statement str>,
}

impl<'statement> Modifiers<'statement> {
    pub(crate) fn new(statement: &'statement Statement) -> Self {
        Self { left: statement.modifiers.iter().map(String::as_str).collect() }
    }

    /// Takes a modifier if it is there.
    pub(crate) fn take(&mut self, name: &str) -> bool {
        match self.left.iter().position(|modifier| *modifier == name) {
            Some(place) => {
                self.left.remove(place);
                true
            }
            None => false,
        }
    }

    /// Takes the first modifier that has a meaning in this table.
    pub(crate) fn take_map<T>(&mut self, meaning: impl Fn(&str) -> Option<T>) -> Option<T> {
        let (place, value) =
            self.left.iter().enumerate().find_map(|(place, name)| meaning(name).map(|value| (place, value)))?;
        self.left.remove(place);
        Some(value)
    }

    /// Takes the first modifier, whatever it is.
    pub(crate) fn take_first(&mut self) -> Option<&'statement str> {
        (!self.left.is_empty()).then(|| self.left.remove(0))
    }

    fn rounding(&mut self) -> Option<Rounding> {
        self.take_map(|name| {
            Some(match name {
                "rn" => Rounding::Nearest,
                "rz" => Rounding::Zero,
                "rm" => Rounding::Down,
                "rp" => Rounding::Up,
                _ => return None,
            })
        })
    }

    /// The rounding that is written, if one is, and how the instruction computes.
    pub(crate) fn float_mode(&mut self) -> (Option<Rounding>, Mode) {
        let written = self.rounding();
        let rounding = written.unwrap_or(Rounding::Nearest);
        (written, Mode { rounding, flush: self.take("ftz"), saturate: self.take("sat") })
    }
}

impl Lowerer<'_> {
    /// Takes the first type of an instruction: an instruction with two types has them in a fixed order.
    pub(crate) fn kind(
        &self,
        modifiers: &mut Modifiers<'_>,
        statement: &Statement,
        accepts: impl Fn(ScalarType) -> bool,
    ) -> Result<ScalarType, PtxError> {
        modifiers
            .take_map(ScalarType::from_name)
            .filter(|kind| accepts(*kind))
            .ok_or_else(|| self.unsupported(statement))
    }

    /// Refuses what is left.
    pub(crate) fn finish(&self, modifiers: &Modifiers<'_>, statement: &Statement) -> Result<(), PtxError> {
        match modifiers.left.first() {
            None => Ok(()),
            Some(name) => Err(self.error(statement, format!("the modifier '.{name}' is not supported here"))),
        }
    }

    pub(crate) fn operand_count(&self, statement: &Statement, expected: usize) -> Result<(), PtxError> {
        if statement.operands.len() == expected {
            return Ok(());
        }
        let found = statement.operands.len();
        Err(self.error(statement, format!("expected {expected} operands, found {found}")))
    }
}
