import { createHash } from 'node:crypto'
import { Html, html } from './html'
import { STYLE } from './style'

/** No script, and nothing but this style sheet, an icon in the document and forms to the same origin. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  'img-src data:',
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ')

/** For every answer to one visitor: no cache keeps it, and no other site may load or frame it. */
export const PRIVATE_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': POLICY,
  'cross-origin-resource-policy': 'same-origin',
  // Not `no-referrer`: the form of such a page would post `Origin: null`.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const

export interface DocumentOptions {
  /** Address of the icon, as a data URL. */
  readonly icon?: string
  readonly headers?: HeadersInit
}

/** A whole document. It runs no script and loads nothing, so it also works where a layout of the app fails. */
export function document(title: string, status: number, content: Html, options: DocumentOptions = {}): Response {
  const { icon } = options
  const page = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" content="noindex"><title>${title}</title>${icon !== undefined && html`<link rel="icon" href="${icon}">`}<style>${new Html(STYLE)}</style></head>
<body><main id="content">${content}</main></body>
</html>
`
  const headers = new Headers(options.headers)
  for (const [name, value] of Object.entries(PRIVATE_HEADERS)) headers.set(name, value)
  headers.set('content-type', 'text/html; charset=utf-8')
  return new Response(page.text, { status, headers })
}
