//! Takes out what is left of walls too thin for the lattice.

use super::manifold::faces_on_surface;
use super::stuff::Stuffed;
use crate::geometry::DisjointSets;

/// Drops tetrahedra with all corners on the surface that do not hang together by faces with one that reaches inside.
pub(super) fn drop_crumbs(stuffed: &mut Stuffed) {
    let is_within = |tet: &[u32; 4]| tet.iter().any(|&vertex| !stuffed.is_outer[vertex as usize]);
    if stuffed.mesh.tets.iter().all(is_within) {
        return;
    }
    let mut sets = DisjointSets::new(stuffed.mesh.tets.len());
    for pair in faces_on_surface(stuffed).windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        sets.join(pair[0].1, pair[1].1);
    }
    let mut is_kept = vec![false; stuffed.mesh.tets.len()];
    for (number, _) in stuffed.mesh.tets.iter().enumerate().filter(|(_, tet)| is_within(tet)) {
        is_kept[number] = true;
        is_kept[sets.find(number as u32) as usize] = true;
    }
    let mut number = 0;
    stuffed.mesh.tets.retain(|_| {
        number += 1;
        is_kept[number as usize - 1] || is_kept[sets.find(number - 1) as usize]
    });
}
