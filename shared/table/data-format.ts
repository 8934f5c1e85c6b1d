/** The data format that this release writes, and the newest that it reads (docs/data-format.md). */
export const DATA_FORMAT = 1;
