import type { ReactNode } from 'react'
import { Shell } from '../../dashboards/shell/shell'

/** Only boards and lab have the navigation; pages for visitors (login, errors, missing pages) have none. */
export default function BoardsLayout({ children }: { readonly children: ReactNode }) {
  return <Shell>{children}</Shell>
}
