//! What can be typed.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use fracas::geometry::Plane;
use fracas::vacd::Fit;
use glam::DVec3;

use crate::pattern::PatternKind;

/// Break solid things in real time and find every contact between the pieces.
#[derive(Parser)]
#[command(name = "fracas", version, arg_required_else_help = true, max_term_width = 100)]
#[command(after_help = "Exit codes: 0 done, 1 a check failed, 2 bad input or usage, 130 interrupted.")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Say more about what happens, on standard error; twice or three times for still more.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,

    /// No progress bars and no tables, only errors (and what --json asks for).
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    /// Run a scene; write its recording, a report and a picture of its last frame.
    Run(RunArguments),
    /// Run benchmark suites or scenes and print their figures, the papers' beside ours.
    Bench(BenchArguments),
    /// Draw a recording or a mesh file.
    Render(RenderArguments),
    /// Write a recording as a file for other programs.
    Export(ExportArguments),
    /// Show a recording or a mesh file in the browser.
    View(ViewArguments),
    /// Play a scene live in the browser: throw balls at things, break them, drag them about.
    Play(PlayArguments),
    /// Report what is right and wrong with a mesh file; repair or convert it.
    Mesh(MeshArguments),
    /// Divide a solid into convexes that fit it tightly.
    Decompose(DecomposeArguments),
    /// Break a solid into pieces.
    Fracture(FractureArguments),
    /// Divide a solid into voxels.
    Voxelize(VoxelizeArguments),
    /// Find the contacts between two solids.
    Collide(CollideArguments),
    /// Find what touches while a mesh moves from one frame to another, self-contacts included.
    Ccd(CcdArguments),
    /// Answer files of continuous collision queries and compare with their truth.
    CcdQueries(CcdQueriesArguments),
    /// Print the version, the backends, the devices and the kernels.
    Info(InfoArguments),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Print the manual page, or write one for each command into a folder.
    Man {
        /// The folder.
        #[arg(long, value_name = "DIR")]
        out: Option<PathBuf>,
    },
}

#[derive(Args)]
pub(crate) struct RunArguments {
    /// A scene file, or the name of a scene in the folder `scenes`.
    #[arg(value_name = "SCENE")]
    pub(crate) scene: PathBuf,

    /// How many frames to run, in place of the scene's own number.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) frames: Option<u32>,

    /// The finest level of voxels, 3 to 10, where the scene asks for a finer one: each level less is about a quarter of the
    /// work, and another result.
    #[arg(long, value_name = "L", value_parser = clap::value_parser!(u32).range(3..=10))]
    pub(crate) level: Option<u32>,

    /// What to compute on.
    #[arg(long, value_enum, default_value_t = Backend::Cpu)]
    pub(crate) backend: Backend,

    /// How many threads to use; the result does not depend on it [default: one for each core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,

    /// The folder to write to [default: out/SCENE].
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Write the figures as JSON to a file, or to standard output with `-`.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    /// Fail with exit code 1 unless the run has this hash.
    #[arg(long, value_name = "H")]
    pub(crate) validate_hash: Option<Hash>,
}

#[derive(Args)]
pub(crate) struct BenchArguments {
    /// Suites or scenes to run [default: every suite].
    #[arg(value_name = "SUITE|SCENE")]
    pub(crate) what: Vec<String>,

    /// What to compute on, where there is a choice: scenes of voxels, and the suite svo.
    #[arg(long, value_enum, default_value_t = Backend::Cpu)]
    pub(crate) backend: Backend,

    /// A folder for a report, `report.html`, the suites' charts, as SVG, and the rows, as `bench.json`.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Write the rows as JSON to a file, or to standard output with `-`.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct RenderArguments {
    /// A recording, or a mesh file (OBJ, PLY, STL, OFF, glTF, GLB).
    #[arg(value_name = "RECORDING|MESH")]
    pub(crate) input: PathBuf,

