//! The spans of [`tracing`] as ranges of a profiler: every stage and, on a device, every kernel by its name.
//!
//! With the feature `nvtx`, [`nvtx`] is a layer that makes ranges of NVIDIA's tools extension, which Nsight shows beside what
//! the device did:
//!
//! ```
//! # #[cfg(feature = "nvtx")] {
//! use tracing_subscriber::layer::SubscriberExt;
//!
//! let subscriber = tracing_subscriber::registry().with(fracas::ranges::nvtx());
//! tracing::subscriber::with_default(subscriber, || {
//!     // Run something.
//! });
//! # }
//! ```

use std::fmt::Debug;

use tracing::Subscriber;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::Context;
use tracing_subscriber::registry::LookupSpan;

/// Where ranges go. Those of a thread are nested.
pub trait Ranges {
    /// A range begins on this thread.
    fn begin(&self, name: &str);

    /// The last range that began on this thread and goes on ends.
    fn end(&self);
}

/// Makes a range of each span while a thread is in it. Its name is the span's, or its field `kernel`.
#[derive(Clone, Copy, Debug, Default)]
pub struct RangeLayer<R>(pub R);

/// The kernel that a span is about.
struct Kernel(String);

impl Visit for Kernel {
    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "kernel" {
            value.clone_into(&mut self.0);
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}
}

impl<S, R> Layer<S> for RangeLayer<R>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    R: Ranges + 'static,
{
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut kernel = Kernel(String::new());
        attributes.record(&mut kernel);
        if let Some(span) = context.span(id).filter(|_| !kernel.0.is_empty()) {
            span.extensions_mut().insert(kernel);
        }
    }

    fn on_enter(&self, id: &Id, context: Context<'_, S>) {
        if let Some(span) = context.span(id) {
            let extensions = span.extensions();
            self.0.begin(extensions.get::<Kernel>().map_or(span.name(), |kernel| &kernel.0));
        }
    }

    fn on_exit(&self, id: &Id, context: Context<'_, S>) {
        if context.exists(id) {
            self.0.end();
        }
    }
}

/// Ranges of NVTX, which are nothing when no profiler is there.
#[cfg(feature = "nvtx")]
#[derive(Clone, Copy, Debug)]
pub struct Nvtx;

#[cfg(feature = "nvtx")]
impl Ranges for Nvtx {
    fn begin(&self, name: &str) {
        nvtx::range_push!("{name}");
    }

    fn end(&self) {
        nvtx::range_pop!();
    }
}

/// A layer that makes ranges of NVTX of the spans of this library, whatever others listen to.
#[cfg(feature = "nvtx")]
pub fn nvtx<S: Subscriber + for<'a> LookupSpan<'a>>() -> impl Layer<S> {
    let own = tracing_subscriber::filter::Targets::new().with_target("fracas", tracing::Level::TRACE);
    RangeLayer(Nvtx).with_filter(own)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::{Arc, Mutex};

    use glam::DVec3;
    use tracing_subscriber::layer::SubscriberExt;

    use super::*;
    use crate::device::{Backend, Device};
    use crate::geometry::shapes::cuboid;
    use crate::svo::{FractureOptions, Seeds, VoxeliseOptions, voxelise};

    /// What began, with how deep it is, and how many have not ended.
    #[derive(Clone, Default)]
    struct Record {
        depth: usize,
        ranges: Vec<(usize, String)>,
    }

    /// Writes down what begins, and fails at an end without a begin.
    #[derive(Clone, Default)]
    struct Written(Arc<Mutex<Record>>);

    impl Ranges for Written {
        fn begin(&self, name: &str) {
            let record = &mut *self.0.lock().unwrap();
            record.ranges.push((record.depth, name.to_owned()));
            record.depth += 1;
        }

        fn end(&self) {
            let depth = &mut self.0.lock().unwrap().depth;
            *depth = depth.checked_sub(1).expect("a range began");
        }
    }

    /// The ranges of some work, all of which have ended.
    fn ranges(work: impl FnOnce()) -> Vec<(usize, String)> {
        let written = Written::default();
        let subscriber = tracing_subscriber::registry().with(RangeLayer(written.clone()));
        tracing::subscriber::with_default(subscriber, work);
        let Record { depth, ranges } = written.0.lock().unwrap().clone();
        assert_eq!(depth, 0, "{ranges:?}");
        ranges
    }

    #[test]
    fn ranges_are_nested_as_the_spans_are_and_named_after_kernels() {
        let found = ranges(|| {
            let _outer = tracing::debug_span!("outer").entered();
            tracing::debug_span!("twice").in_scope(|| ());
            let again = tracing::trace_span!("launch", kernel = "fracas_scan", threads = 3);
            again.in_scope(|| ());
            again.in_scope(|| ());
        });
        let expected = [(0, "outer"), (1, "twice"), (1, "fracas_scan"), (1, "fracas_scan")];
        assert_eq!(found, expected.map(|(depth, name)| (depth, name.to_owned())));
    }

    #[cfg(feature = "nvtx")]
    #[test]
    fn without_a_profiler_ranges_do_nothing() {
        let subscriber = tracing_subscriber::registry().with(nvtx());
        tracing::subscriber::with_default(subscriber, || {
            tracing::debug_span!("outer")
                .in_scope(|| tracing::trace_span!("launch", kernel = "fracas_scan").in_scope(|| ()));
        });
    }

    #[test]
    fn a_fracture_on_a_device_is_stages_of_kernels() {
        let (lattice, tree) =
            voxelise(&cuboid(DVec3::ONE), &VoxeliseOptions { level: 4, ..VoxeliseOptions::default() }).unwrap();
        let seeds = Seeds::new(&lattice, &[DVec3::splat(-0.3), DVec3::splat(0.3)]).unwrap();
        let device = Device::native();
        let found = ranges(|| {
            device.fracture(&tree, &seeds, &FractureOptions::default()).unwrap();
        });
        let stages: Vec<&str> = found.iter().filter(|range| range.0 == 0).map(|range| range.1.as_str()).collect();
        assert_eq!(stages, ["extraction", "sorting", "islands", "building"]);
        let kernels: BTreeSet<&str> = found.iter().filter(|range| range.0 == 1).map(|range| range.1.as_str()).collect();
        assert!(kernels.len() > 20 && kernels.iter().all(|kernel| crate::device::kernels().contains(kernel)));
        assert_eq!(found[1], (1, "fracas_extract_count_child".to_owned()));
    }
}
