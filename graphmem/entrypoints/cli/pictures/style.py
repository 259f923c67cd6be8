"""The look of an incident page: a column for reading, tables that scroll, black on white when printed."""

STYLE = """
:root { color-scheme: light; --line: #d9d9d9; --quiet: #5f6368; }
body { margin: 0; background: #f6f6f4; color: #1c1c1c; font: 15px/1.55 'Noto Sans', 'Noto Sans CJK SC', 'PingFang SC',
  'Microsoft YaHei', system-ui, sans-serif; }
main { max-width: 980px; margin: 0 auto; padding: 28px 20px 48px; }
header { margin-bottom: 20px; }
h1 { font-size: 25px; line-height: 1.3; margin: 4px 0; overflow-wrap: anywhere; }
h2 { font-size: 17px; margin: 0 0 12px; }
h3 { font-size: 15px; margin: 18px 0 8px; }
.where, .small, footer { color: var(--quiet); font-size: 13px; }
.where { margin: 0; }
section { background: #fff; border: 1px solid var(--line); border-radius: 10px; padding: 18px 20px; margin: 0 0 16px; }
.note { background: #fff7e0; border-left: 4px solid #d99a00; padding: 8px 12px; margin: 10px 0; }
.lead { font-size: 17px; margin: 0 0 12px; }
dl { display: grid; grid-template-columns: minmax(90px, max-content) 1fr; gap: 6px 18px; margin: 0; }
dt { color: var(--quiet); }
dd { margin: 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.picture { margin: 0; overflow-x: auto; text-align: center; }
.picture svg { max-width: 100%; height: auto; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 14px; }
th { text-align: left; color: var(--quiet); font-weight: 600; border-bottom: 2px solid var(--line); padding: 6px 10px;
  white-space: nowrap; }
td { border-bottom: 1px solid #ececec; padding: 6px 10px; vertical-align: top; overflow-wrap: break-word; }
td:first-child, th:first-child { padding-left: 0; }
ul { margin: 6px 0; padding-left: 20px; }
li { overflow-wrap: anywhere; white-space: pre-wrap; }
.ref, .figure { white-space: nowrap; }
.failure { color: #b3261e; } .success { color: #1f7a3f; } .partial { color: #8a6100; } .fact { color: #2356a3; }
.grade { white-space: nowrap; }
.grade.inferred { border-bottom: 1.5px dashed #444; } .grade.confirmed { font-weight: 700; }
footer { border-top: 1px solid var(--line); padding-top: 12px; }
@media print { body { background: #fff; } section { break-inside: avoid; } }
"""
