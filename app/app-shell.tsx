'use client'

import { usePathname } from 'next/navigation'
import type { ReactNode } from 'react'
import { Shell } from '../dashboards/shell/shell'

/** The shell of the boards around every page of the app. */
export const AppShell = ({ children }: { readonly children: ReactNode }) => (
  <Shell pathname={usePathname()}>{children}</Shell>
)
