import type { Metadata } from 'next'
import { ContractBoard } from '../../../dashboards/contract/contract-board'

export const metadata: Metadata = { title: 'Contract' }

export default function Page() {
  return <ContractBoard />
}
