import type { Metadata } from 'next'
import { RunsBoard } from '../../../dashboards/runs/runs-board'
import { titleOf } from '../../../lib/wire/pages'

export const metadata: Metadata = { title: titleOf('/runs') }

export default function Page() {
  return <RunsBoard />
}
