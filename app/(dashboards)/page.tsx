import { HomeBoard } from '../../dashboards/home/home-board'

export default function Page() {
  return <HomeBoard />
}
