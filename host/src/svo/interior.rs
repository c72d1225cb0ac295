//! What the inside of a solid looks like where a fracture lays it open (\[Domaradzki16\] 4.4).

/// A procedural texture of space.
#[derive(Clone, Debug, PartialEq)]
pub struct Interior {
    /// The colour.
    pub color: [u8; 3],
    /// How far single voxels are lighter or darker.
    pub grain: u8,
}

impl Default for Interior {
    fn default() -> Interior {
        Interior { color: [150, 128, 110], grain: 12 }
    }
}

impl Interior {
    /// The colour of a voxel.
    #[inline]
    pub fn color(&self, voxel: [u32; 3]) -> [u8; 3] {
        // Two rounds of a multiplicative hash: neighbours get unrelated shades.
        let mixed = voxel[0].wrapping_mul(0x9e37_79b1)
            ^ voxel[1].wrapping_mul(0x85eb_ca77)
            ^ voxel[2].wrapping_mul(0xc2b2_ae3d);
        let hash = (mixed ^ mixed >> 15).wrapping_mul(0x2c1b_3c6d);
        let shade = i32::from(self.grain) * ((hash >> 24) as i32 - 128) / 128;
        self.color.map(|channel| (i32::from(channel) + shade).clamp(0, 255) as u8)
    }
}
