import { CutHere } from './cut-here'
import type { LimitLine } from './limit-lines'
import { ToldBy } from './told-by'

/** What is told of a limit alike, whether it runs or has ended: the heads of these columns, then the cells. */
export const LIMIT_HEADS = (
  <>
    <th scope="col">By</th>
    <th scope="col">Why</th>
    <th scope="col">Told by</th>
    <th scope="col">Cut here meanwhile</th>
  </>
)

export function LimitCells({ line }: { readonly line: LimitLine }) {
  return (
    <>
      <td data-column="By">
        <bdi>{line.by}</bdi>
      </td>
      <td data-column="Why">
        <bdi>{line.why}</bdi>
      </td>
      <td data-column="Told by">
        <ToldBy limit={line.limit} />
      </td>
      <td data-column="Cut here" className="num" data-cut={line.limit.cut}>
        <CutHere line={line} />
      </td>
    </>
  )
}
