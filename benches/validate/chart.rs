//! Times of programs beside each other -> a chart of bars, as SVG that is readable on light and on
//! dark pages.

use maud::{Markup, PreEscaped, Render, html};

use crate::goals::duration;
use crate::measure::Measured;

/// The colours: those of the page that runvet makes.
const STYLE: &str = "
svg { color-scheme: light dark; font: 13px system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif }
.back { fill: #ffffff; stroke: #dfe3e8 } text { fill: #1b1f24 } .muted { fill: #57606a }
.title { font-weight: 600 } .own { fill: #4273d6 } .other { fill: #8b95a1 }
.processor { opacity: 0.5 } .cut { stroke: #ffffff; stroke-width: 3; fill: none }
@media (prefers-color-scheme: dark) {
.back { fill: #171b21; stroke: #2b323b } text { fill: #e4e7eb } .muted { fill: #9aa5b1 }
.own { fill: #6d9bf5 } .other { fill: #66717e } .cut { stroke: #171b21 }
}
";

const WIDTH: f64 = 760.0;
const MARGIN: f64 = 20.0;
/// Where bars begin.
const LEFT: f64 = 210.0;
/// The length of the longest bar.
const LENGTH: f64 = 440.0;
const BAR: f64 = 11.0;
/// What a contestant takes: two bars and a gap.
const STEP: f64 = 2.0 * BAR + 10.0;
const TITLE: f64 = 26.0;
const LEGEND: f64 = 34.0;

/// How often longer than the next one a bar may be before it is cut.
const MAX_RATIO: f64 = 3.0;

/// The name of what others are compared with.
const OWN: &str = "runvet";

/// What took how long.
struct Bars {
    name: &'static str,
    /// On the clock and of processors, in seconds.
    seconds: [f64; 2],
}

/// A group of bars with one scale.
pub(crate) struct Panel {
    title: &'static str,
    bars: Vec<Bars>,
}

impl Panel {
    pub(crate) fn new(title: &'static str, all: &[&Measured]) -> Self {
        let mut panel = Self {
            title,
            bars: Vec::new(),
        };
        for measured in all {
            panel.push(measured);
        }
        panel
    }

    pub(crate) fn push(&mut self, measured: &Measured) {
        self.bars.push(Bars {
            name: measured.name,
            seconds: [measured.median(), measured.cpu_median()],
        });
    }

    fn height(&self) -> f64 {
        let bars = u32::try_from(self.bars.len()).expect("a few bars");
        TITLE + STEP * f64::from(bars) + MARGIN / 2.0
    }

    /// The seconds of the longest bar that is not cut: those of runvet never are.
    fn longest(&self) -> f64 {
        let longest = |bars: &Bars| bars.seconds[0].max(bars.seconds[1]);
        let own = self
            .bars
            .iter()
            .filter(|bars| bars.name == OWN);
        let mut end = own.map(longest).fold(0.0, f64::max);
        let mut all: Vec<f64> = self.bars.iter().map(longest).collect();
        all.sort_by(f64::total_cmp);
        for seconds in all {
            if seconds <= end * MAX_RATIO {
                end = end.max(seconds);
            }
        }
        end
    }

    /// The bars, below a height.
    fn drawn(&self, top: f64) -> Markup {
        let scale = LENGTH / self.longest();
        let rows = (0_u32..).zip(&self.bars);
        html! {
            text.title x=(MARGIN) y=(top + 14.0) { (self.title) }
            @for (at, bars) in rows {
                @let y = top + TITLE + STEP * f64::from(at);
                text x=(LEFT - 8.0) y=(y + 15.0) text-anchor="end" { (bars.name) }
                (bar(bars, 0, y, scale))
                (bar(bars, 1, y + BAR + 1.0, scale))
            }
        }
    }
}

fn bar(bars: &Bars, kind: usize, y: f64, scale: f64) -> impl Render {
    let seconds = bars.seconds[kind];
    let is_cut = seconds * scale > LENGTH + 1.0;
    let length = (seconds * scale).clamp(1.0, LENGTH);
    let own = if bars.name == OWN { "own" } else { "other" };
    let class = [own, "clock", own, "processor"];
    let class = class[2 * kind..2 * kind + 2].join(" ");
    html! {
        rect class=(class) x=(LEFT) y=(rounded(y)) width=(rounded(length)) height=(BAR) rx="2" {}
        @if is_cut {
            @let x = LEFT + LENGTH - 40.0;
            path.cut d=(format!("M{x} {} l4 -4 l-4 -5 l4 -5", y + BAR + 1.0)) {}
        }
        text.muted x=(rounded(LEFT + length + 6.0)) y=(rounded(y + 10.0)) font-size="11" {
            (duration(seconds))
        }
    }
}

/// A number for a drawing: tenths are enough.
fn rounded(value: f64) -> String {
    format!("{value:.1}")
}

/// The chart of some panels, one below the other.
pub(crate) fn drawn(panels: &[Panel]) -> String {
    let heights = panels.iter().map(Panel::height);
    let height = LEGEND + MARGIN + heights.sum::<f64>();
    let mut tops = Vec::new();
    let mut top = LEGEND + MARGIN / 2.0;
    for panel in panels {
        tops.push(top);
        top += panel.height();
    }
    let said = "Times of runvet beside the read floor and other checkers; the tables of the page \
                have the numbers.";
    let chart = html! {
        svg xmlns="http://www.w3.org/2000/svg" viewBox=(format!("0 0 {WIDTH} {height}")) role="img"
            aria-label=(said) {
            title { (said) }
            style { (PreEscaped(STYLE)) }
            rect.back x="0.5" y="0.5" width=(WIDTH - 1.0) height=(height - 1.0) rx="6" {}
            (key(MARGIN, "clock", "time on the clock"))
            (key(MARGIN + 150.0, "processor", "processor time, of all threads"))
            text.muted x=(WIDTH - MARGIN) y="26" text-anchor="end" { "shorter is better" }
            @for (panel, top) in panels.iter().zip(tops) { (panel.drawn(top)) }
        }
    };
    chart.into_string() + "\n"
}

fn key(x: f64, class: &str, name: &str) -> Markup {
    html! {
        rect class=(format!("own {class}")) x=(x) y="16" width="12" height="12" rx="2" {}
        text x=(x + 18.0) y="26" { (name) }
    }
}
