/** The tokens of `dashboards/ui/tokens.css` that documents without scripts use; a test compares them. */
export const TOKENS: Readonly<Record<string, string>> = {
  '--paper': 'light-dark(#ffffff, #12161b)',
  '--raised': 'light-dark(#edf0f4, #1d242c)',
  '--surface': 'light-dark(#f4f6f8, #0b0e12)',
  '--line': 'light-dark(#e3e7ec, #242c35)',
  '--line-mid': 'light-dark(#c9d0d9, #3a4551)',
  '--line-strong': 'light-dark(#78838f, #6f7c8a)',
  '--ink': 'light-dark(#14191f, #e6eaef)',
  '--ink-soft': 'light-dark(#424c58, #b5bec9)',
  '--accent': 'light-dark(#2453c9, #8fb4ff)',
  '--accent-ink': 'light-dark(#ffffff, #0a1833)',
  '--bad': 'light-dark(#b3231a, #ff948b)',
  '--bad-wash': 'light-dark(#fdecea, #371a1a)',
  '--radius': '5px',
}

/** The whole style of such a document. Its policy allows no other. */
export const STYLE = `
:root { color-scheme: light dark; ${Object.entries(TOKENS)
  .map(([name, value]) => `${name}: ${value};`)
  .join(' ')} }
*, *::before, *::after { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.54 -apple-system, BlinkMacSystemFont, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", Arial, sans-serif; }
main { max-width: 46rem; overflow-wrap: anywhere; margin: 0 auto; padding: 24px 16px 48px; }
h1 { margin: 0 0 16px; font-size: 1.25rem; line-height: 1.25; }
h2 { margin: 32px 0 8px; font-size: 1.1rem; }
h3 { margin: 16px 0 4px; font-size: 1rem; }
p, dl, ul, ol, pre, .banner { margin: 0 0 16px; }
ul, ol { padding-left: 20px; }
a { color: var(--accent); }
nav { display: flex; flex-wrap: wrap; gap: 8px 16px; margin: 0 0 16px; }
pre { padding: 8px; max-height: 30rem; overflow-y: auto; border: 1px solid var(--line); border-radius: var(--radius); background: var(--surface); font-size: 0.8125rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.soft { color: var(--ink-soft); }
label { display: block; font-weight: 600; }
.hint { margin: 0 0 4px; color: var(--ink-soft); font-size: 0.875rem; }
.error { margin: 0 0 4px; color: var(--bad); }
textarea, input { display: block; width: 100%; margin: 0 0 24px; padding: 8px; border: 1px solid var(--line-strong); border-radius: var(--radius); background: var(--paper); color: inherit; font: inherit; }
textarea { resize: vertical; }
input[type="radio"] { display: inline-block; width: auto; margin: 0; accent-color: var(--accent); }
fieldset { margin: 0 0 16px; padding: 8px 16px; border: 1px solid var(--line-mid); border-radius: var(--radius); }
.choice { display: grid; grid-template-columns: auto 1fr; gap: 0 8px; align-items: baseline; margin: 8px 0; }
.choice .hint { grid-column: 2; margin: 0; }
[aria-invalid] { border-color: var(--bad); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
dl { display: grid; gap: 4px; font-size: 0.875rem; }
@media (min-width: 30rem) { dl:has(> dt) { grid-template-columns: minmax(0, 14rem) minmax(0, 1fr); } }
dl div { display: flex; flex-wrap: wrap; gap: 0 8px; }
dt { color: var(--ink-soft); }
dd { min-width: 0; margin: 0; overflow-wrap: anywhere; }
.banner { padding: 8px 12px; border: 1px solid var(--line); border-inline-start: 3px solid var(--line-strong); border-radius: var(--radius); background: var(--surface); overflow-wrap: anywhere; }
.banner.bad { border-inline-start-color: var(--bad); background: var(--bad-wash); }
.banner strong { display: block; }
.row { display: flex; flex-wrap: wrap; gap: 8px; }
.button { display: inline-flex; align-items: center; min-height: 36px; padding: 4px 16px; border: 1px solid var(--line-mid); border-radius: var(--radius); background: var(--paper); color: var(--ink); font: inherit; text-decoration: none; cursor: pointer; }
.button:hover { background: var(--raised); }
.button.primary { border-color: var(--accent); background: var(--accent); color: var(--accent-ink); }
.button.danger { border-color: var(--bad); color: var(--bad); }
`