    /// Which frame of a recording to draw, counted from 0 [default: the last].
    #[arg(long, value_name = "N", conflicts_with = "all")]
    pub(crate) frame: Option<u32>,

    /// Draw every frame, as one animated picture (APNG), which browsers play.
    #[arg(long)]
    pub(crate) all: bool,

    /// With --all: a picture for each frame instead; FILE.png becomes FILE-0000.png, FILE-0001.png, ...
    #[arg(long, requires = "all")]
    pub(crate) separate: bool,

    /// With --all: only every so many frames.
    #[arg(long, value_name = "N", default_value_t = 1, requires = "all", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) every: u32,

    /// The size of the picture in pixels.
    #[arg(long, value_name = "WxH", default_value = "1280x720")]
    pub(crate) size: Size,

    /// Move the pieces apart from their common centre: 0 not at all, 1 to twice the distance.
    #[arg(long, value_name = "X", default_value_t = 0.0, value_parser = explode_factor)]
    pub(crate) explode: f64,

    /// What the colours tell apart.
    #[arg(long, value_enum, default_value_t = ColorBy::Body)]
    pub(crate) color: ColorBy,

    /// Cut away what is beyond a plane: the points p with n·p > d. What is closed is closed again at the cut. May be given
    /// several times.
    #[arg(long, value_name = "NX,NY,NZ,D", value_parser = plane, allow_hyphen_values = true)]
    pub(crate) cut: Vec<Plane>,

    /// With --color distance, for mesh files: the solid that depth is told from [default: each piece itself].
    #[arg(long, value_name = "MESH")]
    pub(crate) original: Option<PathBuf>,

    /// The picture to write.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,

    /// Write the names of the pictures as JSON to a file, or to standard output with `-`.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

/// Where a page is served, on this machine only.
#[derive(Args)]
pub(crate) struct ServeArguments {
    /// The port to listen on, of 127.0.0.1 [default: any that is free].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) port: Option<u16>,

    /// Only print the address, and open no browser.
    #[arg(long)]
    pub(crate) no_open: bool,

    /// Whether standard output is taken by something else.
    #[arg(skip)]
    pub(crate) on_standard_error: bool,
}

/// Looking at what a command made.
#[derive(Args)]
pub(crate) struct LookArguments {
    /// Show what was made in the browser, until Ctrl-C.
    #[arg(long)]
    view: bool,

    /// With --view: the port to listen on, of 127.0.0.1 [default: any that is free].
    #[arg(long, value_name = "N", requires = "view", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,

    /// With --view: only print the address, and open no browser.
    #[arg(long, requires = "view")]
    no_open: bool,
}

impl LookArguments {
    /// Where it is to be shown, if it is; `json` is where the command writes its figures.
    pub(crate) fn serve(&self, json: Option<&Path>) -> Option<ServeArguments> {
        let on_standard_error = json == Some(Path::new("-"));
        self.view.then_some(ServeArguments { port: self.port, no_open: self.no_open, on_standard_error })
    }
}

#[derive(Args)]
pub(crate) struct ViewArguments {
    /// A recording, or a mesh file (OBJ, PLY, STL, OFF, glTF, GLB).
    #[arg(value_name = "RECORDING|MESH")]
    pub(crate) input: PathBuf,

    #[command(flatten)]
    pub(crate) serve: ServeArguments,
}

#[derive(Args)]
pub(crate) struct PlayArguments {
    /// A scene file, or the name of a scene in the folder `scenes`.
    #[arg(value_name = "SCENE")]
    pub(crate) scene: PathBuf,

    /// The finest level of voxels, 3 to 10, where the scene asks for a finer one.
    #[arg(long, value_name = "L", value_parser = clap::value_parser!(u32).range(3..=10))]
    pub(crate) level: Option<u32>,

    /// What to compute on.
    #[arg(long, value_enum, default_value_t = Backend::Cpu)]
    pub(crate) backend: Backend,

    /// How many threads to use [default: one for each core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,

