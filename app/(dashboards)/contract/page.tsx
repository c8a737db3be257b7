import type { Metadata } from 'next'
import { ContractBoard } from '../../../dashboards/contract/components/contract-board'

export const metadata: Metadata = { title: 'Contract' }

export default function Page() {
  return <ContractBoard />
}
