/** The newest data format that this release reads (docs/data-format.md#change-a-record-in-three-steps). */
export const DATA_FORMAT = 1;
