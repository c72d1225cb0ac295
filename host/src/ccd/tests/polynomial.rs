//! Polynomials over the rationals and their real roots, exactly.

use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

/// The coefficients of 1, t, t², ...; the last one is not zero.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Polynomial(Vec<BigRational>);

impl Polynomial {
    pub(super) fn new(mut coefficients: Vec<BigRational>) -> Polynomial {
        while coefficients.last().is_some_and(Zero::is_zero) {
            coefficients.pop();
        }
        Polynomial(coefficients)
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn plus(&self, other: &Polynomial) -> Polynomial {
        let at = |polynomial: &Polynomial, i: usize| polynomial.0.get(i).cloned().unwrap_or_else(BigRational::zero);
        Polynomial::new((0..self.0.len().max(other.0.len())).map(|i| at(self, i) + at(other, i)).collect())
    }

    pub(super) fn minus(&self, other: &Polynomial) -> Polynomial {
        self.plus(&Polynomial::new(other.0.iter().map(|value| -value).collect()))
    }

    pub(super) fn times(&self, other: &Polynomial) -> Polynomial {
        let mut product = vec![BigRational::zero(); self.0.len() + other.0.len()];
        for (i, a) in self.0.iter().enumerate() {
            for (j, b) in other.0.iter().enumerate() {
                product[i + j] += a * b;
            }
        }
        Polynomial::new(product)
    }

    pub(super) fn at(&self, t: &BigRational) -> BigRational {
        self.0.iter().rev().fold(BigRational::zero(), |sum, coefficient| sum * t + coefficient)
    }

    fn derivative(&self) -> Polynomial {
        let factor = |i: usize| BigRational::from_integer(i.into());
        Polynomial::new(self.0.iter().enumerate().skip(1).map(|(i, value)| value * factor(i)).collect())
    }

    /// The quotient and the remainder.
    fn divided(&self, by: &Polynomial) -> (Polynomial, Polynomial) {
        let mut rest = self.0.clone();
        let mut quotient = vec![BigRational::zero(); self.0.len().saturating_sub(by.0.len() - 1)];
        for place in (0..quotient.len()).rev() {
            let factor = &rest[place + by.0.len() - 1] / &by.0[by.0.len() - 1];
            for (i, value) in by.0.iter().enumerate() {
                rest[place + i] -= &factor * value;
            }
            quotient[place] = factor;
        }
        (Polynomial::new(quotient), Polynomial::new(rest))
    }

    fn common_divisor(&self, other: &Polynomial) -> Polynomial {
        let (mut a, mut b) = (self.clone(), other.clone());
        while !b.is_zero() {
            let rest = a.divided(&b).1;
            (a, b) = (b, rest);
        }
        a
    }

    /// The different roots in [0, 1], in their order; of a polynomial that is not zero.
    pub(super) fn roots(&self) -> Vec<Root> {
        let simple = self.without_multiple_roots();
        if simple.0.len() < 2 {
            return Vec::new();
        }
        let (zero, one) = (BigRational::zero(), BigRational::one());
        let mut roots = Vec::new();
        if simple.at(&zero).is_zero() {
            roots.push(Root { polynomial: simple.clone(), low: zero.clone(), high: zero.clone() });
        }
        Sturm::of(&simple).isolate(zero, one, &mut roots);
        roots
    }

    fn without_multiple_roots(&self) -> Polynomial {
        self.divided(&self.common_divisor(&self.derivative())).0
    }

    /// No slope in [0, 1] is steeper.
    fn steepest(&self) -> BigRational {
        self.derivative().0.iter().map(Signed::abs).sum()
    }
}

/// Sturm's chain of a polynomial without multiple roots, which counts them.
struct Sturm(Vec<Polynomial>);

impl Sturm {
    fn of(polynomial: &Polynomial) -> Sturm {
        let mut chain = vec![polynomial.clone(), polynomial.derivative()];
        while chain.last().is_some_and(|last| !last.is_zero()) {
            let rest = chain[chain.len() - 2].divided(&chain[chain.len() - 1]).1;
            chain.push(Polynomial::new(rest.0.iter().map(|value| -value).collect()));
        }
        Sturm(chain)
    }

    /// The number of different roots in (low, high].
    fn count(&self, low: &BigRational, high: &BigRational) -> usize {
        let changes = |t: &BigRational| {
            let signs: Vec<i32> = self.0.iter().map(|link| sign(&link.at(t))).filter(|&sign| sign != 0).collect();
            signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
        };
        changes(low) - changes(high)
    }

    fn isolate(&self, low: BigRational, high: BigRational, roots: &mut Vec<Root>) {
        match self.count(&low, &high) {
            0 => {}
            1 => roots.push(Root { polynomial: self.0[0].clone(), low, high }),
            _ => {
                let middle = half(&(&low + &high));
                self.isolate(low, middle.clone(), roots);
                self.isolate(middle, high, roots);
            }
        }
    }
}

fn half(value: &BigRational) -> BigRational {
    value / BigRational::from_integer(2.into())
}

/// The one root of a polynomial in (low, high], or low itself where both are the same.
#[derive(Clone, Debug)]
pub(super) struct Root {
    polynomial: Polynomial,
    pub(super) low: BigRational,
    pub(super) high: BigRational,
}

impl Root {
    fn halve(&mut self) {
        let middle = half(&(&self.low + &self.high));
        let [at_middle, at_high] = [&middle, &self.high].map(|t| sign(&self.polynomial.at(t)));
        // The root is a simple one and the only one, so the sign changes there.
        if at_high == 0 {
            self.low = self.high.clone();
        } else if at_middle == 0 {
            (self.low, self.high) = (middle.clone(), middle);
        } else if at_middle == at_high {
            self.high = middle;
        } else {
            self.low = middle;
        }
    }

    pub(super) fn narrow(&mut self, width: &BigRational) {
        while &(&self.high - &self.low) > width {
            self.halve();
        }
    }

    /// The sign of another polynomial at this root.
    pub(super) fn sign(&mut self, other: &Polynomial) -> i32 {
        if other.is_zero() {
            return 0;
        }
        if self.low == self.high {
            return sign(&other.at(&self.low));
        }
        // Near to the root it is mostly clear, without long fractions.
        let steepest = other.steepest();
        for _ in 0..60 {
            let value = other.at(&self.high);
            if value.abs() > &steepest * (&self.high - &self.low) {
                return sign(&value);
            }
            self.halve();
        }
        if self.low == self.high {
            return sign(&other.at(&self.low));
        }
        let common = self.polynomial.common_divisor(other);
        if common.0.len() > 1 && Sturm::of(&common.without_multiple_roots()).count(&self.low, &self.high) > 0 {
            return 0;
        }
        let roots = Sturm::of(&other.without_multiple_roots());
        while self.low != self.high && roots.count(&self.low, &self.high) > 0 {
            self.halve();
        }
        sign(&other.at(&self.high))
    }
}

fn sign(value: &BigRational) -> i32 {
    i32::from(value.is_positive()) - i32::from(value.is_negative())
}
