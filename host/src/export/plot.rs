//! Line charts as SVG.

use std::fmt::Write;
use std::path::Path;

use super::ticks::{Axis, AxisScale};
use crate::whole_file::{self, FileError};

/// The size of a chart, and what is left free around its lines.
const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 520.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = 24.0;
const BOTTOM: f64 = 56.0;
const TITLE: f64 = 44.0;

/// A line of the legend, and how wide a letter and the colour before a name are, about.
const LEGEND_LINE: f64 = 20.0;
const LETTER: f64 = 7.2;
const SAMPLE: f64 = 40.0;

/// Colours that stand out from white and from black, and from each other also for those who see few colours.
const COLORS: [&str; 8] = ["#3b82d6", "#e0722a", "#2f9e63", "#c9488f", "#8a63d2", "#b08a1e", "#2aa5b8", "#8c8c94"];

/// Where a style comes from a page that the chart is put into, these names do not meet its own.
const STYLE: &str = "\
.plot text{font:13px system-ui,sans-serif;fill:#333}\
.plot .title{font-size:17px;font-weight:600}\
.plot .paper{fill:#fff}\
.plot .grid{stroke:#ddd}\
.plot .frame{stroke:#888;fill:none}\
.plot .mark{stroke:#999;stroke-dasharray:2 4}\
.plot .line{fill:none;stroke-width:1.6;stroke-linejoin:round}\
@media (prefers-color-scheme:dark){\
.plot text{fill:#ddd}\
.plot .paper{fill:#16181d}\
.plot .grid{stroke:#33363d}\
.plot .mark{stroke:#777}}";

/// Named series of points, joined by lines. It draws the same for the same points, in light and in dark, and says the
/// numbers of a point that is pointed at.
///
/// ```
/// use fracas::export::{Plot, Series};
///
/// let squares = (0..10).map(f64::from).map(|x| [x, x * x]).collect();
/// let plot = Plot {
///     title: "Squares".into(),
///     series: vec![Series { name: "x²".into(), points: squares }],
///     ..Plot::default()
/// };
/// assert!(plot.svg().starts_with("<svg"));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plot {
    /// What stands above.
    pub title: String,
    /// What stands below the horizontal axis.
    pub x_label: String,
    /// What stands beside the vertical axis.
    pub y_label: String,
    /// What the vertical axis is divided by.
    pub y_scale: AxisScale,
    /// The lines, in the order of the legend.
    pub series: Vec<Series>,
    /// Places of the horizontal axis that are marked by a line from below to above.
    pub marks: Vec<Mark>,
}

/// A line of a [`Plot`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// What the legend calls it.
    pub name: String,
    /// Its points, from left to right. Where one is not finite, or not positive on a logarithmic axis, the line has a gap.
    pub points: Vec<[f64; 2]>,
}

/// A marked place of a [`Plot`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mark {
    /// Where.
    pub x: f64,
    /// What is there.
    pub name: String,
}

