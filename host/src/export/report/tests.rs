use std::ops::ControlFlow;
use std::path::Path;

use super::*;
use crate::benchmark::{Bench, Row};
use crate::export::stream::RecordedStream;
use crate::scene::{RunOptions, RunSummary, Scene, run};

fn a_run(folder: &Path) -> RunSummary {
    let text = "version = 1\nname = \"a <fall> & \\\"more\\\"\"\nframes = 20\n[ground]\n\
                [[body]]\nname = \"box\"\nshape.cuboid = { size = [1, 1, 1] }\nposition = [0, 0.6, 0]\n";
    let scene = Scene::parse(text, Path::new("box.toml")).unwrap();
    let options = RunOptions { recording: Some(folder.join("recording.fracas")), ..RunOptions::default() };
    run(&scene, &options, |_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn a_report_has_everything_in_it_and_escapes_what_it_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let summary = a_run(folder.path());
    let replay = Replay::of_recording(summary.recording.as_ref().unwrap()).unwrap();
    let Replay::Compressed(stream) = &replay else { panic!("no replay") };
    assert!(stream.starts_with(&[0x1f, 0x8b]));
    let html = Report::of_run(&summary, "fracas run 'a & b.toml'", replay).html();
    assert!(html.contains("<h1>a &lt;fall&gt; &amp; "), "the name is not escaped");
    assert!(html.contains("fracas run 'a &amp; b.toml'") || html.contains("a &amp; b.toml"));
    assert!(html.contains(&summary.hash_text()) && html.contains("38 steps"));
    assert_eq!(html.matches("class=\"plot\"").count(), 2, "times and contacts; nothing broke");
    // Nothing but the page itself: what the viewer refers to is within it.
    for outside in ["src=\"http", "href=\"http", "@import", "url(http"] {
        assert!(!html.contains(outside), "{outside}");
    }
    assert_eq!(html.matches("<iframe").count(), 1);
    let inner = html.split("srcdoc=\"").nth(1).unwrap().split('"').next().unwrap();
    let inner = inner.replace("&quot;", "\"").replace("&amp;", "&");
    assert!(inner.starts_with("<!doctype html>") && inner.trim_end().ends_with("</html>"));
    assert!(inner.contains(r#"{"embedded":"fracas-recording","compression":"gzip","autoplay":false}"#));
}

#[test]
fn a_replay_that_is_too_large_is_left_out_and_a_line_says_how_to_see_it() {
    let folder = tempfile::tempdir().unwrap();
    let summary = a_run(folder.path());
    let path = summary.recording.clone().unwrap();
    let replay = Replay::at_most(RecordedStream::open(&path).unwrap(), &path, 100).unwrap();
    let html = Report::of_run(&summary, "fracas run box.toml", replay).html();
    assert!(!html.contains("<iframe") && html.contains("too large to stand in a page"));
    assert!(html.contains(&format!("fracas view {}", path.display())));
}

#[test]
fn a_benchmark_has_a_table_for_each_suite() {
    let with_paper = Row { paper: Some(4.0), ..Row::new("one", "a row", "build", 2.0, "ms").against("parry", 6.0) };
    let rows = vec![with_paper, Row::new("two", "other", "all", 0.5, "s")];
    let bench = Bench { machine: "a machine".into(), rows };
    let html = Report::of_bench(&bench, &[], "fracas bench").html();
    assert_eq!(html.matches("<table>").count(), 2);
    let row = "<tr><td>a row</td><td>build</td><td class=\"number\">4.00</td><td class=\"number\">2.00</td><td>ms</td>\
               <td>parry</td><td class=\"number\">6.00</td><td class=\"number\">3.00</td></tr>";
    assert!(html.contains(row), "{html}");
}

#[test]
fn a_scene_of_a_paper_has_its_figures_beside() {
    let folder = tempfile::tempdir().unwrap();
    let summary = RunSummary { scene: "plates".into(), ..a_run(folder.path()) };
    let html = Report::of_run(&summary, "fracas run plates", Replay::None).html();
    assert!(html.contains("Beside the paper") && html.contains("<td>fragments</td><td class=\"number\">44.0</td>"));
    let svo = RunSummary { scene: "svo_figure".into(), ..summary };
    assert!(Report::of_run(&svo, "", Replay::None).html().contains("Beside the paper"));
}
