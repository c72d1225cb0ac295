//! Loads, stores, fences.

use super::Lowerer;
use super::modifiers::Modifiers;
use crate::error::PtxError;
use crate::program::{InstructionClass, Operation, Order, Scope};
use crate::ptx::ast::{Operand, Statement};
use crate::ptx::types::{ScalarType, Space};

/// What an access tells the caches, which changes no result. An instruction has at most one of each.
struct Hints {
    /// `nc`: through the cache of what nobody writes.
    constant: bool,
    /// Whether a cache operation is written, and whether `nc` goes with it.
    operation: Option<bool>,
    priority: bool,
    prefetch: bool,
}

impl Hints {
    fn take(opcode: &str, modifiers: &mut Modifiers<'_>) -> Self {
        let (loads, stores) = (opcode == "ld", opcode == "st");
        let priorities =
            ["L1::evict_normal", "L1::evict_unchanged", "L1::evict_first", "L1::evict_last", "L1::no_allocate"];
        let one = |modifiers: &mut Modifiers<'_>, has: bool, names: &[&str]| {
            modifiers.take_map(|name| (has && names.contains(&name)).then_some(())).is_some()
        };
        Self {
            constant: loads && modifiers.take("nc"),
            operation: modifiers.take_map(|name| match name {
                "cg" | "cs" if loads || stores => Some(true),
                "ca" if loads => Some(true),
                "lu" | "cv" if loads => Some(false),
                "wb" | "wt" if stores => Some(false),
                _ => None,
            }),
            priority: one(modifiers, loads || stores, &priorities),
            prefetch: one(modifiers, loads, &["L2::64B", "L2::128B", "L2::256B"]),
        }
    }

    fn any(&self) -> bool {
        self.constant || self.operation.is_some() || self.priority || self.prefetch
    }

    /// Whether the ISA has them together, in this memory and with this order: an operation is only written on weak accesses,
    /// and a priority is not written on volatile ones.
    fn fit(&self, space: Space, order: Option<Order>, is_volatile: bool) -> bool {
        let is_weak = matches!(order, None | Some(Order::Weak));
        let cached = matches!(space, Space::Global | Space::Generic);
        (!self.constant || (space == Space::Global && order.is_none() && self.operation != Some(false)))
            && (self.operation.is_none() || (is_weak && !self.priority))
            && (!self.priority || (cached && !is_volatile))
            && (!self.prefetch || cached)
    }
}

/// How a modifier orders an instruction, if the instruction has it, and whether a scope must follow.
fn order(opcode: &str, name: &str) -> Option<(Order, bool)> {
    let accesses = matches!(opcode, "ld" | "st");
    Some(match (opcode, name) {
        ("ld" | "st", "weak") => (Order::Weak, false),
        ("ld" | "st", "volatile") => (Order::Relaxed, false),
        ("ld" | "st" | "atom" | "red", "relaxed") => (Order::Relaxed, accesses),
        ("ld" | "atom", "acquire") => (Order::Acquire, accesses),
        ("st" | "atom" | "red", "release") => (Order::Release, accesses),
        ("atom", "acq_rel") => (Order::AcquireRelease, false),
        _ => return None,
    })
}

/// The class of an access, by the memory that serves it.
fn class(space: Space, global: InstructionClass, shared: InstructionClass) -> InstructionClass {
    match space {
        Space::Generic | Space::Global => global,
        Space::Shared => shared,
        Space::Local => InstructionClass::Local,
        Space::Parameter | Space::Entry | Space::Constant => InstructionClass::Constant,
    }
}

/// What loads, stores and atomics have in common.
pub(crate) struct Access {
    pub(crate) space: Space,
    pub(crate) order: Order,
    pub(crate) scope: Scope,
    pub(crate) elements: usize,
}