impl Plot {
    /// Writes the chart to a file, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        whole_file::write(path, self.svg().as_bytes())
    }

    /// The chart as an SVG element, which refers to nothing outside of it.
    pub fn svg(&self) -> String {
        let (legend, lines) = self.legend();
        let top = TITLE + LEGEND_LINE * f64::from(lines) + 10.0;
        let is_drawn = |point: &&[f64; 2]| self.is_drawn(**point);
        let drawn = || self.series.iter().flat_map(|series| &series.points).filter(is_drawn);
        let marked = self.marks.iter().map(|mark| mark.x).filter(|x| x.is_finite());
        let x = Axis::over(drawn().map(|point| point[0]).chain(marked), AxisScale::Linear, [LEFT, WIDTH - RIGHT]);
        let mut y = Axis::over(drawn().map(|point| point[1]), self.y_scale, [HEIGHT - BOTTOM, top]);
        y.start_at_zero();
        let mut svg = String::new();
        // Writing to a string does not fail.
        let _ = write!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" width=\"{WIDTH}\" \
             height=\"{HEIGHT}\" role=\"img\"><style>{STYLE}</style>\n\
             <rect class=\"paper\" width=\"{WIDTH}\" height=\"{HEIGHT}\"/>\n\
             <text class=\"title\" x=\"{LEFT}\" y=\"28\">{}</text>\n{legend}",
            escaped(&self.title)
        );
        self.draw_axes(&mut svg, &x, &y, top);
        for mark in self.marks.iter().filter(|mark| mark.x.is_finite()) {
            let place = x.place(mark.x);
            let _ = writeln!(
                svg,
                "<line class=\"mark\" x1=\"{place:.1}\" x2=\"{place:.1}\" y1=\"{top:.1}\" y2=\"{:.1}\"><title>{}</title></line>",
                HEIGHT - BOTTOM,
                escaped(&mark.name)
            );
        }
        for (series, color) in self.series.iter().zip(COLORS.iter().cycle()) {
            self.draw_series(&mut svg, series, color, [&x, &y]);
        }
        svg.push_str("</svg>\n");
        svg
    }

    fn is_drawn(&self, [x, y]: [f64; 2]) -> bool {
        x.is_finite() && y.is_finite() && (self.y_scale == AxisScale::Linear || y > 0.0)
    }

    /// The legend, and how many lines it takes.
    fn legend(&self) -> (String, u32) {
        let (mut svg, mut lines, mut x) = (String::new(), 1, LEFT);
        for (series, color) in self.series.iter().zip(COLORS.iter().cycle()) {
            let width = SAMPLE + LETTER * series.name.chars().count() as f64;
            if x > LEFT && x + width > WIDTH - RIGHT {
                (x, lines) = (LEFT, lines + 1);
            }
            let y = TITLE + LEGEND_LINE * (f64::from(lines) - 1.0);
            let _ = writeln!(
                svg,
                "<line class=\"line\" stroke=\"{color}\" x1=\"{x:.1}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
                x + 18.0,
                x + 24.0,
                y + 4.5,
                escaped(&series.name)
            );
            x += width;
        }
        (svg, lines)
    }

    fn draw_axes(&self, svg: &mut String, x: &Axis, y: &Axis, top: f64) {
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        for (value, name) in y.ticks() {
            let place = y.place(value);
            let _ = writeln!(
                svg,
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{place:.1}\" y2=\"{place:.1}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text>",
                LEFT - 8.0,
                place + 4.5
            );
        }
        for (value, name) in x.ticks() {
            let place = x.place(value);
            let _ = writeln!(
                svg,
                "<line class=\"frame\" x1=\"{place:.1}\" x2=\"{place:.1}\" y1=\"{bottom:.1}\" y2=\"{:.1}\"/>\
                 <text x=\"{place:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{name}</text>",
                bottom + 5.0,
                bottom + 20.0
            );
        }
        let (middle, half) = (0.5 * (LEFT + right), 0.5 * (top + bottom));
        let _ = writeln!(
            svg,
            "<path class=\"frame\" d=\"M{LEFT} {top:.1}V{bottom:.1}H{right}\"/>\
             <text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
             <text transform=\"translate(18 {half:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            HEIGHT - 12.0,
            escaped(&self.x_label),
            escaped(&self.y_label)
        );
    }

    fn draw_series(&self, svg: &mut String, series: &Series, color: &str, [x, y]: [&Axis; 2]) {
        let places: Vec<Option<[f64; 2]>> = (series.points.iter())
            .map(|&point| self.is_drawn(point).then(|| [x.place(point[0]), y.place(point[1])]))
            .collect();
        let mut path = String::new();
        let mut command = 'M';
        for place in &places {
            if let Some([x, y]) = place {
                let _ = write!(path, "{command}{x:.1} {y:.1}");
            }
            command = if place.is_some() { 'L' } else { 'M' };
        }
        let _ = writeln!(svg, "<path class=\"line\" stroke=\"{color}\" d=\"{path}\"/><g fill=\"{color}\">");
        let name = escaped(&series.name);
        for ([x, y], place) in series.points.iter().zip(places) {
            if let Some([left, top]) = place {
                let _ = writeln!(
                    svg,
                    "<circle cx=\"{left:.1}\" cy=\"{top:.1}\" r=\"2.2\"><title>{name}: {}, {}</title></circle>",
                    figure(*x),
                    figure(*y)
                );
            }
        }
        svg.push_str("</g>\n");
    }
}

