//! Where the lanes of a warp meet again after a branch: the immediate post-dominators of the flow graph.
//!
//! A block that leaves early (a return in the middle, a trap of a failed check) has no part in this: its lanes are gone,
//! and the others still meet where they would have met. So the graph is cut to what can reach one main exit; only the
//! branches inside of a part that leaves early are solved in the whole graph.

/// How control leaves a basic block for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Leave {
    Never,
    Return,
    Trap,
}

/// For each block the block where its successors meet, if there is one.
pub(crate) fn reconvergence(successors: &[Vec<usize>], leaves: &[Leave]) -> Vec<Option<usize>> {
    let count = successors.len();
    let mut predecessors = vec![Vec::new(); count];
    for (block, next) in successors.iter().enumerate() {
        for &successor in next {
            predecessors[successor].push(block);
        }
    }
    let mut meets = vec![None; count];
    let main = main_exit(&predecessors, leaves);
    let mut in_main = vec![false; count];
    if let Some(exit) = main {
        in_main = reaching(&predecessors, exit);
        let edges: Vec<Vec<usize>> =
            successors.iter().map(|next| next.iter().copied().filter(|&to| in_main[to]).collect()).collect();
        let parents = dominators(&edges, &predecessors, &[exit]);
        for block in (0..count).filter(|&block| in_main[block]) {
            meets[block] = parents[block];
        }
    }
    let exits: Vec<usize> = (0..count).filter(|&block| leaves[block] != Leave::Never).collect();
    let parents = dominators(successors, &predecessors, &exits);
    for block in (0..count).filter(|&block| !in_main[block]) {
        meets[block] = parents[block];
    }
    meets
}

/// The exit that most blocks reach: a return before a trap, and the last of equals.
fn main_exit(predecessors: &[Vec<usize>], leaves: &[Leave]) -> Option<usize> {
    (0..leaves.len()).filter(|&block| leaves[block] != Leave::Never).max_by_key(|&block| {
        let reached = reaching(predecessors, block).iter().filter(|&&reaches| reaches).count();
        (leaves[block] == Leave::Return, reached, block)
    })
}

fn reaching(predecessors: &[Vec<usize>], exit: usize) -> Vec<bool> {
    let mut found = vec![false; predecessors.len()];
    let mut open = vec![exit];
    while let Some(block) = open.pop() {
        if !std::mem::replace(&mut found[block], true) {
            open.extend(&predecessors[block]);
        }
    }
    found
}

/// Immediate dominators of the reversed graph, by the iteration of Cooper, Harvey and Kennedy. A virtual block stands
/// behind all exits; a block whose dominator it is has none.
fn dominators(successors: &[Vec<usize>], predecessors: &[Vec<usize>], exits: &[usize]) -> Vec<Option<usize>> {
    let count = successors.len();
    let root = count;
    let order = reverse_postorder(predecessors, exits);
    let mut place = vec![usize::MAX; count + 1];
    place[root] = 0;
    for (index, &block) in order.iter().enumerate() {
        place[block] = index + 1;
    }
    let mut parents = vec![usize::MAX; count + 1];
    parents[root] = root;
    let mut changed = true;
    while changed {
        changed = false;
        for &block in &order {
            let leaves = exits.contains(&block).then_some(root);
            let mut chosen = usize::MAX;
            for next in successors[block].iter().copied().chain(leaves) {
                if parents[next] == usize::MAX {
                    continue;
                }
                chosen = if chosen == usize::MAX { next } else { meet(&parents, &place, chosen, next) };
            }
            if chosen != parents[block] {
                parents[block] = chosen;
                changed = true;
            }
        }
    }
    (0..count).map(|block| Some(parents[block]).filter(|&parent| parent < count)).collect()
}

fn meet(parents: &[usize], place: &[usize], mut left: usize, mut right: usize) -> usize {
    while left != right {
        while place[left] > place[right] {
            left = parents[left];
        }
        while place[right] > place[left] {
            right = parents[right];
        }
    }
    left
}

/// From the exits backwards.
fn reverse_postorder(predecessors: &[Vec<usize>], exits: &[usize]) -> Vec<usize> {
    let mut seen = vec![false; predecessors.len()];
    let mut order = Vec::new();
    for &exit in exits {
        if std::mem::replace(&mut seen[exit], true) {
            continue;
        }
        let mut stack = vec![(exit, 0)];
        while let Some((block, next)) = stack.pop() {
            match predecessors[block].get(next) {
                Some(&predecessor) => {
                    stack.push((block, next + 1));
                    if !std::mem::replace(&mut seen[predecessor], true) {
                        stack.push((predecessor, 0));
                    }
                }
                None => order.push(block),
            }
        }
    }
    order.reverse();
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEVER: Leave = Leave::Never;
    const RETURN: Leave = Leave::Return;

    #[test]
    fn a_diamond_meets_below() {
        let meets = reconvergence(&[vec![1, 2], vec![3], vec![3], vec![]], &[NEVER, NEVER, NEVER, RETURN]);
        assert_eq!(meets[0], Some(3));
    }

    #[test]
    fn a_loop_meets_at_its_exit() {
        // 0 -> 1 (header) -> 2 (body) -> 1, 1 -> 3
        let meets = reconvergence(&[vec![1], vec![2, 3], vec![1], vec![]], &[NEVER, NEVER, NEVER, RETURN]);
        assert_eq!(meets[1], Some(3));
    }

    #[test]
    fn an_early_return_does_not_part_the_others() {
        // if a { if b { return } ; x } else { y } ; z
        let successors = [vec![1, 4], vec![2, 3], vec![], vec![5], vec![5], vec![]];
        let leaves = [NEVER, NEVER, RETURN, NEVER, NEVER, RETURN];
        let meets = reconvergence(&successors, &leaves);
        assert_eq!(meets[0], Some(5));
        assert_eq!(meets[1], Some(3));
    }

    #[test]
    fn a_trap_is_no_place_to_meet() {
        let successors = [vec![1, 2], vec![], vec![3, 1], vec![]];
        let meets = reconvergence(&successors, &[NEVER, Leave::Trap, NEVER, RETURN]);
        assert_eq!(meets[0], Some(2));
        assert_eq!(meets[2], Some(3));
    }

    #[test]
    fn a_short_circuit_meets_after_both() {
        // if a || b { x } ; y
        let successors = [vec![2, 1], vec![2, 3], vec![3], vec![]];
        let meets = reconvergence(&successors, &[NEVER, NEVER, NEVER, RETURN]);
        assert_eq!((meets[0], meets[1]), (Some(3), Some(3)));
    }

    #[test]
    fn a_loop_without_an_exit_meets_nowhere() {
        let meets = reconvergence(&[vec![1, 2], vec![1], vec![2]], &[NEVER; 3]);
        assert_eq!(meets, [None; 3]);
    }
}
