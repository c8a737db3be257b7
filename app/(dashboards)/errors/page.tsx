import type { Metadata } from 'next'
import { ErrorsBoard } from '../../../dashboards/errors/errors-board'
import { titleOf } from '../../../lib/wire/pages'

export const metadata: Metadata = { title: titleOf('/errors') }

export default function Page() {
  return <ErrorsBoard />
}