    #[command(flatten)]
    pub(crate) serve: ServeArguments,
}

#[derive(Args)]
pub(crate) struct ExportArguments {
    /// A recording, such as out/first_light/recording.fracas.
    #[arg(value_name = "RECORDING")]
    pub(crate) input: PathBuf,

    /// What to write.
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) to: FileFormat,

    /// How much room the forms of bodies that deform may take in an animated file. Where all would take more, only some
    /// frames have them, and it is said how far off the others are.
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..=3000))]
    pub(crate) form_megabytes: u32,

    /// How many threads to use; the result does not depend on it [default: one for each core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,

    /// The file to write, in the format that --to says; the folder, for obj and ply.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,

    /// Write what was made as JSON to a file, or to standard output with `-`.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct MeshArguments {
    /// A mesh file (OBJ, PLY, STL, OFF, glTF, GLB).
    #[arg(value_name = "MESH")]
    pub(crate) input: PathBuf,

    /// Also look for triangles that pass through each other.
    #[arg(long)]
    pub(crate) self_intersections: bool,

    /// Weld vertices, drop degenerate and duplicate faces, orient, and fill small holes; say what was changed.
    #[arg(long)]
    pub(crate) repair: bool,

    /// Write the mesh, in the format that the name ends in.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Write the report as JSON to a file, or to standard output with `-`.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct DecomposeArguments {
    /// A mesh file (OBJ, PLY, STL, OFF, glTF, GLB) with a closed surface.
    #[arg(value_name = "MESH")]
    pub(crate) input: PathBuf,

    /// A file of nodes, one on each line as `x y z`; `#` begins a comment. Each node gets the part of the mesh that is
    /// nearest to it.
    #[arg(long, value_name = "FILE", conflicts_with = "auto")]
    pub(crate) nodes: Option<PathBuf>,

    /// Divide it into up to so many cells, by the planes that make the convexes tightest.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub(crate) auto: Option<u32>,

    /// How convexes are fitted: aabb, dop14, dop26, or hull:N with N vertices.
    #[arg(long, value_name = "FIT", default_value = "hull:20")]
    pub(crate) fit: Fit,

    /// Weld vertices, drop degenerate and duplicate faces, orient, and fill small holes first; say what was changed.
    #[arg(long)]
    pub(crate) repair: bool,

    /// Refuse a mesh with triangles that pass through each other.
    #[arg(long)]
    pub(crate) self_intersections: bool,

    /// Write the parts of the mesh itself, not the convexes around them.
    #[arg(long)]
    pub(crate) visual: bool,

    /// What a cubic metre weighs, in kg: for the masses that the GLB file tells of each piece.
    #[arg(long, value_name = "D", default_value_t = 1000.0, value_parser = positive, allow_hyphen_values = true)]
    pub(crate) density: f64,

    /// The GLB file to write, with a node for each convex.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,

    /// Write the figures as JSON to a file, or to standard output with `-`.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) look: LookArguments,
}

#[derive(Args)]
pub(crate) struct FractureArguments {
    /// A mesh file (OBJ, PLY, STL, OFF, glTF, GLB) with a closed surface.
    #[arg(value_name = "MESH")]
    pub(crate) input: PathBuf,

    /// How to break it.
    #[arg(long, value_enum, default_value_t = Method::Vacd)]
    pub(crate) method: Method,

    /// How the breaks run: voronoi:N with N cells, web, or spheres:N with N cells.
    #[arg(long, value_name = "PATTERN", default_value = "voronoi:50")]
    pub(crate) pattern: PatternKind,

    /// Where it is hit [default: the middle of the mesh's box].
    #[arg(long, value_name = "X,Y,Z", value_parser = point, allow_hyphen_values = true)]
    pub(crate) impact: Option<DVec3>,

    /// How far from the impact it breaks; what is farther stays whole [default: everywhere].
    #[arg(long, value_name = "R", value_parser = positive, allow_hyphen_values = true)]
    pub(crate) radius: Option<f64>,

