import type { Metadata } from 'next'
import { StorageBoard } from '../../../dashboards/storage/storage-board'

export const metadata: Metadata = { title: 'Storage' }

export default function Page() {
  return <StorageBoard />
}
