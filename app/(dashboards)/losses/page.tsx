import type { Metadata } from 'next'
import { LossesBoard } from '../../../dashboards/losses/losses-board'
import { titleOf } from '../../../lib/wire/pages'

export const metadata: Metadata = { title: titleOf('/losses') }

export default function Page() {
  return <LossesBoard />
}
