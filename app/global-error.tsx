'use client'

import '../dashboards/ui/tokens.css'
import '../dashboards/ui/base.css'
import { PAGE_ICON } from '../lib/wire/pages'
import { ErrorFallback, type ErrorFallbackProps } from './error-fallback'

/** Replaces the root layout when that fails, so it renders a whole document. */
export default function GlobalError({ error, retry }: ErrorFallbackProps) {
  return (
    <html lang="en">
      <head>
        <title>Waystation</title>
        <link rel="icon" href={PAGE_ICON} />
      </head>
      <body>
        <main id="content">
          <ErrorFallback error={error} retry={retry} />
        </main>
      </body>
    </html>
  )
}
