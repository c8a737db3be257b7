import type { Metadata } from 'next'
import { EventsBoard } from '../../../dashboards/events/events-board'
import { titleOf } from '../../../lib/wire/pages'

export const metadata: Metadata = { title: titleOf('/errors') }

export default function Page() {
  return <EventsBoard />
}
