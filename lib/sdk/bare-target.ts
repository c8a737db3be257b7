import * as Sentry from '@sentry/nextjs'

/**
 * Takes the query out of `http.target`. Next writes the address as it came, and the SDK filters what looks secret in
 * `url.query` and `url.full` only.
 */
export function bareTargets(): void {
  Sentry.getClient()?.on('spanStart', (span) => {
    const target = Sentry.spanToJSON(span).attributes['http.target']
    if (typeof target === 'string' && target.includes('?'))
      span.setAttribute('http.target', target.replace(/\?.*$/, ''))
  })
}
