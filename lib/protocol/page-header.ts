/** By which a page names itself, at random per page load: limits live as long as a page, so only with it can one be judged. */
export const PAGE_HEADER = 'x-waystation-page'
