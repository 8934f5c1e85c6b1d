/** Returns the text of what was thrown. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Returns the fields of an error for a line of the log. */
export const errorFacts = (error: unknown): Record<string, unknown> =>
  error instanceof Error
    ? { error: error.name, error_message: error.message, stack: error.stack ?? null }
    : { error: typeof error, error_message: String(error) };
