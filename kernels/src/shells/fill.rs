//! The kernel that clears memory.

use super::kernels;
use crate::arguments::fill as arguments;

kernels! {
    fracas_fill_zero(memory, arguments: arguments::Zero, index) {
        memory.write(arguments.words, index, 0);
    }
}
