//! Reads a mesh file, says what is wrong with it, repairs it and writes it: `mend_a_mesh broken.stl mended.glb`.

use fracas::geometry::{RepairOptions, ReportOptions, io, mesh_report, repair};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, output] = arguments.as_slice() else {
        return Err("usage: mend_a_mesh INPUT OUTPUT".into());
    };
    let mesh = io::read_tri_mesh(input)?;
    let report = mesh_report(&mesh, &ReportOptions { self_intersections: true });
    println!("{report}");
    if let Some(problem) = report.solid_problem() {
        println!("not a solid: {problem}");
    }
    let mended = repair(mesh, &RepairOptions::default());
    for change in &mended.changes {
        println!("repair: {change}");
    }
    io::write_tri_mesh(output, &mended.mesh)?;
    Ok(())
}
