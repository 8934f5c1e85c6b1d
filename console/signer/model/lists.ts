/** The links below lists that are in the order of names. */
export const BY_NAME = { first: 'Back to the first', next: 'More' };
