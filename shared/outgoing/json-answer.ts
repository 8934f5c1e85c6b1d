/** Parses an answer of another service. Returns undefined if it is not JSON. */
export function jsonOrNothing(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
