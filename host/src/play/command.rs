//! What pages say to a simulation, checked.

use glam::{DVec3, Vec3};

use crate::recording::fields::Fields;

/// No scene is farther away than this, in metres.
const FARTHEST: f32 = 1e6;

/// Steps that can be asked for at once.
const MOST_STEPS: u32 = 100;

/// Where somebody points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Where they look from, in the world.
    pub origin: DVec3,
    /// A unit vector.
    pub direction: DVec3,
}

/// Something that a page wants done. All numbers are finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Command {
    /// The first: the page says which version it speaks.
    Watch {
        /// The version.
        version: u32,
    },
    /// A ball flies along a ray.
    Throw {
        /// From where, and which way.
        ray: Ray,
        /// m/s
        speed: f64,
        /// m
        radius: f64,
    },
    /// What the ray meets breaks there.
    Break {
        /// From where, and which way.
        ray: Ray,
        /// How far the damage reaches.
        radius: f64,
        /// A place among the patterns that can be chosen.
        pattern: u32,
        /// A place among the methods.
        method: u32,
        /// The piece that the page saw there.
        piece: Option<u32>,
    },
    /// Somebody takes hold of a piece.
    DragStart {
        /// The number that the page gives it.
        drag: u32,
        /// Where.
        ray: Ray,
        /// The piece.
        piece: Option<u32>,
    },
    /// What is held is to go somewhere.
    DragMove {
        /// Which drag.
        drag: u32,
        /// Where to.
        target: DVec3,
    },
    /// What is held is let go.
    DragEnd {
        /// Which drag.
        drag: u32,
    },
    /// Everything begins anew.
    Reset,
    /// The simulation waits, or goes on.
    Pause(bool),
    /// Seconds of the simulation for a second of the clock, from a thousandth to one.
    SlowMotion(f64),
    /// So many steps while it waits.
    Step(u32),
}

impl Command {
    /// What a message says; nothing if it is of a kind that this program does not know.
    ///
    /// # Errors
    /// What makes no sense in it, as a line for the person.
    pub fn read(message: &[u8]) -> Result<Option<Command>, &'static str> {
        const SHORT: &str = "A command was cut short.";
        let mut fields = Fields(message);
        let [kind, length] = fields.words().map_err(|_| SHORT)?;
        if length as usize != fields.0.len() {
            return Err("A command has another length than it says.");
        }
        let mut words = Words(fields);
        let command = match kind {
            256 => Command::Watch { version: words.word()? },
            257 => Command::Throw { ray: words.ray()?, speed: words.number()?, radius: words.number()? },
            258 => Command::Break {
                ray: words.ray()?,
                radius: words.number()?,
                pattern: words.word()?,
                method: words.word()?,
                piece: words.maybe()?,
            },
            259 => Command::DragStart { drag: words.word()?, ray: words.ray()?, piece: words.maybe()? },
            260 => Command::DragMove { drag: words.word()?, target: words.place()? },
            261 => Command::DragEnd { drag: words.word()? },
            262 => Command::Reset,
            263 => Command::Pause(words.word()? != 0),
            264 => match words.number()? {
                factor if factor > 0.0 => Command::SlowMotion(factor.clamp(1e-3, 1.0)),
                _ => return Err("Slow motion has to be above zero."),
            },
            265 => Command::Step(words.word()?.min(MOST_STEPS)),
            _ => return Ok(None),
        };
        Ok(Some(command))
    }
}

/// Fields of four bytes, one after the other. What follows the known ones is not looked at.
struct Words<'a>(Fields<'a>);

impl Words<'_> {
    fn word(&mut self) -> Result<u32, &'static str> {
        self.0.words().map(|[word]| word).map_err(|_| "A command was cut short.")
    }

    fn maybe(&mut self) -> Result<Option<u32>, &'static str> {
        Ok(Some(self.word()?).filter(|&number| number != u32::MAX))
    }

    fn number(&mut self) -> Result<f64, &'static str> {
        let number = f32::from_bits(self.word()?);
        if number.is_finite() { Ok(f64::from(number)) } else { Err("A command has a number that is not finite.") }
    }

    fn place(&mut self) -> Result<DVec3, &'static str> {
        let [x, y, z] = [self.number()?, self.number()?, self.number()?];
        let place = DVec3::new(x, y, z);
        let is_near = place.as_vec3().abs().max_element() <= FARTHEST;
        if is_near { Ok(place) } else { Err("A command is about a place that is too far away.") }
    }

    fn ray(&mut self) -> Result<Ray, &'static str> {
        let origin = self.place()?;
        let [x, y, z] = [self.number()?, self.number()?, self.number()?];
        let direction = DVec3::new(x, y, z).try_normalize();
        let direction = direction.filter(|_| Vec3::new(x as f32, y as f32, z as f32).length_squared() > 1e-12);
        Ok(Ray { origin, direction: direction.ok_or("A command has a direction without a length.")? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: u32, words: &[u32]) -> Vec<u8> {
        let all = [&[kind, 4 * words.len() as u32], words].concat();
        all.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn commands_are_read_and_clamped() {
        let f = |number: f32| number.to_bits();
        let throw = message(257, &[f(1.0), f(2.0), f(3.0), f(0.0), f(0.0), f(-2.0), f(12.0), f(0.5)]);
        let ray = Ray { origin: DVec3::new(1.0, 2.0, 3.0), direction: -DVec3::Z };
        assert_eq!(Command::read(&throw), Ok(Some(Command::Throw { ray, speed: 12.0, radius: 0.5 })));
        let fracture = message(258, &[f(1.0), f(2.0), f(3.0), f(0.0), f(0.0), f(-1.0), f(0.25), 1, 2, u32::MAX, 77]);
        let expected = Command::Break { ray, radius: 0.25, pattern: 1, method: 2, piece: None };
        assert_eq!(Command::read(&fracture), Ok(Some(expected)));
        assert_eq!(Command::read(&message(264, &[f(1e-9)])), Ok(Some(Command::SlowMotion(1e-3))));
        assert_eq!(Command::read(&message(265, &[u32::MAX])), Ok(Some(Command::Step(MOST_STEPS))));
        assert_eq!(Command::read(&message(262, &[])), Ok(Some(Command::Reset)));
        assert_eq!(Command::read(&message(999, &[1])), Ok(None));
    }

    #[test]
    fn nonsense_is_refused_and_nothing_panics() {
        let f = |number: f32| number.to_bits();
        for (kind, words) in [
            (257, vec![f(f32::NAN); 8]),
            (257, vec![f(1.0); 7]),
            (257, vec![f(0.0); 8]),
            (260, vec![1, f(1e30), f(0.0), f(0.0)]),
            (264, vec![f(0.0)]),
            (264, vec![f(f32::INFINITY)]),
            (256, vec![]),
        ] {
            assert!(Command::read(&message(kind, &words)).is_err(), "{kind} {words:?}");
        }
        let mut wrong = message(262, &[]);
        wrong[4] = 8;
        assert!(Command::read(&wrong).is_err() && Command::read(&[]).is_err() && Command::read(&[1, 2, 3]).is_err());
        let mut random = crate::random::Random::new(5);
        for _ in 0..20_000 {
            let words: Vec<u32> = (0..random.next_u64() % 12).map(|_| random.next_u64() as u32).collect();
            let _ = Command::read(&message(255 + (random.next_u64() % 12) as u32, &words));
        }
    }
}
