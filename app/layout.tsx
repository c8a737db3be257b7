import type { Metadata } from 'next'
import { headers } from 'next/headers'
import type { ReactNode } from 'react'
import '../dashboards/ui/tokens.css'
import '../dashboards/ui/base.css'
import { SETTINGS_ATTRIBUTE } from '../lib/sdk/settings-attribute'
import { PAGE_ICON } from '../lib/wire/pages'
import { BoardNavigation } from './board-navigation'
import { telemetrySettings } from './environment'

export const metadata: Metadata = {
  title: { default: 'Waystation', template: '%s · Waystation' },
  description: 'Shows the telemetry that your app sent, its way upstream, and its outcome.',
  icons: { icon: PAGE_ICON },
}

/** Renders the telemetry settings into the document at run time, so that one build serves every configuration. */
export default async function RootLayout({ children }: { readonly children: ReactNode }) {
  // Reading the headers makes Next render every page per request, which the CSP nonce needs.
  await headers()
  return (
    <html lang="en" {...{ [SETTINGS_ATTRIBUTE]: JSON.stringify(telemetrySettings()) }}>
      <body>
        <BoardNavigation />
        {children}
      </body>
    </html>
  )
}
