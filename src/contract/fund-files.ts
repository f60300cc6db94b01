/** What a fund's own small files are bound to: here, because they are made, described and explained at different places. */

/** A cell of a spreadsheet, and what its web functions take, is 32,767 characters: these files stay below. */
export const maxCharacters = 32_766