impl Lowerer<'_> {
    pub(crate) fn access(&self, modifiers: &mut Modifiers<'_>, statement: &Statement) -> Result<Access, PtxError> {
        let opcode = statement.opcode.as_str();
        let atomic = matches!(opcode, "atom" | "red");
        let mapped = matches!(opcode, "ld" | "st") && modifiers.take("mmio");
        let ordered = modifiers.take_map(|name| order(opcode, name));
        let scope = modifiers.take_map(scope);
        let space = modifiers.take_map(Space::from_name).unwrap_or(Space::Generic);
        let written = |modifier: &str| statement.modifiers.iter().any(|name| name == modifier);
        let strong = ordered.is_some_and(|(order, _)| order != Order::Weak);
        let hints = Hints::take(opcode, modifiers);
        let elements = modifiers.take_map(|name| match name {
            "v2" => Some(2),
            "v4" => Some(4),
            "v8" => Some(8),
            _ => None,
        });
        let scope_fits = atomic || scope.is_some() == ordered.is_some_and(|(_, scoped)| scoped);
        let space_fits = match opcode {
            "ldu" => matches!(space, Space::Generic | Space::Global),
            _ => !strong || matches!(space, Space::Generic | Space::Global | Space::Shared),
        };
        // Device registers are read and written whole, and nothing about them is cached.
        let mapped_fits = !mapped
            || (ordered == Some((Order::Relaxed, true))
                && written("sys")
                && matches!(space, Space::Generic | Space::Global)
                && elements.is_none()
                && !hints.any());
        let hints_fit = hints.fit(space, ordered.map(|(order, _)| order), written("volatile"));
        if !(scope_fits && space_fits && mapped_fits && hints_fit) {
            return Err(self.error(statement, "this order, scope, space and these hints do not go together"));
        }
        let default = if atomic { Order::Relaxed } else { Order::Weak };
        Ok(Access {
            space,
            order: ordered.map_or(default, |(order, _)| order),
            scope: scope.unwrap_or(Scope::Device),
            elements: elements.unwrap_or(1),
        })
    }

    fn elements<'operand>(
        &self,
        operand: &'operand Operand,
        count: usize,
        statement: &Statement,
    ) -> Result<Vec<&'operand Operand>, PtxError> {
        let found = match operand {
            Operand::Vector(parts) => parts.iter().collect(),
            single => vec![single],
        };
        if found.len() != count {
            return Err(self.error(statement, format!("expected {count} registers, found {}", found.len())));
        }
        Ok(found)
    }

    fn check_size(&self, statement: &Statement, kind: ScalarType, access: &Access) -> Result<(), PtxError> {
        let bytes = kind.bytes() as usize * access.elements;
        // Eight words or four double words are the most that any device moves at once, and only in global memory.
        let fits = match bytes {
            0..=16 => access.elements < 8,
            32 => access.space == Space::Global && statement.opcode != "ldu",
            _ => false,
        };
        if fits { Ok(()) } else { Err(self.unsupported(statement)) }
    }

    /// A parameter that is named is not left by the offset: what lies behind it is another one.
    fn check_parameter(&self, statement: &Statement, operand: &Operand, bytes: usize) -> Result<(), PtxError> {
        let Operand::Address(Some(base), offset) = operand else { return Ok(()) };
        let Operand::Variable(id) = base.as_ref() else { return Ok(()) };
        let variable = &self.source.variables[id.0 as usize];
        let end = u64::try_from(*offset).ok().and_then(|offset| offset.checked_add(bytes as u64));
        if variable.space != Space::Parameter || end.is_some_and(|end| end <= variable.size) {
            return Ok(());
        }
        let message =
            format!("{bytes} bytes at {offset} are not in the {} bytes of '{}'", variable.size, variable.name);
        Err(self.error(statement, message))
    }

    pub(crate) fn load(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        let access = self.access(&mut modifiers, statement)?;
        let kind = self.kind(&mut modifiers, statement, |kind| kind != ScalarType::Predicate)?;
        self.finish(&modifiers, statement)?;
        self.check_size(statement, kind, &access)?;
        self.operand_count(statement, 2)?;
        let mut targets = Vec::new();
        for element in self.elements(&statement.operands[0], access.elements, statement)? {
            targets.push(match element {
                Operand::Sink => None,
                element => Some(self.wide_target(element, kind, statement)?),
            });
        }
        self.check_parameter(statement, &statement.operands[1], kind.bytes() as usize * access.elements)?;
        let address = self.address(&statement.operands[1], access.space, statement)?;
        let class = class(access.space, InstructionClass::LoadGlobal, InstructionClass::LoadShared);
        let Access { space, order, scope, .. } = access;
        let operation = Operation::Load { space, kind, targets, address, order, scope };
        self.push(statement, class, operation)
    }

    pub(crate) fn store(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        let access = self.access(&mut modifiers, statement)?;
        let kind = self.kind(&mut modifiers, statement, |kind| kind != ScalarType::Predicate)?;
        self.finish(&modifiers, statement)?;
        self.check_size(statement, kind, &access)?;
        let only_read = || self.error(statement, "this memory is only read");
        if access.space == Space::Constant || statement.modifiers.iter().any(|name| name == "param::entry") {
            return Err(only_read());
        }
        self.operand_count(statement, 2)?;
        let base = match &statement.operands[0] {
            Operand::Address(Some(base), _) => base.as_ref(),
            _ => &Operand::Sink,
        };
        if access.space == Space::Parameter && self.is_kernel_parameter(base) {
            return Err(only_read());
        }
        self.check_parameter(statement, &statement.operands[0], kind.bytes() as usize * access.elements)?;
        let address = self.address(&statement.operands[0], access.space, statement)?;
        let mut values = Vec::new();
        for element in self.elements(&statement.operands[1], access.elements, statement)? {
            values.push(self.wide_operand(element, kind, statement)?);
        }
        let class = class(access.space, InstructionClass::StoreGlobal, InstructionClass::StoreShared);
        let Access { space, order, scope, .. } = access;
        let operation = Operation::Store { space, kind, values, address, order, scope };
        self.push(statement, class, operation)
    }

    /// Whether an operand names one of the kernel's own parameters.
    pub(crate) fn is_kernel_parameter(&self, operand: &Operand) -> bool {
        let Operand::Variable(id) = operand else { return false };
        self.source.kernel && (id.0 as usize) < self.source.parameters.len()
    }

    /// `membar`, `fence`
    pub(crate) fn fence(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        let old = statement.opcode == "membar";
        if !old {
            modifiers.take_map(|name| matches!(name, "sc" | "acq_rel" | "acquire" | "release").then_some(()));
        }
        let scope = modifiers.take_map(|name| match name {
            "gl" => old.then_some(Scope::Device),
            "gpu" | "cluster" if old => None,
            _ => scope(name),
        });
        self.finish(&modifiers, statement)?;
        let scope = scope.ok_or_else(|| self.unsupported(statement))?;
        self.operand_count(statement, 0)?;
        self.push(statement, InstructionClass::Synchronisation, Operation::Fence { scope })
    }

    /// Hints that change no result: they are checked and then left out.
    pub(crate) fn hint(&mut self, statement: &Statement) -> Result<(), PtxError> {
        let mut modifiers = Modifiers::new(statement);
        let one = |modifiers: &mut Modifiers<'_>, names: &[&str]| {
            modifiers.take_map(|name| names.contains(&name).then_some(())).is_some()
        };
        let opcode = statement.opcode.as_str();
        let (operands, known) = match opcode {
            "prefetch" => {
                let global = modifiers.take("global");
                if !global {
                    modifiers.take("local");
                }
                let level = one(&mut modifiers, &["L1", "L2"]);
                (1, level || (global && one(&mut modifiers, &["L2::evict_last", "L2::evict_normal"])))
            }
            "prefetchu" => (1, modifiers.take("L1")),
            "applypriority" => {
                modifiers.take("global");
                (2, modifiers.take("L2::evict_normal"))
            }
            "nanosleep" => (1, modifiers.take("u32")),
            _ => {
                modifiers.take("mask");
                (1, true)
            }
        };
        self.finish(&modifiers, statement)?;
        if !known {
            return Err(self.unsupported(statement));
        }
        self.operand_count(statement, operands)?;
        let fits = match opcode {
            "nanosleep" => self.operand(&statement.operands[0], ScalarType::U32, statement).is_ok(),
            "pmevent" => matches!(statement.operands[0], Operand::Integer(_)),
            _ => matches!(statement.operands[0], Operand::Address(..)),
        };
        if !fits {
            return Err(self.unsupported(statement));
        }
        self.push(statement, InstructionClass::Move, Operation::Nothing)
    }
}

/// The threads that an order or a fence reaches. All that lie beyond the block are one here.
pub(crate) fn scope(name: &str) -> Option<Scope> {
    match name {
        "cta" => Some(Scope::Block),
        "cluster" | "gpu" | "sys" => Some(Scope::Device),
        _ => None,
    }
}
