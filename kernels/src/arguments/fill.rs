//! For the kernel that clears memory.

use super::DeviceSliceMut;

super::arguments! {
    /// Zeros, for lists that threads add to: a thread for each word.
    Zero("fracas_fill_zero", |arguments| arguments.words.length) {
        /// The list, word by word.
        words: DeviceSliceMut<u32>,
    }
}