    /// With --method svo: how often the cube around the mesh is halved, 3 to 10 [default: 8].
    #[arg(long, value_name = "L", value_parser = clap::value_parser!(u32).range(3..=10))]
    pub(crate) level: Option<u32>,

    /// With --method svo: how many levels above the finest it is looked at what hangs together, 0 to 3; coarser is
    /// faster and closes gaps [default: 0].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=3))]
    pub(crate) coarser_islands: Option<u32>,

    /// With --method svo: what to compute on; the pieces do not depend on it.
    #[arg(long, value_enum, default_value_t = Backend::Cpu)]
    pub(crate) backend: Backend,

    /// With --method tet: how many cells of tetrahedra there are along the longest side, 2 to 400.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=400))]
    pub(crate) cells: Option<u32>,

    /// Chooses the random numbers of the pattern.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,

    /// Divide the mesh into convexes by up to so many cells first [default: 1 to 12, more for a large mesh and a
    /// pattern of many cells].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096), conflicts_with = "nodes")]
    pub(crate) auto: Option<u32>,

    /// Divide it around the nodes in a file instead, one on each line as `x y z`; `#` begins a comment.
    #[arg(long, value_name = "FILE")]
    pub(crate) nodes: Option<PathBuf>,

    /// How convexes are fitted: aabb, dop14, dop26, or hull:N with N vertices [default: dop14].
    #[arg(long, value_name = "FIT")]
    pub(crate) fit: Option<Fit>,

    /// Give breaks bumps of this height, and so many to a unit of length [default: one for each five heights].
    #[arg(long, value_name = "AMPLITUDE[:FREQUENCY]", allow_hyphen_values = true)]
    pub(crate) roughness: Option<Bumps>,

    /// Join the cells of the pattern into so many pieces, which need not be convex.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) colors: Option<u32>,

    /// Weld vertices, drop degenerate and duplicate faces, orient, and fill small holes first; say what was changed.
    #[arg(long)]
    pub(crate) repair: bool,

    /// How many threads to use; the result does not depend on it [default: one for each core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,

    /// What a cubic metre weighs, in kg: for the masses that the GLB file tells of each piece.
    #[arg(long, value_name = "D", default_value_t = 1000.0, value_parser = positive, allow_hyphen_values = true)]
    pub(crate) density: f64,

    /// The GLB file to write, with a node for each piece.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: PathBuf,

    /// Write the figures as JSON to a file, or to standard output with `-`.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) look: LookArguments,
}

#[derive(Args)]
pub(crate) struct VoxelizeArguments {
    /// A mesh file (OBJ, PLY, STL, OFF, glTF, GLB).
    #[arg(value_name = "MESH")]
    pub(crate) input: PathBuf,

    /// How often the cube around the mesh is halved, 3 to 10: 10 is 1024 voxels along an edge.
    #[arg(long, value_name = "L", default_value_t = 8, value_parser = clap::value_parser!(u32).range(3..=10))]
    pub(crate) level: u32,

    /// What to build the octree on; it does not depend on it.
    #[arg(long, value_enum, default_value_t = Backend::Cpu)]
    pub(crate) backend: Backend,

    /// Write the faces of the voxels as a mesh, in the format that the name ends in.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Write a smooth surface instead of the voxels' faces.
    #[arg(long, requires = "out")]
    pub(crate) smooth: bool,

    /// Weld vertices, drop degenerate and duplicate faces, orient, and fill small holes first; say what was changed.
    #[arg(long)]
    pub(crate) repair: bool,

    /// How many threads to use; the result does not depend on it [default: one for each core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,

    /// Write the figures as JSON to a file, or to standard output with `-`.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct CollideArguments {
    /// A mesh file (OBJ, PLY, STL, OFF, glTF, GLB).
    #[arg(value_name = "A")]
    pub(crate) first: PathBuf,

    /// Another one, in the same coordinates.
    #[arg(value_name = "B")]
    pub(crate) second: PathBuf,

    /// How to find contacts.
    #[arg(long, value_enum, default_value_t = CollideMethod::Svo)]
    pub(crate) method: CollideMethod,

