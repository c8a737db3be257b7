import type { Metadata } from 'next'
import { LogsBoard } from '../../../dashboards/signals/signals-board'
import { titleOf } from '../../../lib/wire/pages'

export const metadata: Metadata = { title: titleOf('/logs') }

export default function Page() {
  return <LogsBoard />
}
