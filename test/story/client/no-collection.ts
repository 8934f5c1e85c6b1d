/**
 * Environment of each run of the client. The client is a Go program that runs for a fraction of a second. Without garbage
 * collection a run takes a quarter less processor time.
 */
export const NO_COLLECTION = { GOGC: 'off' } as const;
