//! Kernels of [`columns`].

use super::kernels;
use super::memory::Memory;
use crate::arguments::columns as arguments;
use crate::columns::{self, Columns};

impl arguments::Columns {
    #[inline]
    fn of(&self, memory: Memory) -> Columns<'_> {
        Columns {
            cells: memory.read(self.cells),
            order: memory.read(self.order),
            firsts: memory.read(self.firsts),
            axis: self.axis as u32,
            densities: memory.read(self.densities),
        }
    }
}

kernels! {
    fracas_columns_add_facing(memory, arguments: arguments::AddFacing, index) {
        columns::add_facing(memory.read(arguments.cells), memory.read(arguments.facings), index);
    }

    fracas_columns_key(memory, arguments: arguments::CellKey, index) {
        let key = columns::key(memory.read(arguments.cells), arguments.axis as usize, index);
        memory.write(arguments.keys, index, key);
    }

    fracas_columns_begins_column(memory, arguments: arguments::BeginsColumn, index) {
        memory.write(arguments.begins, index, columns::begins_column(memory.read(arguments.keys), index).value);
    }

    fracas_columns_first_of_column(memory, arguments: arguments::FirstOfColumn, index) {
        memory.write(arguments.firsts, index, columns::first_of_column(memory.read(arguments.numbers), index));
    }

    fracas_columns_count(memory, arguments: arguments::CountSpans, index) {
        let spans = columns::count(&arguments.columns.of(memory), memory.read(arguments.unclosed), index);
        memory.write(arguments.spans, index, spans);
    }

    fracas_columns_spans(memory, arguments: arguments::MakeSpans, index) {
        let output = memory.part(arguments.output, memory.read(arguments.starts), index);
        columns::spans(&arguments.columns.of(memory), index, output);
    }

    fracas_columns_add(memory, arguments: arguments::AddSpan, index) {
        columns::add(memory.read(arguments.spans), memory.read(arguments.totals), index);
    }

    fracas_columns_volume(memory, arguments: arguments::Volume, index) {
        let volume = columns::volume(memory.read(arguments.frames), memory.read(arguments.totals), index);
        memory.write(arguments.volumes, index, volume);
    }

    fracas_columns_gradient(memory, arguments: arguments::MakeGradient, index) {
        let gradient = columns::gradient(memory.read(arguments.frames), memory.read(arguments.spans), index);
        memory.write(arguments.gradients, index, gradient);
    }
}
