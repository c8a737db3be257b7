import type { Metadata } from 'next'
import { TracesBoard } from '../../../dashboards/traces/traces-board'
import { titleOf } from '../../../lib/wire/pages'

export const metadata: Metadata = { title: titleOf('/traces') }

export default function Page() {
  return <TracesBoard />
}
