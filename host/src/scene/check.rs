//! Checks of the numbers in a scene file; each names the key, what was found and what was expected.

use std::ops::RangeInclusive;

use glam::DVec3;
use toml::Spanned;

use super::error::{SceneError, Source};
use super::file::{SceneFile, Three};

/// Checks of single values.
impl Source<'_> {
    /// That a table which stands for all bodies has no other bodies beside it.
    pub(super) fn alone(&self, table: &str, scene: &SceneFile) -> Result<(), SceneError> {
        let others = [
            ("body", scene.body.first().map(Spanned::span)),
            ("event", scene.event.first().map(Spanned::span)),
            ("wall", scene.wall.first().map(|wall| wall.normal.span())),
            ("deformable", scene.deformable.as_ref().map(Spanned::span).filter(|_| table != "deformable")),
        ];
        match others.into_iter().find_map(|(key, span)| Some((key, span?))) {
            Some((key, span)) => {
                Err(self.mistake(span, format!("found `{key}` beside `{table}`, expected one of them")))
            }
            None => Ok(()),
        }
    }

    pub(super) fn vector(&self, what: &str, value: &Spanned<Three<f64>>) -> Result<DVec3, SceneError> {
        let vector = DVec3::from_array(value.get_ref().0);
        if vector.is_finite() {
            return Ok(vector);
        }
        Err(self.mistake(value.span(), format!("found a `{what}` that is not finite, expected three numbers")))
    }

    pub(super) fn positive(&self, what: &str, value: &Option<Spanned<f64>>, default: f64) -> Result<f64, SceneError> {
        match value {
            None => Ok(default),
            Some(value) if *value.get_ref() > 0.0 && value.get_ref().is_finite() => Ok(*value.get_ref()),
            Some(value) => {
                let message = format!("found `{what}` {}, expected a number above zero", value.get_ref());
                Err(self.mistake(value.span(), message))
            }
        }
    }

    pub(super) fn count(
        &self,
        what: &str,
        value: &Option<Spanned<u32>>,
        default: u32,
        most: u32,
    ) -> Result<u32, SceneError> {
        self.count_within(what, value, default, 1..=most)
    }

    pub(super) fn count_within(
        &self,
        what: &str,
        value: &Option<Spanned<u32>>,
        default: u32,
        range: RangeInclusive<u32>,
    ) -> Result<u32, SceneError> {
        match value {
            None => Ok(default),
            Some(value) if range.contains(value.get_ref()) => Ok(*value.get_ref()),
            Some(value) => {
                let (low, high) = range.into_inner();
                let message = format!("found `{what}` {}, expected from {low} to {high}", value.get_ref());
                Err(self.mistake(value.span(), message))
            }
        }
    }

    pub(super) fn within(
        &self,
        what: &str,
        value: &Option<Spanned<f64>>,
        default: f64,
        range: RangeInclusive<f64>,
    ) -> Result<f64, SceneError> {
        match value {
            None => Ok(default),
            Some(value) if range.contains(value.get_ref()) => Ok(*value.get_ref()),
            Some(value) => {
                let (low, high) = range.into_inner();
                let message = format!("found `{what}` {:e}, expected from {low} to {high}", value.get_ref());
                Err(self.mistake(value.span(), message))
            }
        }
    }

    pub(super) fn color(&self, value: &Spanned<Three<f32>>) -> Result<[f32; 3], SceneError> {
        let color = value.get_ref().0;
        if color.iter().all(|part| (0.0..=1.0).contains(part)) {
            return Ok(color);
        }
        Err(self.mistake(value.span(), format!("found the color {color:?}, expected red, green and blue from 0 to 1")))
    }
}
