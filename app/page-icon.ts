/** The icon as a data URL, because a file would cost every page, boards included, one more request. */
export const PAGE_ICON = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke="#3d78d6" stroke-width="1.5"><path d="M1 8h4m6 0h4" stroke-linecap="round"/><rect x="5" y="5" width="6" height="6" rx="1"/></svg>',
)}`
