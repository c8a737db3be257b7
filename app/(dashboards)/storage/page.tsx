import type { Metadata } from 'next'
import { StorageBoard } from '../../../dashboards/storage/storage-board'
import { titleOf } from '../../../lib/wire/pages'

export const metadata: Metadata = { title: titleOf('/storage') }

export default function Page() {
  return <StorageBoard />
}
