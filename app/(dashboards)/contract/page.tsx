import type { Metadata } from 'next'
import { ContractBoard } from '../../../dashboards/contract/contract-board'
import { titleOf } from '../../../lib/wire/pages'

export const metadata: Metadata = { title: titleOf('/contract') }

export default function Page() {
  return <ContractBoard />
}
