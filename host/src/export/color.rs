//! Colours: sRGB, linear light, and a perceptual space to choose body colours in.

use glam::Vec3;

/// A colour for the body of a number, in sRGB from 0 to 1: the same for the same number, and well apart from those of
/// the numbers around it.
///
/// The hue turns by the golden ratio, in OkLCh [Ottosson 2020], where equal steps look equal; lightness and chroma
/// change a little from number to number, so that hues that come back close are still told apart.
///
/// ```
/// use fracas::export::body_color;
///
/// assert_eq!(body_color(7), body_color(7));
/// assert_ne!(body_color(7), body_color(8));
/// ```
pub fn body_color(index: u64) -> [f32; 3] {
    // The golden ratio as a fraction of 2^64, so that the product's wrapping is the turn's.
    let turn = index.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(0x1800_0000_0000_0000);
    let hue = (turn >> 11) as f64 / (1u64 << 53) as f64 * std::f64::consts::TAU;
    let lightness = [0.72, 0.78, 0.67, 0.75][(index % 4) as usize];
    let mut chroma = [0.125, 0.105, 0.120][(index % 3) as usize];
    loop {
        let linear = from_oklch(lightness, chroma, hue as f32);
        let in_gamut = linear.min_element() >= 0.0 && linear.max_element() <= 1.0;
        if in_gamut || chroma <= 0.0 {
            return to_srgb(linear.clamp(Vec3::ZERO, Vec3::ONE)).to_array();
        }
        chroma -= 0.005;
    }
}

/// Linear light of a colour in OkLCh; components beyond 0 to 1 are out of the sRGB gamut.
fn from_oklch(lightness: f32, chroma: f32, hue: f32) -> Vec3 {
    let (a, b) = (chroma * hue.cos(), chroma * hue.sin());
    let long = (lightness + 0.396_337_78 * a + 0.215_803_76 * b).powi(3);
    let medium = (lightness - 0.105_561_346 * a - 0.063_854_17 * b).powi(3);
    let short = (lightness - 0.089_484_18 * a - 1.291_485_5 * b).powi(3);
    Vec3::new(
        4.076_741_7 * long - 3.307_711_6 * medium + 0.230_969_94 * short,
        -1.268_438 * long + 2.609_757_4 * medium - 0.341_319_4 * short,
        -0.004_196_086_3 * long - 0.703_418_6 * medium + 1.707_614_7 * short,
    )
}

/// Linear light from sRGB. Components that are not from 0 to 1 are brought there.
pub(super) fn to_linear(srgb: [f32; 3]) -> Vec3 {
    let decode = |value: f32| match value.clamp(0.0, 1.0) {
        value if value.is_nan() => 0.0,
        value if value <= 0.040_45 => value / 12.92,
        value => ((value + 0.055) / 1.055).powf(2.4),
    };
    Vec3::from(srgb.map(decode))
}

/// sRGB from linear light.
pub(super) fn to_srgb(linear: Vec3) -> Vec3 {
    let encode = |value: f32| if value <= 0.003_130_8 { value * 12.92 } else { 1.055 * value.powf(1.0 / 2.4) - 0.055 };
    Vec3::new(encode(linear.x), encode(linear.y), encode(linear.z))
}

/// The byte of each sRGB channel, from linear light.
pub(super) fn to_bytes(linear: Vec3) -> [u8; 4] {
    let [red, green, blue] = to_srgb(linear.clamp(Vec3::ZERO, Vec3::ONE)).to_array().map(|value| {
        // The cast saturates, and makes zero of NaN.
        (value * 255.0 + 0.5) as u8
    });
    [red, green, blue, 255]
}

/// The colour of a break in a thing of a colour, both in linear light: a little paler, so that it is seen.
pub(super) fn breaks(linear: Vec3) -> Vec3 {
    0.8 * linear + Vec3::splat(0.06)
}

/// Brings light of any strength into 0 to 1: dark and middle tones stay as they are, bright ones bend over.
pub(super) fn tone_map(light: Vec3) -> Vec3 {
    const KNEE: f32 = 0.55;
    let bend = |value: f32| {
        if value <= KNEE { value } else { KNEE + (1.0 - KNEE) * (1.0 - (-(value - KNEE) / (1.0 - KNEE)).exp()) }
    };
    Vec3::new(bend(light.x), bend(light.y), bend(light.z))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn srgb_survives_linear_light_and_back() {
        for byte in 0..=255u8 {
            let linear = to_linear([f32::from(byte) / 255.0; 3]);
            assert_eq!(to_bytes(linear), [byte, byte, byte, 255]);
        }
    }

    #[test]
    fn oklch_without_chroma_is_grey() {
        for lightness in [0.1, 0.5, 0.9, 1.0f32] {
            let grey = from_oklch(lightness, 0.0, 1.0);
            assert!((grey - Vec3::splat(lightness.powi(3))).abs().max_element() < 1e-5, "{grey}");
        }
    }

    #[test]
    fn the_first_bodies_are_well_told_apart() {
        let distance = |a: [f32; 3], b: [f32; 3]| (Vec3::from(a) - Vec3::from(b)).length();
        for index in 0..1000u64 {
            let color = body_color(index);
            assert!(color.iter().all(|channel| (0.0..=1.0).contains(channel)));
            for other in index + 1..index + 8 {
                assert!(distance(color, body_color(other)) > 0.07, "{index} and {other}");
            }
        }
    }

    #[test]
    fn tone_mapping_keeps_order_and_range() {
        let values = (0..1000).map(|step| tone_map(Vec3::splat(step as f32 * 0.01)).x);
        assert!(values.clone().zip(values.skip(1)).all(|(a, b)| a <= b && b <= 1.0));
    }
}
