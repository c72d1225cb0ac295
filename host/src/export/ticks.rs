//! The axes of a chart: where a value is, and which values are named.

/// What an axis is divided by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AxisScale {
    /// Equal steps are equal differences.
    #[default]
    Linear,
    /// Equal steps are equal ratios; what is not positive has no place.
    Logarithmic,
}

/// A range of values along a line of the picture.
#[derive(Clone, Debug)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    scale: AxisScale,
    /// Where the lowest value is drawn, and the highest.
    ends: [f64; 2],
}

impl Axis {
    /// The axis that holds some values, which are finite and have a place.
    pub(super) fn over(values: impl Iterator<Item = f64>, scale: AxisScale, ends: [f64; 2]) -> Axis {
        let limits = values.fold(None, |limits: Option<(f64, f64)>, value| {
            let (low, high) = limits.unwrap_or((value, value));
            Some((low.min(value), high.max(value)))
        });
        let (mut low, mut high) = limits.unwrap_or((1.0, 10.0));
        // Beyond these not even a difference is a number.
        (low, high) = (low.clamp(-1e300, 1e300), high.clamp(-1e300, 1e300));
        if scale == AxisScale::Logarithmic {
            (low, high) = (low.max(1e-300), high.max(1e-300));
        }
        if high <= low {
            let around = if low == 0.0 { 1.0 } else { 0.5 * low.abs() };
            (low, high) = (low - around, high + around);
        }
        Axis { low, high, scale, ends }
    }

    /// Lengths are compared from zero, where there is a zero.
    pub(super) fn start_at_zero(&mut self) {
        match self.scale {
            AxisScale::Linear if self.low > 0.0 => self.low = 0.0,
            // Up to the next named value on both sides.
            AxisScale::Logarithmic => {
                let decade = |value: f64| 10f64.powf(value.log10().floor());
                let below = [5.0, 2.0, 1.0].into_iter().map(|part| part * decade(self.low));
                let above = [1.0, 2.0, 5.0, 10.0].into_iter().map(|part| part * decade(self.high));
                self.low = below.clone().find(|&value| value <= self.low).unwrap_or(self.low);
                self.high = above.clone().find(|&value| value >= self.high).unwrap_or(self.high);
            }
            AxisScale::Linear => {}
        }
    }

    /// Where a value is drawn.
    pub(super) fn place(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        let part = match self.scale {
            AxisScale::Linear => (value - self.low) / (self.high - self.low),
            AxisScale::Logarithmic => (value.log10() - self.low.log10()) / (self.high.log10() - self.low.log10()),
        };
        self.ends[0] + part * (self.ends[1] - self.ends[0])
    }

    /// The values that are named, with their names.
    pub(super) fn ticks(&self) -> Vec<(f64, String)> {
        match self.scale {
            AxisScale::Linear => self.linear_ticks(),
            AxisScale::Logarithmic => self.logarithmic_ticks(),
        }
    }

    fn linear_ticks(&self) -> Vec<(f64, String)> {
        let rough = (self.high - self.low) / 8.0;
        let decade = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|part| part * decade).into_iter().find(|&step| step >= rough);
        let step = step.unwrap_or(10.0 * decade);
        // A tick that rounding puts outside of the axis is at its end.
        let first = (self.low / step - 1e-9).ceil();
        let decimals = (-step.log10().floor()).max(0.0) as usize;
        (0..20)
            .map(|count| (first + f64::from(count)) * step)
            .take_while(|&value| value <= self.high + 1e-9 * step)
            // What is a rounding away from zero is zero, without a sign.
            .map(|value| if value.abs() < 1e-9 * step { 0.0 } else { value })
            .map(|value| (value, name(value, decimals)))
            .collect()
    }

    fn logarithmic_ticks(&self) -> Vec<(f64, String)> {
        let (low, high) = (self.low.log10(), self.high.log10());
        // All decades if they are few, and parts of them if they are fewer.
        let every = ((high - low) / 10.0).ceil().max(1.0) as i32;
        let parts: &[f64] = if high - low < 3.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        (low.floor() as i32..=high.ceil() as i32)
            .filter(|decade| decade.rem_euclid(every) == 0)
            .flat_map(|decade| parts.iter().map(move |part| (part * 10f64.powi(decade), (-decade).max(0) as usize)))
            .filter(|&(value, _)| value >= self.low * (1.0 - 1e-9) && value <= self.high * (1.0 + 1e-9))
            .map(|(value, decimals)| (value, name(value, decimals)))
            .collect()
    }
}

fn name(value: f64, decimals: usize) -> String {
    if value != 0.0 && !(1e-4..1e6).contains(&value.abs()) {
        format!("{value:.0e}")
    } else {
        format!("{value:.decimals$}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(values: [f64; 2], scale: AxisScale) -> Vec<String> {
        Axis::over(values.into_iter(), scale, [0.0, 100.0]).ticks().into_iter().map(|(_, name)| name).collect()
    }

    #[test]
    fn ticks_are_round_numbers_within_the_axis() {
        assert_eq!(names([0.0, 80.0], AxisScale::Linear), ["0", "10", "20", "30", "40", "50", "60", "70", "80"]);
        assert_eq!(names([-0.3, 0.31], AxisScale::Linear), ["-0.3", "-0.2", "-0.1", "0.0", "0.1", "0.2", "0.3"]);
        assert_eq!(names([3.0, 90.0], AxisScale::Logarithmic), ["5", "10", "20", "50"]);
        assert_eq!(names([0.01, 1e4], AxisScale::Logarithmic), ["0.01", "0.1", "1", "10", "100", "1000", "10000"]);
    }

    #[test]
    fn a_value_has_its_place() {
        let axis = Axis::over([10.0, 1000.0].into_iter(), AxisScale::Logarithmic, [200.0, 0.0]);
        assert_eq!([10.0, 100.0, 1000.0].map(|value| axis.place(value)), [200.0, 100.0, 0.0]);
        let axis = Axis::over([10.0, 20.0].into_iter(), AxisScale::Linear, [0.0, 100.0]);
        assert_eq!([10.0, 15.0, 20.0].map(|value| axis.place(value)), [0.0, 50.0, 100.0]);
    }

    #[test]
    fn lengths_are_seen_from_zero_and_ratios_from_a_named_value() {
        let mut axis = Axis::over([3.0, 90.0].into_iter(), AxisScale::Linear, [0.0, 1.0]);
        axis.start_at_zero();
        assert_eq!((axis.low, axis.high), (0.0, 90.0));
        let mut axis = Axis::over([3.0, 90.0].into_iter(), AxisScale::Logarithmic, [0.0, 1.0]);
        axis.start_at_zero();
        assert_eq!((axis.low, axis.high), (2.0, 100.0));
    }
}