/// A number as one that points at it wants to read it.
fn figure(value: f64) -> String {
    match value.abs() {
        size if size >= 1e9 || (size > 0.0 && size < 1e-3) => format!("{value:.3e}"),
        _ => {
            let text = format!("{value:.3}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
    }
}

/// Text that means itself inside of an element.
pub(super) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // XML has no way to say these.
            '\0'..='\u{8}' | '\u{b}' | '\u{c}' | '\u{e}'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => {
                escaped.push(char::REPLACEMENT_CHARACTER);
            }
            _ => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot() -> Plot {
        let wave =
            |phase: f64| (0..50).map(|x| [f64::from(x), 40.0 + 30.0 * (f64::from(x) * 0.3 + phase).sin()]).collect();
        let mut plot = Plot {
            title: "Milliseconds < a \"frame\" & so on\u{1}".into(),
            x_label: "frame".into(),
            y_label: "ms".into(),
            series: vec![
                Series { name: "ours".into(), points: wave(0.0) },
                Series { name: "a & b <c>".into(), points: wave(1.0) },
            ],
            marks: vec![Mark { x: 12.0, name: "it breaks".into() }, Mark { x: f64::NAN, name: "never".into() }],
            ..Plot::default()
        };
        plot.series[1].points[7][1] = f64::NAN;
        plot.series[1].points[8][1] = -1.0;
        plot
    }

    /// Walks through the tags and says whether each that is opened is closed.
    fn is_well_formed(xml: &str) -> bool {
        let mut open: Vec<&str> = Vec::new();
        let mut rest = xml;
        while let Some(start) = rest.find('<') {
            if rest[..start].contains('>') || bare_ampersand(&rest[..start]) {
                return false;
            }
            let Some(end) = rest[start..].find('>') else { return false };
            let tag = &rest[start + 1..start + end];
            let name = tag.split_whitespace().next().unwrap_or("").trim_start_matches('/').trim_end_matches('/');
            if tag.contains('<') || bare_ampersand(tag) || !tag.matches('"').count().is_multiple_of(2) {
                return false;
            }
            if tag.starts_with('/') {
                if open.pop() != Some(name) {
                    return false;
                }
            } else if !tag.ends_with('/') {
                open.push(name);
            }
            rest = &rest[start + end + 1..];
        }
        open.is_empty() && rest.trim().is_empty()
    }

    fn bare_ampersand(text: &str) -> bool {
        let entities = ["amp;", "lt;", "gt;", "quot;"];
        text.split('&').skip(1).any(|rest| !entities.iter().any(|entity| rest.starts_with(entity)))
    }

    #[test]
    fn a_chart_is_well_formed_and_has_all_its_points() {
        for (y_scale, points) in [(AxisScale::Linear, 99), (AxisScale::Logarithmic, 98)] {
            let svg = Plot { y_scale, ..plot() }.svg();
            assert!(is_well_formed(&svg), "{svg}");
            assert_eq!(svg.matches("<circle").count(), points);
            // One of each line, and another behind the gap.
            let path = svg.split("<path class=\"line\"").nth(2).and_then(|rest| rest.split('>').next()).unwrap();
            assert_eq!((path.matches('M').count(), path.matches('L').count()), (2, points - 50 - 2));
            assert_eq!(svg.matches("class=\"mark\"").count(), 1);
            assert!(!svg.contains("NaN") && !svg.contains("inf"));
        }
    }

    #[test]
    fn text_is_escaped() {
        let svg = plot().svg();
        assert!(svg.contains(">Milliseconds &lt; a &quot;frame&quot; &amp; so on\u{fffd}</text>"));
        assert!(svg.contains(">a &amp; b &lt;c&gt;</text>") && svg.contains("<title>a &amp; b &lt;c&gt;: 0, "));
        // Nothing outside: the one address is the name of the language.
        assert_eq!(svg.matches("http").count(), 1);
        assert!(!svg.contains("href") && !svg.contains("url("));
    }

    #[test]
    fn a_chart_of_nothing_is_a_chart() {
        for y_scale in [AxisScale::Linear, AxisScale::Logarithmic] {
            let nothing = Plot { y_scale, ..Plot::default() };
            let gaps =
                Plot { series: vec![Series { name: "none".into(), points: vec![[f64::NAN; 2]] }], ..nothing.clone() };
            let one = Plot { series: vec![Series { name: "one".into(), points: vec![[3.0, 3.0]] }], ..nothing.clone() };
            let vast = Plot {
                series: vec![Series {
                    name: "vast".into(),
                    points: vec![[-f64::MAX, f64::MIN_POSITIVE], [f64::MAX; 2]],
                }],
                ..nothing.clone()
            };
            for plot in [nothing, gaps, one, vast] {
                let svg = plot.svg();
                assert!(is_well_formed(&svg) && !svg.contains("NaN") && !svg.contains("inf"), "{svg}");
            }
        }
    }

    #[test]
    fn lines_stay_within_the_frame() {
        let svg = plot().svg();
        let numbers = svg.split("cx=\"").skip(1).map(|rest| rest.split('"').next().unwrap().parse::<f64>().unwrap());
        assert!(numbers.clone().all(|x| (LEFT - 0.1..=WIDTH - RIGHT + 0.1).contains(&x)));
        assert!(numbers.fold(0.0, f64::max) > 0.9 * (WIDTH - RIGHT));
    }

    #[test]
    fn a_file_is_written_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plot.svg");
        plot().write(&path).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), plot().svg());
        assert!(plot().write(&folder.path().join("none/plot.svg")).is_err());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