    /// With --method svo: how often the cube around each mesh is halved, 3 to 10.
    #[arg(long, value_name = "L", default_value_t = 8, value_parser = clap::value_parser!(u32).range(3..=10))]
    pub(crate) level: u32,

    /// With --method sdf: how many cells of tetrahedra there are along the longest side of each mesh, 2 to 400.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=400))]
    pub(crate) cells: Option<u32>,

    /// With --method sdf: every point in contact, instead of as few as suffice.
    #[arg(long)]
    pub(crate) all: bool,

    /// With --method svo: what to compute on; the contacts do not depend on it.
    #[arg(long, value_enum, default_value_t = Backend::Cpu)]
    pub(crate) backend: Backend,

    /// How many threads to use; the result does not depend on it [default: one for each core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,

    /// Write the contacts as JSON to a file, or to standard output with `-`.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct CcdArguments {
    /// A mesh file (OBJ, PLY, STL, OFF, glTF, GLB): where the vertices are at the start of the step. Vertices and faces
    /// have the numbers of the file, counted from 0; a face of n corners counts as n - 2 triangles.
    #[arg(value_name = "FRAME0")]
    pub(crate) first_frame: PathBuf,

    /// The same mesh at the end of the step; vertices move along straight lines.
    #[arg(value_name = "FRAME1")]
    pub(crate) second_frame: PathBuf,

    /// Compare every two features instead of asking the tree: slow, and the same contacts.
    #[arg(long)]
    pub(crate) brute_force: bool,

    /// Find all contacts; this is the default.
    #[arg(long, conflicts_with = "first")]
    pub(crate) all: bool,

    /// Find the earliest contact alone, which is faster.
    #[arg(long)]
    pub(crate) first: bool,

    /// Things this near are in contact [default: those that touch].
    #[arg(long, value_name = "D", value_parser = positive, allow_hyphen_values = true)]
    pub(crate) minimum_separation: Option<f64>,

    /// Which parts are not searched for contacts with themselves; none are with a minimum separation.
    #[arg(long, value_enum, default_value_t = CullingKind::Contours)]
    pub(crate) culling: CullingKind,

    /// Take vertices that are at the same place in both frames for one, the first of them. STL and glTF, which keep copies
    /// of vertices, are always read so.
    #[arg(long)]
    pub(crate) weld: bool,

    /// How many threads to use; the result does not depend on it [default: one for each core].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub(crate) threads: Option<u16>,

    /// Write the contacts as JSON to a file, or to standard output with `-`.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

impl CcdArguments {
    /// Whether the earliest contact is enough.
    pub(crate) fn is_first_alone(&self) -> bool {
        self.first && !self.all
    }
}

#[derive(Args)]
pub(crate) struct CcdQueriesArguments {
    /// Files of the public query format: for each query eight rows of x, y and z as numerator and denominator, and the
    /// truth; a vertex and the corners of a face, or the ends of two edges, at the start and then at the end of the step.
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,

    /// What the queries are [default: as the nearest of a file's and its folders' names says that has `vertex-face`, `vf`,
    /// `edge-edge` or `ee` in it].
    #[arg(long, value_enum)]
    pub(crate) kind: Option<QueryKind>,

