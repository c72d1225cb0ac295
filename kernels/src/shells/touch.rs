//! Kernels of [`touch`].

use super::kernels;
use super::memory::Memory;
use crate::arguments::touch as arguments;
use crate::touch::{self, Grid, Query};

impl arguments::Grid {
    #[inline]
    fn of(&self, memory: Memory) -> Grid<'_> {
        Grid { low: self.low, size: self.size, numbers: memory.read(self.numbers), chunks: memory.read(self.chunks) }
    }
}

impl arguments::Query {
    #[inline]
    fn of(&self, memory: Memory) -> Query<'_> {
        Query {
            view: memory.one(self.view),
            ways: memory.one(self.ways),
            own: self.own.of(memory),
            other: self.other.of(memory),
            chunks: memory.read(self.chunks),
        }
    }
}

kernels! {
    fracas_touch_word(memory, arguments: arguments::MakeWord, index) {
        let word = touch::word(&arguments.query.of(memory), index);
        memory.write(arguments.words, index, word);
        memory.write(arguments.counts, index, word.count());
    }

    fracas_touch_touch(memory, arguments: arguments::TakeTouch, index) {
        let words = memory.read(arguments.words);
        if let Some((place, touch)) = touch::touch(&arguments.query.of(memory), words, index) {
            let start = memory.read(arguments.starts)[index / 64];
            memory.write(arguments.output, (start + place) as usize, touch);
        }
    }
}
