//! What the tests share: a device with buffers, and kernels made from a few lines of PTX.

#![allow(dead_code, reason = "each test file uses a part of this")]
#![allow(clippy::unwrap_used, reason = "a panic is the report of a test")]

pub(crate) mod forms;

use fracas_emulator::{Argument, Device, Dimensions, Fault, LoadedModule, Module, Options, Profile};

/// The head of every text; the newest target, so that every instruction form is legal for NVIDIA's assembler too.
pub(crate) const HEAD: &str = ".version 8.6\n.target sm_90\n.address_size 64\n";

/// A loaded module with its device.
pub(crate) struct Machine {
    pub(crate) device: Device,
    pub(crate) module: LoadedModule,
}

impl Machine {
    pub(crate) fn new(text: &str) -> Self {
        forms::ran(text);
        Self::load(text)
    }

    fn load(text: &str) -> Self {
        let module = Module::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let device = Device::new();
        let module = device.load(module).unwrap();
        Self { device, module }
    }

    /// A module of one kernel with one pointer parameter in `%rd0` and many registers of each type.
    pub(crate) fn kernel(body: &str) -> Self {
        Self::new(&kernel_text(body))
    }

    pub(crate) fn buffer<T: Copy>(&self, values: &[T]) -> u64 {
        let bytes = bytes_of(values);
        let address = self.device.allocate(bytes.len() as u64).unwrap();
        self.device.write(address, &bytes).unwrap();
        address
    }

    pub(crate) fn fresh(&self, bytes: u64) -> u64 {
        self.device.allocate(bytes).unwrap()
    }

    pub(crate) fn read<T: Copy + Default>(&self, address: u64, count: usize) -> Vec<T> {
        let mut bytes = vec![0; count * size_of::<T>()];
        self.device.read(address, &mut bytes).unwrap();
        let mut values = vec![T::default(); count];
        // SAFETY: the buffer has exactly the bytes of so many values, which are plain numbers.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), values.as_mut_ptr().cast(), bytes.len()) };
        values
    }

    pub(crate) fn launch(
        &self,
        kernel: &str,
        dimensions: Dimensions,
        arguments: &[Argument],
        options: &Options,
    ) -> Result<Profile, Fault> {
        self.device.launch(&self.module, kernel, dimensions, arguments, options)
    }

    pub(crate) fn run(&self, kernel: &str, blocks: u32, threads: u32, arguments: &[Argument]) -> Profile {
        self.launch(kernel, Dimensions::linear(blocks, threads), arguments, &Options::default())
            .unwrap_or_else(|fault| panic!("{fault}"))
    }
}

pub(crate) fn bytes_of<T: Copy>(values: &[T]) -> Vec<u8> {
    let size = size_of_val(values);
    // SAFETY: the bytes of plain numbers, read while the slice is borrowed.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size) }.to_vec()
}

pub(crate) fn kernel_text(body: &str) -> String {
    format!(
        "{HEAD}.visible .entry test(.param .u64 pointer) {{
    .reg .pred %p<10>;
    .reg .b16 %rs<20>;
    .reg .b32 %r<40>;
    .reg .b64 %rd<40>;
    .reg .f32 %f<20>;
    .reg .f64 %fd<20>;
    ld.param.u64 %rd0, [pointer];
{body}
    ret;
}}
"
    )
}

/// How a register of an instruction under test is named and moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Slot {
    B16,
    B32,
    B64,
    F32,
    F64,
    Predicate,
}

impl Slot {
    fn register(self) -> &'static str {
        match self {
            Slot::B16 => "%rs",
            Slot::B32 => "%r",
            Slot::B64 => "%rd",
            Slot::F32 => "%f",
            Slot::F64 => "%fd",
            Slot::Predicate => "%p",
        }
    }

    fn memory(self) -> &'static str {
        match self {
            Slot::B16 => "b16",
            Slot::B32 => "b32",
            Slot::B64 => "b64",
            Slot::F32 => "f32",
            Slot::F64 => "f64",
            Slot::Predicate => "b32",
        }
    }
}

/// Runs one instruction for many operands: thread `i` takes row `i`. Operands and results are bits in 64-bit words.
/// In the text `{d}`, `{a}`, `{b}`, `{c}` and `{e}` stand for the registers.
pub(crate) fn evaluate(instruction: &str, result: Slot, operands: &[Slot], rows: &[[u64; 4]]) -> Vec<u64> {
    let stride = 40;
    let mut body = String::from(
        "    mov.u32 %r30, %ctaid.x;\n    mov.u32 %r31, %ntid.x;\n    mov.u32 %r32, %tid.x;
    mad.lo.u32 %r30, %r30, %r31, %r32;\n    mul.wide.u32 %rd30, %r30, 40;\n    add.s64 %rd31, %rd0, %rd30;\n",
    );
    let mut text = instruction.replace("{d}", &result_register(result));
    for (index, (slot, name)) in operands.iter().zip(["{a}", "{b}", "{c}", "{e}"]).enumerate() {
        let register = format!("{}{}", slot.register(), index + 1);
        let offset = 8 * (index + 1);
        if *slot == Slot::Predicate {
            body += &format!(
                "    ld.global.u32 %r2{index}, [%rd31+{offset}];\n    setp.ne.u32 {register}, %r2{index}, 0;\n"
            );
        } else {
            body += &format!("    ld.global.{} {register}, [%rd31+{offset}];\n", slot.memory());
        }
        text = text.replace(name, &register);
    }
    body += &format!("    {text}\n");
    if result == Slot::Predicate {
        body += "    selp.u32 %r19, 1, 0, %p9;\n    st.global.u32 [%rd31], %r19;\n";
    } else {
        body += &format!("    st.global.{} [%rd31], {};\n", result.memory(), result_register(result));
    }
    // Only the instruction is under test, not what moves its operands.
    forms::ran(&text);
    let machine = Machine::load(&kernel_text(&body));
    let threads = 64;
    let blocks = rows.len().div_ceil(threads);
    let mut words = vec![0_u64; blocks * threads * stride / 8];
    for (row, operands) in rows.iter().enumerate() {
        words[row * 5 + 1..row * 5 + 5].copy_from_slice(operands);
    }
    let buffer = machine.buffer(&words);
    machine.run("test", blocks as u32, threads as u32, &[buffer.into()]);
    let out: Vec<u64> = machine.read(buffer, words.len());
    (0..rows.len()).map(|row| out[row * 5]).collect()
}

fn result_register(slot: Slot) -> String {
    // There are fewer predicates than other registers.
    if slot == Slot::Predicate { "%p9".to_owned() } else { format!("{}19", slot.register()) }
}

/// Numbers that look random and are the same everywhere.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }
}
