//! Memory that is cleared.

use fracas_kernels::arguments::fill::Zero;

use super::gpu::in_every_way;

#[test]
fn lists_become_zeros_and_their_neighbours_stay() {
    in_every_way(|gpu| {
        for size in gpu.sizes() {
            let list = gpu.upload_mut(&vec![[7u64, 8]; size + 2]);
            gpu.launch(&Zero { words: list.part(1..size as u64 + 1).words() });
            let mut expected = vec![[0, 0]; size + 2];
            (expected[0], expected[size + 1]) = ([7, 8], [7, 8]);
            gpu.expect(list, &expected);
        }
    });
}
