import type { Metadata } from 'next'
import { headers } from 'next/headers'
import type { ReactNode } from 'react'
import '../dashboards/shared/theme.css'
import { SiteHeader } from '../dashboards/shared/site-header'
import { SETTINGS_ATTRIBUTE } from '../lib/telemetry/settings'
import { telemetrySettings } from './environment'

/** In the page itself: an icon of its own would be one more request of every page, boards included. */
const ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke="#3d78d6" stroke-width="1.5"><path d="M1 8h4m6 0h4" stroke-linecap="round"/><rect x="5" y="5" width="6" height="6" rx="1"/></svg>',
)}`

export const metadata: Metadata = {
  title: { default: 'Waystation', template: '%s · Waystation' },
  description: 'What your app really sent, where it went, and what became of it.',
  icons: { icon: ICON },
}

/** Settings reach the browser here, at run time: one build serves every configuration. */
export default async function RootLayout({ children }: { readonly children: ReactNode }) {
  // Reading the request makes every page render per request, as the nonce of the CSP needs.
  await headers()
  return (
    <html lang="en" {...{ [SETTINGS_ATTRIBUTE]: JSON.stringify(telemetrySettings()) }}>
      <body>
        <SiteHeader />
        <main id="content">{children}</main>
      </body>
    </html>
  )
}
