//! How a launch is run and what it looks for.

/// What to look for and in which order to run. The defaults find every fault but races.
///
/// ```
/// use fracas_emulator::Options;
///
/// let options = Options { races: true, shuffle: Some(7), ..Options::default() };
/// assert!(options.uninitialised);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Look for two threads that touch the same bytes with nothing that orders them. Slow: every access is recorded.
    pub races: bool,
    /// Report reads of global and shared memory that nothing wrote.
    pub uninitialised: bool,
    /// Report such reads of local memory too. Compilers copy the unused bytes of values that live on the stack (the
    /// payload of a `None`, the gaps of a struct), so a sound program can be reported.
    pub uninitialised_local: bool,
    /// Report a barrier that completes although threads of the block have left without reaching it. Devices let that
    /// pass; the language rules forbid it.
    pub exited_threads_at_barriers: bool,
    /// Run blocks and warps in an order drawn from this seed, on one thread, so that the same seed gives the same run.
    pub shuffle: Option<u64>,
    /// How many instructions a warp may execute before the launch is stopped.
    pub instruction_limit: u64,
    /// How many instructions a warp executes before the next one of its block has a turn.
    pub turn: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            races: false,
            uninitialised: true,
            uninitialised_local: false,
            exited_threads_at_barriers: true,
            shuffle: None,
            instruction_limit: 200_000_000,
            turn: 4096,
        }
    }
}
