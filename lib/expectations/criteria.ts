/**
 * What is wanted of an item: a function that says yes or no, or a part of it. A part is compared recursively, name by
 * name; a text also by a regular expression; a list entry by entry from the first.
 */
export type Criteria<Item> = ((item: Item) => boolean) | Part<Item>

export type Part<Value> = Value extends string
  ? Value | RegExp
  : Value extends number | boolean | null | undefined
    ? Value
    : Value extends readonly (infer Entry)[]
      ? readonly Part<Entry>[]
      : Value extends object
        ? { readonly [Name in keyof Value]?: Part<Value[Name]> } & { readonly [name: string]: unknown }
        : unknown

/** One place at which an item is not as wanted. */
export interface Difference {
  /** `attributes.http.response.status_code`; empty for a function. */
  readonly path: string
  readonly seen: string
  readonly wanted: string
}
