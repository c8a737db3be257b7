import type { Metadata } from 'next'
import { headers } from 'next/headers'
import type { ReactNode } from 'react'
import '../dashboards/ui/theme.css'
import { SiteHeader } from '../dashboards/ui/site-header'
import { StatusBanner } from '../dashboards/ui/status-banner'
import { SETTINGS_ATTRIBUTE } from '../lib/sdk/settings'
import { telemetrySettings } from './environment'
import { PAGE_ICON } from './page-icon'

export const metadata: Metadata = {
  title: { default: 'Waystation', template: '%s · Waystation' },
  description: 'What your app really sent, where it went, and what became of it.',
  icons: { icon: PAGE_ICON },
}

/** Settings reach the browser here, at run time: one build serves every configuration. */
export default async function RootLayout({ children }: { readonly children: ReactNode }) {
  // Reading the request makes every page render per request, as the nonce of the CSP needs.
  await headers()
  return (
    <html lang="en" {...{ [SETTINGS_ATTRIBUTE]: JSON.stringify(telemetrySettings()) }}>
      <body>
        <SiteHeader />
        <StatusBanner />
        <main id="content">{children}</main>
      </body>
    </html>
  )
}
