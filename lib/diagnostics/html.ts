import { createHash } from 'node:crypto'

/** Text that is HTML already. Only `html` makes it. */
export class Html {
  constructor(readonly text: string) {}
}

export type HtmlValue = string | number | Html | readonly HtmlValue[] | null | false

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')

function toText(value: HtmlValue): string {
  if (value === null || value === false) return ''
  if (value instanceof Html) return value.text
  if (typeof value === 'string' || typeof value === 'number') return escaped(String(value))
  return value.map(toText).join('')
}

/** A template whose values are escaped, so that received text never becomes markup. `null` and false are left out. */
export const html = (parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html =>
  new Html(parts.map((part, at) => part + (at < values.length ? toText(values[at] ?? null) : '')).join(''))

const STYLE = `:root{color-scheme:light dark;--line:light-dark(#d5d9e0,#3a404b);--soft:light-dark(#4c5563,#aab3c2);--link:light-dark(#1f57b0,#8ab4f8)}
*{box-sizing:border-box}
body{margin:0;font:16px/1.5 system-ui,sans-serif;background:light-dark(#fff,#14171c);color:light-dark(#1a1d23,#e6e9ee)}
main{max-width:46rem;margin:0 auto;padding:1rem;overflow-wrap:anywhere}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}h3{font-size:1rem;margin-bottom:.25rem}
a{color:var(--link)}a:focus-visible,button:focus-visible,pre:focus-visible{outline:2px solid var(--link);outline-offset:2px}
ul,ol{padding-left:1.25rem}li{margin:.25rem 0}
.soft{color:var(--soft)}.note{border:1px solid var(--line);border-left:4px solid var(--link);padding:.5rem .75rem}
pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid var(--line);padding:.5rem;max-height:30rem;overflow-y:auto;font-size:.85rem}
dl{display:grid;grid-template-columns:minmax(0,12rem) minmax(0,1fr);gap:.25rem .75rem}dt{color:var(--soft)}dd{margin:0}
@media(max-width:30rem){dl{grid-template-columns:minmax(0,1fr)}dd{margin-bottom:.5rem}}
nav{display:flex;flex-wrap:wrap;gap:.5rem 1rem}
button{font:inherit;padding:.4rem .9rem;border:1px solid var(--line);border-radius:.25rem;background:light-dark(#b3261e,#c9463d);color:#fff;cursor:pointer}`

const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

/** Of every answer: it is about one visitor, and no other site may load or frame it. */
export const PRIVATE_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': POLICY,
  'cross-origin-resource-policy': 'same-origin',
  // Not `no-referrer`: the form of this page would post `Origin: null`.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const

/** A whole document. It runs no script and loads nothing. */
export function document(title: string, status: number, content: Html): Response {
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${title}</title><style>${new Html(STYLE)}</style></head>
<body><main>${content}</main></body>
</html>`
  return new Response(page.text, {
    status,
    headers: { ...PRIVATE_HEADERS, 'content-type': 'text/html; charset=utf-8' },
  })
}
