import { HomeBoard } from '../dashboards/home/components/home-board'

export default function Page() {
  return <HomeBoard />
}
