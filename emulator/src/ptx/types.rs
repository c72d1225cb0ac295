//! The scalar types and the state spaces of PTX.

/// A fundamental type, as instructions and declarations name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ScalarType {
    B8,
    B16,
    B32,
    B64,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F32,
    F64,
    Predicate,
}

impl ScalarType {
    /// The type named by a modifier such as `u32`; half precision and packed types have no name here, so that an
    /// instruction which uses them is an error and not a guess.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "b8" => Self::B8,
            "b16" => Self::B16,
            "b32" => Self::B32,
            "b64" => Self::B64,
            "u8" => Self::U8,
            "u16" => Self::U16,
            "u32" => Self::U32,
            "u64" => Self::U64,
            "s8" => Self::S8,
            "s16" => Self::S16,
            "s32" => Self::S32,
            "s64" => Self::S64,
            "f32" => Self::F32,
            "f64" => Self::F64,
            "pred" => Self::Predicate,
            _ => return None,
        })
    }

    pub(crate) fn bits(self) -> u32 {
        match self {
            Self::Predicate => 1,
            Self::B8 | Self::U8 | Self::S8 => 8,
            Self::B16 | Self::U16 | Self::S16 => 16,
            Self::B32 | Self::U32 | Self::S32 | Self::F32 => 32,
            Self::B64 | Self::U64 | Self::S64 | Self::F64 => 64,
        }
    }

    pub(crate) fn bytes(self) -> u32 {
        self.bits().div_ceil(8)
    }

    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Self::S8 | Self::S16 | Self::S32 | Self::S64)
    }

    pub(crate) fn is_unsigned(self) -> bool {
        matches!(self, Self::U8 | Self::U16 | Self::U32 | Self::U64)
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F64)
    }

    /// Signed, unsigned: an integer with arithmetic, not a bag of bits.
    pub(crate) fn is_integer(self) -> bool {
        self.is_signed() || self.is_unsigned()
    }

    pub(crate) fn is_bits(self) -> bool {
        matches!(self, Self::B8 | Self::B16 | Self::B32 | Self::B64)
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::B8 => "b8",
            Self::B16 => "b16",
            Self::B32 => "b32",
            Self::B64 => "b64",
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::S8 => "s8",
            Self::S16 => "s16",
            Self::S32 => "s32",
            Self::S64 => "s64",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Predicate => "pred",
        }
    }
}

/// Where an address points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Space {
    Generic,
    Global,
    Shared,
    Local,
    /// The parameters of the function itself and of the calls that it makes.
    Parameter,
    /// The parameters of the kernel under their generic address, which every function can use.
    Entry,
    Constant,
}

impl Space {
    /// The space named by a modifier; the sub-qualifiers name the only window that the emulator has.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "global" => Self::Global,
            "shared" | "shared::cta" => Self::Shared,
            "local" => Self::Local,
            "param" | "param::entry" | "param::func" => Self::Parameter,
            "const" => Self::Constant,
            _ => return None,
        })
    }
}