    /// Write the figures as JSON to a file, or to standard output with `-`.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct InfoArguments {
    /// Write it as JSON to a file, or to standard output with `-`.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Backend {
    /// All cores of this machine.
    Cpu,
    /// An NVIDIA GPU.
    Cuda,
    /// An NVIDIA GPU if there is one, else all cores.
    Auto,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColorBy {
    /// Each body by its material's colour, or by its number where that has none; pieces as their whole.
    Body,
    /// Each piece by its own number.
    Piece,
    /// Each triangle by its material number.
    Material,
    /// Each part that hangs together by a number of its own.
    Island,
    /// How deep points are below the surface: dark on it, bright at the deepest. To be seen on breaks and cuts.
    Distance,
    /// How deep points are in other bodies or the ground: yellow where they touch, red where they overlap by a fiftieth of
    /// the size of a body.
    ContactDepth,
    /// Stress, where a file holds it.
    Stress,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FileFormat {
    /// One animated file of glTF 2.0, for engines, browsers and Blender.
    Glb,
    /// One stage of USD as text, with time samples.
    Usd,
    /// A folder with an OBJ file for each frame.
    Obj,
    /// A folder with a PLY file for each frame.
    Ply,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Method {
    /// Convexes around parts of the mesh, cut by the pattern.
    Vacd,
    /// Voxels.
    Svo,
    /// Tetrahedra.
    Tet,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CollideMethod {
    /// Distance fields.
    Sdf,
    /// Voxels.
    Svo,
    /// Rays.
    Ray,
    /// Convex solids.
    Convex,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CullingKind {
    /// Those whose contour never turns back by half a turn: no contact is missed.
    Contours,
    /// Those that the dual cones of [Heo10] let through: may miss contacts.
    DualCones,
    /// All are searched.
    Off,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum QueryKind {
    /// A vertex against a face.
    Vf,
    /// An edge against an edge.
    Ee,
}

/// How high bumps are, and how many there are to a unit of length.
#[derive(Clone, Copy)]
pub(crate) struct Bumps {
    pub(crate) amplitude: f64,
    pub(crate) frequency: f64,
}

impl FromStr for Bumps {
    type Err = String;

    fn from_str(text: &str) -> Result<Bumps, String> {
        let (amplitude, frequency) = text.split_once(':').map_or((text, None), |(one, other)| (one, Some(other)));
        let amplitude = positive(amplitude)?;
        // The bumps of stone: five times as long as they are high.
        let frequency = frequency.map_or(Ok(0.2 / amplitude), positive)?;
        Ok(Bumps { amplitude, frequency })
    }
}

/// A width and a height.
#[derive(Clone, Copy)]
pub(crate) struct Size {
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Size, String> {
        let parse = || {
            let (width, height) = text.split_once('x')?;
            Some(Size { width: width.parse().ok()?, height: height.parse().ok()? })
        };
        parse().ok_or_else(|| "expected a width and a height such as 1280x720".to_owned())
    }
}

/// A run's hash in hexadecimal.
#[derive(Clone, Copy)]
pub(crate) struct Hash(pub(crate) u64);

impl FromStr for Hash {
    type Err = String;

    fn from_str(text: &str) -> Result<Hash, String> {
        let digits = text.strip_prefix("0x").unwrap_or(text);
        u64::from_str_radix(digits, 16).map(Hash).map_err(|_| "expected up to 16 hexadecimal digits".to_owned())
    }
}

fn explode_factor(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(factor) if (0.0..=1000.0).contains(&factor) => Ok(factor),
        _ => Err("expected a number from 0 to 1000".to_owned()),
    }
}

fn positive(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(number) if number > 0.0 && f64::is_finite(number) => Ok(number),
        _ => Err("expected a positive number".to_owned()),
    }
}

fn plane(text: &str) -> Result<Plane, String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|number| number.trim().parse()).collect();
    let plane = match numbers.as_deref() {
        Ok(&[x, y, z, offset]) => {
            let length = DVec3::new(x, y, z).length();
            Some(Plane { normal: DVec3::new(x, y, z) / length, offset: offset / length })
        }
        _ => None,
    };
    let plane = plane.filter(|plane| plane.normal.is_finite() && plane.offset.is_finite());
    plane.ok_or_else(|| "expected a direction and a distance, such as 0,0,1,0.5".to_owned())
}

fn point(text: &str) -> Result<DVec3, String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|number| number.trim().parse()).collect();
    match numbers.as_deref() {
        Ok(&[x, y, z]) if DVec3::new(x, y, z).is_finite() => Ok(DVec3::new(x, y, z)),
        _ => Err("expected three numbers such as 0,1.5,-2".to_owned()),
    }
}
