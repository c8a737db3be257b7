export interface PolicyFacts {
  readonly nonce: string
  /** The development server evaluates code and writes inline styles. */
  readonly development: boolean
  /** The lab calls other ports of this machine. */
  readonly lab: boolean
}

/** Returns the policy of a page. Scripts run only with the nonce, and inline styles are forbidden. */
export function contentSecurityPolicy({ nonce, development, lab }: PolicyFacts): string {
  const neighbours = lab ? ' http://localhost:* http://127.0.0.1:*' : ''
  const refresh = development ? ' ws:' : ''
  return [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}' 'strict-dynamic'${development ? " 'unsafe-eval'" : ''}`,
    `style-src 'self' ${development ? "'unsafe-inline'" : `'nonce-${nonce}'`}`,
    "worker-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self'${refresh}${neighbours}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}
