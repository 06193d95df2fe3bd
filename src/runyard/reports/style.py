"""How the page looks."""

from runyard.reports.palette import colour_rules

_RULES = """
:root{color-scheme:light dark;--paper:#fff;--ink:#1b1f24;--soft:#5b6470;--line:#d9dee4;--grid:#e8ebef;--grey:#9aa3ad;
--best:#e3f3ea;--card:#fafbfc}
@media (prefers-color-scheme: dark){:root{--paper:#14171b;--ink:#e8ebee;--soft:#a3acb6;--line:#353b43;--grid:#282d34;
--grey:#747d88;--best:#173a2b;--card:#1a1e23}}
*{box-sizing:border-box}
body{margin:0 auto;padding:16px;max-width:1320px;background:var(--paper);color:var(--ink);
font:15px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;overflow-wrap:anywhere}
h1{font-size:1.5rem;margin:.4em 0}
h2{font-size:1.15rem;margin:2em 0 .6em;padding-top:.8em;border-top:1px solid var(--line)}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{padding:5px 10px;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}
th:first-child,td:first-child{text-align:left;position:sticky;left:0;background:var(--paper)}
td:first-child{min-width:9em;max-width:22em;white-space:normal;overflow-wrap:anywhere}
thead th{color:var(--soft);font-weight:600;vertical-align:bottom}
td.best{background:var(--best);font-weight:700}
td.best::after{content:" ★";font-size:.8em}
.plots{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,340px),1fr));gap:14px}
figure{margin:0;padding:10px 12px;border:1px solid var(--line);border-radius:8px;background:var(--card);min-width:0}
figure.wide{grid-column:1/-1}
figcaption{font-weight:600;margin-bottom:4px}
figure>svg{display:block;width:100%;max-width:520px;height:auto;margin:auto}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:2px 14px;margin:6px 0 0;padding:0;font-size:.87rem}
.swatch{width:24px;height:8px;margin-right:6px;vertical-align:middle}
.box{display:inline-block;width:11px;height:11px;border-radius:2px;margin-right:6px;background:var(--c)}
.grey{background:var(--grey)}
.note{color:var(--soft);font-size:.82rem;margin:6px 0 0}
.remarks{margin:.3em 0 .8em;padding-left:1.2em;color:var(--soft);font-size:.9rem}
.grid{stroke:var(--grid)}
.reference{stroke:var(--grey);stroke-dasharray:4 4}
.curve{fill:none;stroke:var(--c);stroke-width:1.8;stroke-linejoin:round}
.dot{fill:var(--c);stroke:var(--card)}
.probe{fill:transparent}
.probe:hover{fill:var(--c)}
.positive{fill:var(--c);fill-opacity:.62}
.negative{fill:var(--grey);fill-opacity:.55}
.positive:hover,.negative:hover{fill-opacity:1}
text{fill:var(--soft);font:10.5px system-ui,sans-serif}
.axis{font-size:11px}
.middle{text-anchor:middle}
.end{text-anchor:end}
.matrix{font-size:.82rem}
.matrix th,.matrix td{padding:3px 6px;text-align:center;border:1px solid var(--grid)}
.matrix th:first-child{background:var(--card)}
.matrix small{display:block;color:inherit;opacity:.85;font-size:.85em;white-space:nowrap}
.cell{background:color-mix(in srgb,var(--c) calc(var(--share)*.6),transparent)}
.right{outline:1.5px solid var(--c);outline-offset:-2px}
.total{color:var(--soft)}
@media (max-width:480px){body{padding:10px}th,td{padding:4px 7px}}
@media print{figure{break-inside:avoid}}
"""


def style_sheet() -> str:
    return _RULES + colour_rules()
