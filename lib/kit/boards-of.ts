import { type Boards, NO_BOARDS } from '../verdict/expectations/answer'

const boardsOfItems = new WeakMap<object, Boards>()

/** What a recording hands out knows where its boards are, so that a failure about it alone can link there. */
export function withBoards<Item extends object>(item: Item, boards: Boards): Item {
  boardsOfItems.set(item, boards)
  return item
}

export const boardsOf = (item: object): Boards => boardsOfItems.get(item) ?? NO_BOARDS
