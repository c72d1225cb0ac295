//! The viewer's page as one file, by the steps of `viewer/PROTOCOL.md`.

use std::fmt::Write;
use std::sync::OnceLock;

use serde::Serialize;

use super::base64::base64;

const PAGE: &str = include_str!("viewer/index.html");
const STYLE: &str = include_str!("viewer/style.css");

/// The modules, each after those that it imports.
const MODULES: &[&str] = &[
    include_str!("viewer/vectors.js"),
    include_str!("viewer/colors.js"),
    include_str!("viewer/format.js"),
    include_str!("viewer/protocol.js"),
    include_str!("viewer/decoder.js"),
    include_str!("viewer/commands.js"),
    include_str!("viewer/poses.js"),
    include_str!("viewer/bounds.js"),
    include_str!("viewer/timeline.js"),
    include_str!("viewer/explode.js"),
    include_str!("viewer/camera.js"),
    include_str!("viewer/picking.js"),
    include_str!("viewer/modes.js"),
    include_str!("viewer/theme.js"),
    include_str!("viewer/shaders.js"),
    include_str!("viewer/overlay_shaders.js"),
    include_str!("viewer/creases.js"),
    include_str!("viewer/geometry.js"),
    include_str!("viewer/seen.js"),
    include_str!("viewer/overlays.js"),
    include_str!("viewer/shadow.js"),
    include_str!("viewer/renderer.js"),
    include_str!("viewer/pacer.js"),
    include_str!("viewer/viewer.js"),
    include_str!("viewer/messages.js"),
    include_str!("viewer/source.js"),
    include_str!("viewer/live.js"),
    include_str!("viewer/graph.js"),
    include_str!("viewer/gestures.js"),
    include_str!("viewer/inspector.js"),
    include_str!("viewer/panel.js"),
    include_str!("viewer/transport.js"),
    include_str!("viewer/tools.js"),
    include_str!("viewer/keys.js"),
    include_str!("viewer/main.js"),
];

/// A page that shows one recording or one simulation, with everything that it needs in it.
///
/// ```
/// use fracas::export::{Page, Source};
///
/// let page = Page { title: Some("A fall".into()), ..Page::of(Source::Address("recording".into())) };
/// assert!(page.html().starts_with("<!doctype html>"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// Where what it shows comes from.
    pub source: Source,
    /// The page's title, if not the name of the scene.
    pub title: Option<String>,
    /// Whether it plays by itself, unless the person prefers reduced motion.
    pub autoplay: bool,
    /// Whether it begins again at the end.
    pub repeats: bool,
}

/// Where what a page shows comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// An address that has a stream, relative to the page.
    Address(String),
    /// A WebSocket of a simulation: a path on the page's own host, or a whole address.
    Live(String),
    /// A stream that stands in the page.
    Embedded(Vec<u8>, Compression),
    /// The page asks for a file.
    File,
}

/// How what stands in a page is compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// Not at all.
    None,
    /// As a whole, by gzip.
    Gzip,
}

/// The id of the element that holds a recording.
const EMBEDDED: &str = "fracas-recording";

#[derive(Serialize)]
struct Configuration<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    recording: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    embedded: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compression: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    live: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    autoplay: Option<bool>,
    #[serde(rename = "loop", skip_serializing_if = "Option::is_none")]
    repeats: Option<bool>,
}

impl Page {
    /// A page that plays by itself, once.
    pub fn of(source: Source) -> Page {
        Page { source, title: None, autoplay: true, repeats: false }
    }

    /// The page, which asks for no other file.
    pub fn html(&self) -> String {
        let configuration = Configuration {
            recording: match &self.source {
                Source::Address(address) => Some(address),
                _ => None,
            },
            embedded: matches!(self.source, Source::Embedded(..)).then_some(EMBEDDED),
            compression: matches!(self.source, Source::Embedded(_, Compression::Gzip)).then_some("gzip"),
            live: match &self.source {
                Source::Live(address) => Some(address),
                _ => None,
            },
            title: self.title.as_deref(),
            autoplay: (!self.autoplay).then_some(false),
            repeats: self.repeats.then_some(true),
        };
        // Texts, numbers and truths are always JSON.
        let json = serde_json::to_string(&configuration).unwrap_or_default().replace('<', "\\u003c");
        let [before, after] = frame();
        let mut page = String::with_capacity(before.len() + after.len() + 1024);
        page.push_str(before);
        // Writing to a string does not fail.
        let _ = write!(page, "<script type=\"application/json\" id=\"fracas-configuration\">{json}</script>");
        if let Source::Embedded(bytes, _) = &self.source {
            let text = base64(bytes);
            let _ = write!(page, "\n<script type=\"application/octet-stream\" id=\"{EMBEDDED}\">{text}</script>");
        }
        page.push_str(after);
        page
    }
}

/// What stands before and after the configuration.
fn frame() -> &'static [String; 2] {
    static FRAME: OnceLock<[String; 2]> = OnceLock::new();
    FRAME.get_or_init(|| {
        let style = format!("<style>\n{STYLE}</style>");
        let script = format!("<script>\n{}\n</script>", script());
        let page = PAGE.replacen("<link rel=\"stylesheet\" href=\"style.css\">", &style, 1).replacen(
            "<script type=\"module\" src=\"main.js\"></script>",
            &script,
            1,
        );
        let (before, after) = page
            .split_once("<script type=\"application/json\" id=\"fracas-configuration\">{}</script>")
            .expect("the page has a place for its configuration");
        [before.to_owned(), after.to_owned()]
    })
}

/// All modules as one script: without the lines that import, and the word that exports.
fn script() -> String {
    let mut script = String::from("(() => {\n");
    for module in MODULES {
        let lines = module.split('\n').filter(|line| !line.starts_with("import "));
        let lines: Vec<&str> = lines.map(|line| line.strip_prefix("export ").unwrap_or(line)).collect();
        script.push_str(&lines.join("\n"));
    }
    script + "\n})();"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_modules_are_those_of_the_document_and_in_its_order() {
        let document = include_str!("viewer/PROTOCOL.md");
        let step = document.split("Take the modules in this order:").nth(1).unwrap().split("\n2. ").next().unwrap();
        let names: Vec<&str> = step.split('`').filter(|name| name.ends_with(".js")).collect();
        assert_eq!(names.len(), MODULES.len());
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src/export/viewer");
        for (name, module) in names.into_iter().zip(MODULES) {
            assert_eq!(std::fs::read_to_string(folder.join(name)).unwrap(), *module, "{name}");
        }
    }

    #[test]
    fn everything_is_in_the_page_and_nothing_ends_it_early() {
        let page =
            Page { title: Some("</script><b>".into()), ..Page::of(Source::Embedded(vec![1, 2, 3], Compression::None)) };
        let html = page.html();
        assert!(html.contains(">AQID</script>") && html.contains(r#""title":"\u003c/script>"#));
        assert_eq!(html.matches("<script").count(), html.matches("</script>").count());
        assert!(!html.contains("src=\"main.js\"") && !html.contains("href=\"style.css\""));
        assert!(!html.lines().any(|line| line.starts_with("import ") || line.starts_with("export ")));
        let autoplay = Page { autoplay: false, repeats: true, ..Page::of(Source::Live("/socket".into())) };
        assert!(autoplay.html().contains(r#"{"live":"/socket","autoplay":false,"loop":true}"#));
    }
}
