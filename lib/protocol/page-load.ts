/**
 * Does a span lie outside its parent by any clock? The parent of a page load is the request that rendered the page: the page
 * begins before that and ends after it, or comes from a cache.
 */
export const isAlwaysOutsideParent = ({ op }: { readonly op: string | null }): boolean => op === 'pageload'
