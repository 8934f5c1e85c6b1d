/** The word for a verdict. @param state null = unknown */
export const stateWord = (state: boolean | null): string =>
  state === null ? 'unknown' : state ? 'compliant' : 'not compliant';
