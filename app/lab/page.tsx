import { Lab } from './lab'

export default function LabPage() {
  return <Lab />
}
