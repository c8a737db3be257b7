import type { Metadata } from 'next'
import type { ReactNode } from 'react'
import { Shell } from '../../dashboards/shell/shell'
import { DIAGNOSTICS_PATH } from '../../lib/sdk/paths'
import styles from './lab.module.css'
import { TraceOfThisPage } from './trace-of-this-page'

export const metadata: Metadata = { title: { default: 'Lab', template: '%s · Lab · Waystation' } }

export default function LabLayout({ children, modal }: { readonly children: ReactNode; readonly modal: ReactNode }) {
  return (
    <Shell>
      <div className={styles.lab}>
        <TraceOfThisPage />
        {modal}
        {children}
        <p className={`${styles.about} small`}>
          <a href={DIAGNOSTICS_PATH}>What was sent about me</a>
        </p>
      </div>
    </Shell>
  )
}
